"""Check whether this user may create namespaces on this machine, and advise a remedy if the kernel refuses."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from switchover.lab.programs import PACKAGES, VERSIONED, ask_version, find_program
from switchover.model.errors import LabError

NAMESPACES = ("--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
TRIAL_TIMEOUT_S = 10.0
PROGRAMS = ("haproxy", "nginx", "keepalived", "ip", "bridge", "unshare")
ADVICE = (
    "run it with sudo, start a container with --privileged, or allow user namespaces by sysctl: "
    "kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000, "
    "kernel.apparmor_restrict_unprivileged_userns=0"
)
"""The advice if the kernel refuses namespaces: settings of Debian's kernel, of every kernel, and of Ubuntu's
kernel."""
DESCRIPTORS = 4096
"""The descriptors that a balancer needs for a second of 1,000 unanswered probes with two connections each."""


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """The result of one check of this machine. `advice` is empty if the check passes."""

    subject: str
    result: str
    advice: str = ""
    blocks: str = ""
    """Lines for the user to copy, with headings. The lines are printed after all checks."""
    warns: bool = False
    """The check passes, but a drill may measure less than the user expects."""

    @property
    def good(self) -> bool:
        return not self.advice


def privileged() -> bool:
    """Return whether this process may create namespaces. In a container, root may lack this right."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("CapEff:"):
            effective = int(line.split()[1], 16)
            return os.geteuid() == 0 and all(effective >> bit & 1 for bit in (CAP_NET_ADMIN, CAP_SYS_ADMIN))
    return False


def namespace_flags() -> tuple[str, ...]:
    user = () if privileged() else ("--user", "--map-root-user")
    return (*user, *NAMESPACES, "--propagation", propagation())


def propagation(mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Return the value of unshare's `--propagation`: `private`, so that mounts of a host are visible only there, or
    `unchanged` if the root directory is not a mount point, for example in a chroot after debootstrap."""
    roots = (line.split()[4] for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines())
    return "private" if "/" in roots else "unchanged"


def check() -> MachineCheck:
    """Try to create the namespaces that a lab needs."""
    user = "root" if privileged() else f"user {os.geteuid()} through a user namespace"
    unshare = find_program("unshare")
    if unshare is None:
        return MachineCheck("namespaces", "unshare is missing", "apt-get install util-linux")
    trial = subprocess.run(
        [unshare, *namespace_flags(), "--", "true"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TRIAL_TIMEOUT_S,
        check=False,
    )
    if trial.returncode == 0:
        return MachineCheck("namespaces", f"allowed, as {user}")
    complaint = trial.stderr.strip().splitlines()
    reason = complaint[-1] if complaint else f"unshare ended with {trial.returncode}"
    return MachineCheck("namespaces", f"refused to {user}: {reason}", ADVICE)


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


def require_namespaces() -> None:
    """Raise LabError with advice if namespaces cannot be created."""
    finding = check()
    if not finding.good:
        raise LabError(f"the lab needs namespaces, {finding.result}: {finding.advice}")


if __name__ == "__main__":
    sys.exit(0 if check().good else 1)
