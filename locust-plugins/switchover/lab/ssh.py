"""Logins to the hosts of a lab by ssh: a key and a server on each host, as on a pair of real nodes."""

import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path

from switchover.lab.addresses import Host
from switchover.lab.capability import privileged
from switchover.model.errors import LabError, UsageError

CLIENT_CONFIG = "ssh_config"
"""In the lab's directory: `ssh -F FILE lb1`, from the lab's client."""
MACHINE_ID = "machine-id"
_KEY, _HOST_KEY = "ssh-key", "ssh-host-key"
_PRIVILEGE_SEPARATION = Path("/run/sshd")
"""Debian's sshd does not start without this folder, which its unit makes."""


def make_logins(keygen: str, directory: Path, hosts: Sequence[Host]) -> None:
    """The keys of the lab, and the configuration with which ssh reaches its hosts by their names."""
    if not privileged():
        raise UsageError("--ssh needs root: an ssh server of an ordinary user cannot log in others")
    _PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
    for name in (_KEY, _HOST_KEY):
        command = [keygen, "-q", "-t", "ed25519", "-N", "", "-C", "switchover lab", "-f", str(directory / name)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LabError(f"the lab's ssh key cannot be made: {done.stderr.strip().splitlines()[-1:]}")
    public = (directory / f"{_HOST_KEY}.pub").read_text(encoding="ascii")
    known = "".join(f"{host.address} {public}" for host in hosts)
    (directory / "ssh-known-hosts").write_text(known, encoding="ascii")
    lines = [line for host in hosts for line in (f"Host {host.name}", f"  HostName {host.address}")]
    lines += [
        "Host *",
        "  User root",
        f"  IdentityFile {directory / _KEY}",
        "  IdentitiesOnly yes",
        f"  UserKnownHostsFile {directory / 'ssh-known-hosts'}",
    ]
    (directory / CLIENT_CONFIG).write_text("\n".join(lines) + "\n", encoding="utf-8")


def sshd_config(host: Host, directory: Path) -> str:
    """Keys only. The server's own checks of file modes are off, because the lab's directory is under /tmp."""
    return "\n".join(
        (
            f"ListenAddress {host.address}",
            f"HostKey {directory / _HOST_KEY}",
            f"AuthorizedKeysFile {directory / _KEY}.pub",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "StrictModes no",
            "UsePAM no",
            "PidFile none",
            "",
        )
    )


def machine_id() -> str:
    """A new one, in the form of machine-id(5)."""
    return f"{secrets.token_hex(16)}\n"


def with_machine_id(folder: Path, *command: str) -> tuple[str, ...]:
    """A command that sees the host's own machine id; all hosts share this machine's files otherwise."""
    script = 'mount --bind "$0" /etc/machine-id && exec "$@"'
    return ("/bin/sh", "-c", script, str(folder / MACHINE_ID), *command)
