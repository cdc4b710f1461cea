"""Parse the URLs of requests and of redirects (RFC 9110, section 15.4)."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from switchover.http.address import PORTS, ascii_host, authority

_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""Characters in a URL that are not quoted. A `%` counts as the beginning of an escape."""


@dataclass(frozen=True, slots=True)
class Origin:
    scheme: str
    host: str
    port: int

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def authority(self) -> str:
        return authority(self.scheme, self.host, self.port)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    origin: Origin
    target: str

    @property
    def url(self) -> str:
        return f"{self.origin}{self.target}"


def parse_url(url: str) -> ParsedUrl:
    """Parse a URL. Raises ValueError if the text is not an http or https URL."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("not an http:// or https:// URL")
    if parts.username is not None:
        raise ValueError("the URL contains credentials: set client.auth instead")
    host = ascii_host(parts.hostname)
    if not re.fullmatch(r"[!-~]+", host):
        raise ValueError("the URL's host contains a blank or a control character")
    origin = Origin(parts.scheme, host, parts.port or PORTS[parts.scheme])
    query = f"?{parts.query}" if parts.query else ""
    return ParsedUrl(origin, quoted(f"{parts.path or '/'}{query}"))


def quoted(target: str) -> str:
    """Quote a path and query for a request line, and remove the fragment."""
    return quote(target.partition("#")[0], safe=_SAFE)


STATUSES = frozenset({301, 302, 303, 307, 308})


def follow(method: str, status: int, location: str, before: ParsedUrl) -> tuple[str, ParsedUrl]:
    """Return the method and the URL after a redirect. Raises ValueError if the new URL is not an http or https
    URL."""
    parsed_url = parse_url(urljoin(before.url, location))
    is_changed = (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST")
    return "GET" if is_changed else method, parsed_url
