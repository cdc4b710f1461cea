"""Resolve the host of a URL to addresses."""

import contextlib
import ipaddress
import socket
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from switchover.model.errors import SwitchoverError


@dataclass(frozen=True, slots=True)
class Peer:
    family: int
    address: tuple[Any, ...]


PORTS = {"http": 80, "https": 443}


def is_usable_url(url: str, schemes: tuple[str, ...]) -> bool:
    """Return True if the URL has one of the schemes, a host, and either a valid port or no port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def ascii_host(host: str) -> str:
    """Return the host in ASCII (IDNA). Raises UnicodeError."""
    return host if host.isascii() else host.encode("idna").decode("ascii")


def authority(scheme: str, host: str, port: int) -> str:
    """Return `host:port`, or only the host if the port is the default port of the scheme. An IPv6 address is in
    brackets and without a zone."""
    name = f"[{host.partition('%')[0]}]" if ":" in host else host
    return name if port == PORTS[scheme] else f"{name}:{port}"


def resolve(host: str, port: int) -> Peer:
    """Return the first address of the host. Callers store the address, because a probe must not wait for a name
    server."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SwitchoverError(f"cannot resolve {host!r} (dns): {reason}: check the host of the URL") from error
    return Peer(infos[0][0], infos[0][4])


def find_addresses(host: str, timeout_s: float) -> tuple[str, ...]:
    """Return the addresses of a host. Raises OSError. Resolvers have no timeout, so a thread calls the resolver."""
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
        raise socket.gaierror(f"this machine finds no address of the name {host!r}")
    return tuple(dict.fromkeys(addresses))


def known_addresses(host: str, timeout_s: float) -> tuple[str, ...]:
    try:
        return find_addresses(host, timeout_s) if host else ()
    except OSError:
        return ()
