"""Certificates for HTTPS in the lab, and keys for ssh to the lab's hosts."""

from collections.abc import Sequence
from pathlib import Path

from switchover.faults.mechanisms.changes import FIRST, RENEWED
from switchover.lab import addresses
from switchover.lab.addresses import Host
from switchover.lab.capability import privileged, run_or_refuse
from switchover.model.errors import UsageError

CERTIFICATE = "certificate.pem"
"""The file in the lab's directory with the certificate that the lab serves, and its key."""
TRUSTED = "trusted.pem"
"""The certificates of the lab without their keys, for clients."""
_KEY_ENDS = "-----END PRIVATE KEY-----\n"


def make_certificates(openssl: str, directory: Path, backends: int) -> Path:
    """Make the lab's certificate, and a second certificate that a change can install as its renewal. Return the path
    of the lab's certificate."""
    made = [_make(openssl, backends, name) for name in ("switchover lab", "switchover lab, renewed")]
    path = directory / CERTIFICATE
    for name, text in zip((path, directory / FIRST, directory / RENEWED), (made[0], *made), strict=True):
        name.touch(mode=0o600)
        name.write_text(text, encoding="ascii")
    (directory / TRUSTED).write_text("".join(text.partition(_KEY_ENDS)[2] for text in made), encoding="ascii")
    return path


def _make(openssl: str, backends: int, name: str) -> str:
    """Return a new key and its certificate."""
    names = (addresses.VIP, *(host.address for host in addresses.backends(backends)))
    command = [
        *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"),
        *("-addext", "subjectAltName=" + ",".join(f"IP:{address}" for address in names)),
        *("-keyout", "-", "-out", "-"),
    ]
    return run_or_refuse(command, "the lab's certificate")


CLIENT_CONFIG = "ssh_config"
"""The ssh configuration in the lab's directory, for `ssh -F FILE lb1` on the lab's client."""
SSH_KEY, SSH_HOST_KEY = "ssh-key", "ssh-host-key"
_PRIVILEGE_SEPARATION = Path("/run/sshd")
"""Debian's sshd does not start without this folder. On a normal host, sshd's systemd unit creates the folder."""


def make_logins(keygen: str, directory: Path, hosts: Sequence[Host]) -> None:
    """Make the ssh keys of the lab, and the known-hosts file with the keys of its hosts."""
    if not privileged():
        raise UsageError("--ssh needs root: the ssh server of an ordinary user cannot log in other users")
    _PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
    for name in (SSH_KEY, SSH_HOST_KEY):
        command = [keygen, "-q", "-t", "ed25519", "-N", "", "-C", "switchover lab", "-f", str(directory / name)]
        run_or_refuse(command, "the lab's ssh key")
    public = (directory / f"{SSH_HOST_KEY}.pub").read_text(encoding="ascii")
    known_hosts = "".join(f"{host.address} {public}" for host in hosts)
    (directory / "ssh-known-hosts").write_text(known_hosts, encoding="ascii")
