"""What the installed Keepalived makes of a configuration: its own dump, from a namespace with one interface."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

KEEPALIVED = shutil.which("keepalived") or shutil.which("keepalived", path="/usr/sbin:/sbin")

_END = "------< Interfaces"
_START = """
ip link set lo up && ip link add d0 type veth peer name d1 && ip addr add 192.0.2.250/24 dev d0 &&
ip link set d0 up && ip link set d1 up &&
exec "$0" --dont-fork --log-console --dump-conf --vrrp -f "$1" -p "$1.pid" -r "$1.vrrp.pid"
"""


@dataclass
class Dump:
    """The values of the dump by the names that it has: of the globals, of each instance and script; all it said."""

    globals: dict[str, str] = field(default_factory=dict)
    instances: dict[str, dict[str, str]] = field(default_factory=dict)
    scripts: dict[str, dict[str, str]] = field(default_factory=dict)
    said: str = ""


def dump(conf: Path) -> Dump:
    """Start Keepalived with this file, read its dump, and end it."""
    assert KEEPALIVED is not None
    apart = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
    command = [*apart, "sh", "-c", _START, KEEPALIVED, str(conf)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if _END in line:
                break
        # Its child has a group of its own, which ends with it (PDEATHSIG).
        os.killpg(process.pid, signal.SIGTERM)
        process.stdout.read()
    return read_dump("".join(lines))


def read_dump(text: str) -> Dump:
    """Lines such as ` VRRP Instance = A` and, below it, `   Priority = 100`, behind a time stamp."""
    found = Dump(said=text)
    current = found.globals
    for line in text.splitlines():
        match = re.match(r"(?:\w{3} \w{3} .{16}: )? ([^=]*?) = ?(.*)", line)
        if match:
            name, value = match[1].strip(), match[2]
            if name == "VRRP Instance":
                current = found.instances.setdefault(value, {})
            elif name == "VRRP Script":
                current = found.scripts.setdefault(value, {})
            else:
                current.setdefault(name, value)
        tracked = re.match(r"(?:\w{3} \w{3} .{16}: )?     (\S+?),? weight (-?\d+)", line)
        if tracked:
            current[f"weight of {tracked[1]}"] = tracked[2]
    return found
