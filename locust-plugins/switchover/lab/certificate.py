"""The certificates of a lab that speaks HTTPS: self-signed, for the virtual address and the backends."""

import subprocess
from pathlib import Path

from switchover.faults.mechanisms.pair_changes import FIRST, RENEWED
from switchover.lab import addresses
from switchover.model.errors import LabError

CERTIFICATE = "certificate.pem"
"""What is served: a certificate and its key, in the lab's directory."""
TRUSTED = "trusted.pem"
"""What clients trust: the certificates of the lab, without their keys."""
_KEY_ENDS = "-----END PRIVATE KEY-----\n"


def make_certificates(openssl: str, directory: Path, backends: int) -> Path:
    """The one that is served, which is the first, and beside it what a swap of certificates serves."""
    made = [_make(openssl, backends, name) for name in ("switchover lab", "switchover lab, renewed")]
    path = directory / CERTIFICATE
    for name, text in zip((path, directory / FIRST, directory / RENEWED), (made[0], *made), strict=True):
        name.touch(mode=0o600)
        name.write_text(text, encoding="ascii")
    (directory / TRUSTED).write_text("".join(text.partition(_KEY_ENDS)[2] for text in made), encoding="ascii")
    return path


def _make(openssl: str, backends: int, name: str) -> str:
    """A key, and then its certificate."""
    names = (addresses.VIP, *(host.address for host in addresses.backends(backends)))
    command = [
        *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"),
        *("-addext", "subjectAltName=" + ",".join(f"IP:{address}" for address in names)),
        *("-keyout", "-", "-out", "-"),
    ]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        raise LabError(f"the lab's certificate cannot be made: {complaint[-1] if complaint else done.returncode}")
    return done.stdout
