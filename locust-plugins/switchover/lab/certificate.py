"""The certificate of a lab that speaks HTTPS: self-signed, for the virtual address and the backends."""

import subprocess
from pathlib import Path

from switchover.lab import addresses
from switchover.model.errors import LabError

CERTIFICATE = "certificate.pem"
"""The certificate and its key, in the lab's directory."""


def make_certificate(openssl: str, directory: Path, backends: int) -> Path:
    path = directory / CERTIFICATE
    names = (addresses.VIP, *(host.address for host in addresses.backends(backends)))
    command = [
        *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=switchover lab"),
        *("-addext", "subjectAltName=" + ",".join(f"IP:{name}" for name in names)),
        *("-keyout", "-", "-out", "-"),
    ]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines()
        raise LabError(f"the lab's certificate cannot be made: {complaint[-1] if complaint else done.returncode}")
    path.touch(mode=0o600)
    path.write_text(done.stdout, encoding="ascii")
    return path
