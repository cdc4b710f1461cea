"""The names under which the web page may be asked.

A site that turns its own name to this machine's address (DNS rebinding) is the same origin in the browser's eyes, so
`Origin` and the page's token prove nothing against it. Its name stands in `Host` all the same, and an address there
cannot be turned.
"""

import functools
import ipaddress
import socket
from urllib.parse import urlsplit


class HostNames:
    """Addresses, this machine's own names, and those given."""

    def __init__(self, *given: str) -> None:
        self._given = frozenset(filter(None, map(_bare, given)))

    def refusal(self, host: str) -> str | None:
        """Why a request with this `Host` is not answered; None if it is."""
        name = _bare(host)
        if _is_address(name) or name == "localhost" or name.endswith(".localhost") or name in self._given:
            return None
        if name and name in _names_of_this_machine():
            return None
        return (
            f"refused: {name[:100]!r} is no name that this page knows; open it by its address, or start Locust with "
            "--switchover-web-host NAME"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    name = _bare(host)
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


def _bare(host: str) -> str:
    """In lower case, without brackets, port and last dot."""
    try:
        name = urlsplit(f"//{host}" if host.count(":") < 2 or host.startswith("[") else f"//[{host}]").hostname
    except ValueError:
        return ""
    return (name or "").rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@functools.cache
def _names_of_this_machine() -> frozenset[str]:
    """Asked of the resolver, which may take its time, so only where no other name fits."""
    name = socket.gethostname().lower()
    return frozenset({name, name.partition(".")[0], socket.getfqdn().lower()})
