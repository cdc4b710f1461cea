"""Where the URL's name leads."""

import socket
from dataclasses import dataclass

from switchover.model.errors import SwitchoverError


@dataclass(frozen=True, slots=True)
class Peer:
    """An address family and a socket address of it."""

    family: int
    address: tuple[str, int] | tuple[str, int, int, int]

    def __str__(self) -> str:
        host, port = self.address[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def resolve(host: str, port: int) -> Peer:
    """The first address of the name, looked up once: a probe must not wait for a name server."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SwitchoverError(f"cannot resolve {host!r} (dns): {reason}: check the host of the URL") from error
    family, _, _, _, address = found[0]
    if len(address) == 2:
        return Peer(family, (str(address[0]), int(address[1])))
    return Peer(family, (str(address[0]), int(address[1]), int(address[2]), int(address[3])))
