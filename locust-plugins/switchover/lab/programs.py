"""The programs that a lab runs, and the Debian packages that they come in."""

import os
import shutil
from collections.abc import Iterable

from switchover.lab.host_agent import search_path
from switchover.lab.spec import CheckKind, LabSpec
from switchover.model.errors import LabError

PACKAGES = {
    "unshare": "util-linux",
    "setsid": "util-linux",
    "ip": "iproute2",
    "bridge": "iproute2",
    "pidof": "sysvinit-utils",
    "haproxy": "haproxy",
    "nginx": "nginx-light",
    "keepalived": "keepalived",
}


def needed_programs(spec: LabSpec) -> tuple[str, ...]:
    names = ["unshare", "ip", "bridge", "keepalived", spec.balancer]
    if spec.backend_kind == "nginx":
        names.append("nginx")
    if spec.keepalived.check is CheckKind.PROCESS:
        names.append("pidof")
    return tuple(dict.fromkeys(names))


def find_program(name: str) -> str | None:
    """Its path, looked for in PATH and in the system directories that an ordinary user's PATH lacks."""
    return shutil.which(name, path=search_path(os.environ.get("PATH", os.defpath)))


def find_programs(names: Iterable[str]) -> dict[str, str]:
    """The path of each. Raises LabError that names all that are missing and how to get them."""
    found = {name: find_program(name) for name in names}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        packages = " ".join(dict.fromkeys(PACKAGES[name] for name in missing))
        raise LabError(f"the lab needs {', '.join(missing)}, not found: apt-get install {packages}")
    return {name: path for name, path in found.items() if path is not None}
