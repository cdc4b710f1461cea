"""The programs that a lab runs, and the Debian packages that they come in."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from switchover.lab.config_nginx import STREAM_MODULE
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
    "apache2": "apache2",
    "openssl": "openssl",
    "ab": "apache2-utils",
    STREAM_MODULE: "libnginx-mod-stream",
}


def needed_programs(spec: LabSpec) -> tuple[str, ...]:
    names = ["unshare", "ip", "bridge"]
    if spec.balancer_service:
        names += ["keepalived", spec.balancer_service]
    if spec.backend_kind != "app":
        names.append({"nginx": "nginx", "apache": "apache2"}[spec.backend_kind])
    if spec.scheme == "https":
        names.append("openssl")
    if spec.balancer == "nginx" and (spec.is_tcp or spec.patient):
        names.append(STREAM_MODULE)
    if spec.balancer_service and spec.keepalived.check is CheckKind.PROCESS:
        names.append("pidof")
    return tuple(dict.fromkeys(names))


def find_program(name: str) -> str | None:
    """Its path, looked for in PATH and in the system directories that an ordinary user's PATH lacks; a module of
    Nginx's has its whole path for a name."""
    if name.startswith("/"):
        return name if Path(name).exists() else None
    return shutil.which(name, path=search_path(os.environ.get("PATH", os.defpath)))


def find_programs(names: Iterable[str]) -> dict[str, str]:
    """The path of each. Raises LabError that names all that are missing and how to get them."""
    found = {name: find_program(name) for name in names}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        packages = " ".join(dict.fromkeys(PACKAGES[name] for name in missing))
        raise LabError(f"the lab needs {', '.join(missing)}, not found: apt-get install {packages}")
    return {name: path for name, path in found.items() if path is not None}
