"""Which requests the web page answers: those under names that it knows, and changes only from its own page.

A site that turns its own name to this machine's address (DNS rebinding) is the same origin in the browser's eyes, so
`Origin` and the page's token prove nothing against it. Its name stands in `Host` all the same, and an address there
cannot be turned.

Locust answers every origin (CORS `*`), so another site may read our page, with its token, where there is no login; a
cookie's SameSite knows only sites, not ports. So the browser's own word counts: `Origin`, which it sends with every
POST and no script can set, and `Sec-Fetch-Site` where it sends that. The token proves in addition that the page was
read, which no simple form of another site can do.
"""

import functools
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit


class HostNames:
    """Addresses, this machine's own names, and those given."""

    def __init__(self, *given: str) -> None:
        self._given = frozenset(filter(None, map(_bare, given)))

    def refusal(self, host: str) -> str | None:
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


TOKEN_HEADER = "X-Switchover-Token"
REFUSED = "refused: this can be asked only from the Switchover page itself; reload it and try again"


def new_token() -> str:
    return secrets.token_urlsafe(32)


def refusal(headers: Mapping[str, str], host: str, token: str) -> str | None:
    """Why the request is not to be trusted; None if it is. `host` is the address that the request was sent to."""
    given = headers.get(TOKEN_HEADER, "")
    if not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return REFUSED
    if not headers.get("Content-Type", "").lower().startswith("application/json"):
        return REFUSED  # what a form cannot send
    return REFUSED if is_foreign(headers, host) is not False else None


def is_foreign(headers: Mapping[str, str], host: str) -> bool | None:
    """True if a browser says that another site made the request; None if no browser says anything."""
    fetch_site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    if fetch_site is not None:
        return fetch_site != "same-origin"
    if origin is None:
        return None
    try:
        return not urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return True
