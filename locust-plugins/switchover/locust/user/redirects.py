"""Where an answer sends us, and with what (RFC 9110 section 15.4)."""

from dataclasses import dataclass
from urllib.parse import urljoin

from switchover.locust.user.origin import Origin, Place, locate

STATUSES = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Onward:
    """The next request."""

    method: str
    place: Place
    keeps_body: bool
    keeps_credentials: bool
    """Authorization, and cookies given by hand, go only to whom they were given for."""


def follow(method: str, status: int, location: str, asked: Place) -> Onward:
    """ValueError if it leads nowhere that we could ask."""
    place = locate(urljoin(asked.url, location))
    changed = method
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        changed = "GET"
    return Onward(changed, place, changed == method, _is_trusted(asked.origin, place.origin))


def _is_trusted(before: Origin, after: Origin) -> bool:
    """The same origin, or the same host on its way from http to https."""
    if after is before:
        return True
    upgraded = (before.scheme, before.port, after.scheme, after.port) == ("http", 80, "https", 443)
    return upgraded and before.host == after.host
