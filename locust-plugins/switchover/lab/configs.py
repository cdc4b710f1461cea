"""Generate the configuration files of a lab's hosts from the templates in this folder."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from switchover.faults.mechanisms.changes import LINE_ENDS, MOVE_FILE, MOVE_WEIGHT, NEXT, NEXT_PORT
from switchover.lab import addresses
from switchover.lab.addresses import Host
from switchover.lab.capability import STREAM_MODULE
from switchover.lab.credentials import CLIENT_CONFIG, SSH_HOST_KEY, SSH_KEY
from switchover.lab.spec import STICKY_COOKIE, LabSpec

BODY, HEALTH = "body.bin", "health.txt"
"""The files that a web server of the lab serves."""
CHECK_SCRIPT = "check.sh"
SHELL = os.path.realpath("/bin/sh")
"""The path of the shell without symbolic links. Keepalived 2.3 refuses a check whose program is a symbolic link
("Wrong file type")."""
SPARE_DESCRIPTORS = {"haproxy": 500, "nginx": 100}
"""The number of file descriptors that a balancer needs for listeners, health checks and idle connections to the
backends."""

_TEMPLATES = Environment(
    loader=PackageLoader("switchover.lab"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.globals |= {
    "net": addresses,
    "body": BODY,
    "health": HEALTH,
    "check_script": CHECK_SCRIPT,
    "shell": SHELL,
    "stream_module": STREAM_MODULE,
    "sticky_cookie": STICKY_COOKIE,
    "move_file": MOVE_FILE,
    "move_weight": MOVE_WEIGHT,
    "next_name": NEXT,
    "next_port": NEXT_PORT,
    "ssh_config": CLIENT_CONFIG,
    "ssh_key": SSH_KEY,
    "ssh_host_key": SSH_HOST_KEY,
}


def render(template: str, spec: LabSpec, node: Host, directory: Path, **values: Any) -> str:
    """Return a host's configuration file as text, rendered from a template. `values`: further values for the
    template."""
    names = {"spec": spec, "node": node, "directory": directory, "backends": addresses.backends(spec.backends)}
    return _TEMPLATES.get_template(template).render(names | values)


def balancer_config(spec: LabSpec, node: Host, directory: Path, descriptors: int, **values: Any) -> str:
    """Return haproxy.cfg or nginx.conf of a balancer. `descriptors`: the limit of open files."""
    program = spec.balancer_service
    template = {"haproxy": "haproxy.cfg", "nginx": "nginx-balancer.conf"}[program]
    # A change that replaces a backend finds the server's line by the mark at the end of the line.
    out_of_use, mark = LINE_ENDS[program]
    connections = spec.max_connections or max_connections(program, descriptors)
    names = {"connections": connections, "out_of_use": out_of_use, "mark": mark}
    return render(template, spec, node, directory, **names, **values)


def max_connections(program: str, descriptors: int) -> int:
    """Return the maximum number of connections of a balancer. HAProxy starts only if it has two descriptors for each
    connection."""
    spare, limit = descriptors - SPARE_DESCRIPTORS[program], {"haproxy": 20_000, "nginx": 10_000}[program]
    return max(100, min(limit, spare // 2 if program == "haproxy" else spare))


def check_script(command: Sequence[str]) -> str:
    """Return a script that runs the check `command`. Without a script, Keepalived follows the symbolic link pidof and
    runs killall5 (measured: Keepalived 2.2.7)."""
    return f"#!/bin/sh\nexec {shlex.join(command)} >/dev/null\n"
