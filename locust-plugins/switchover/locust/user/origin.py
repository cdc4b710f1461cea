"""Parse the URLs of requests and of redirects (RFC 9110, section 15.4)."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""Characters in a URL that are not quoted, in addition to letters, digits and `-._`. A `%` counts as the beginning of
an escape."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


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
        name = f"[{self.host.partition('%')[0]}]" if ":" in self.host else self.host
        return name if self.port == _DEFAULT_PORTS[self.scheme] else f"{name}:{self.port}"

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
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ValueError("not an http:// or https:// URL")
    if parts.username is not None:
        raise ValueError("the URL holds credentials: set client.auth instead")
    host = _ascii(parts.hostname)
    origin = Origin(parts.scheme, host, parts.port or _DEFAULT_PORTS[parts.scheme])
    query = f"?{parts.query}" if parts.query else ""
    return ParsedUrl(origin, quoted(f"{parts.path or '/'}{query}"))


def quoted(target: str) -> str:
    """Quote a path and query for a request line, and remove the fragment."""
    return quote(target.partition("#")[0], safe=_SAFE)


def _ascii(host: str) -> str:
    name = host if host.isascii() else host.encode("idna").decode("ascii")
    if not re.fullmatch(r"[!-~]+", name):
        raise ValueError("the URL's host holds a blank or a control character")
    return name


STATUSES = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class NextRequest:
    method: str
    parsed_url: ParsedUrl
    keeps_body: bool
    keeps_credentials: bool


def follow(method: str, status: int, location: str, before: ParsedUrl) -> NextRequest:
    """Return the request that follows a redirect. Raises ValueError if the redirect does not lead to an http or https
    URL."""
    parsed_url = parse_url(urljoin(before.url, location))
    changed = method
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        changed = "GET"
    return NextRequest(changed, parsed_url, changed == method, before.origin == parsed_url.origin)
