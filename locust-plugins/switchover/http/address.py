"""Resolve the host of a URL to addresses."""

import contextlib
import ipaddress
import socket
import threading
from dataclasses import dataclass
from typing import Any

from switchover.model.errors import SwitchoverError


@dataclass(frozen=True, slots=True)
class Peer:
    family: int
    address: tuple[str, int] | tuple[str, int, int, int]

    @classmethod
    def of(cls, info: tuple[Any, ...]) -> "Peer":
        family, _, _, _, address = info
        return cls(family, address)


def resolve(host: str, port: int) -> Peer:
    """Return the first address of the host. Callers store the address, because a probe must not wait for a name
    server."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SwitchoverError(f"cannot resolve {host!r} (dns): {reason}: check the host of the URL") from error
    return Peer.of(infos[0])


def find_addresses(host: str, timeout_s: float) -> tuple[str, ...]:
    """Return the IPv4 and IPv6 addresses of a host. Raises OSError.

    The resolver has no timeout, so it runs in a thread. After `timeout_s`, the function returns, and the thread
    continues.
    """
    with contextlib.suppress(ValueError):
        return (str(ipaddress.ip_address(host)),)
    addresses: list[str] = []

    def ask() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            addresses.extend(str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))

    thread = threading.Thread(target=ask, name=f"resolve {host}", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if not addresses:
        raise socket.gaierror(f"the name {host!r} has no address here")
    return tuple(dict.fromkeys(addresses))


def known_addresses(host: str, timeout_s: float) -> tuple[str, ...]:
    """Return the addresses of a host. Empty: `host` is empty, or this machine cannot resolve it."""
    try:
        return find_addresses(host, timeout_s) if host else ()
    except OSError:
        return ()
