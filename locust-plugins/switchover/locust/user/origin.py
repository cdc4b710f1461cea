"""URLs of requests and of redirects (RFC 9110, section 15.4)."""

import re
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit
from weakref import WeakValueDictionary

_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""Characters that a URL keeps, besides letters, digits and `-._`. A `%` counts as the beginning of an escape."""
_PLAIN = re.compile(r"[A-Za-z0-9\-._!$%&'()*+,/:;=?@~]*")
"""A request target that needs no quoting and has no fragment."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin:
    """An origin. A process has one object per scheme, host and port, so `is` compares origins."""

    __slots__ = ("__weakref__", "authority", "host", "port", "scheme", "secure")

    _known: ClassVar["WeakValueDictionary[tuple[str, str, int], Origin]"] = WeakValueDictionary()

    def __init__(self, scheme: str, host: str, port: int) -> None:
        self.scheme = scheme
        self.secure = scheme == "https"
        self.host = host
        self.port = port
        name = f"[{host.partition('%')[0]}]" if ":" in host else host
        self.authority = name if port == _DEFAULT_PORTS[scheme] else f"{name}:{port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @classmethod
    def of(cls, scheme: str, host: str, port: int) -> "Origin":
        key = (scheme, host, port)
        known = cls._known.get(key)
        if known is None:
            known = cls._known[key] = cls(*key)
        return known


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    origin: Origin
    target: str
    credentials: tuple[str, str] | None

    @property
    def url(self) -> str:
        return f"{self.origin}{self.target}"


def parse_url(url: str) -> ParsedUrl:
    """Parse a URL. Raises ValueError if it is no http or https URL."""
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ValueError("not an http:// or https:// URL")
    host = _ascii(parts.hostname)
    origin = Origin.of(parts.scheme, host, parts.port or _DEFAULT_PORTS[parts.scheme])
    query = f"?{parts.query}" if parts.query else ""
    return ParsedUrl(origin, quoted(f"{parts.path or '/'}{query}"), _credentials(parts))


def without_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    """Split a URL into the URL without credentials and the pair of user and password."""
    parts = urlsplit(url)
    if parts.username is None:
        return url, None
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), _credentials(parts)


def quoted(target: str) -> str:
    """Return a path and query quoted for a request line, without the fragment."""
    if _PLAIN.fullmatch(target):
        return target
    return quote(target.partition("#")[0], safe=_SAFE)


def _ascii(host: str) -> str:
    name = host if host.isascii() else host.encode("idna").decode("ascii")
    if not re.fullmatch(r"[!-~]+", name):
        raise ValueError("the URL's host holds a blank or a control character")
    return name


def _credentials(parts: SplitResult) -> tuple[str, str] | None:
    if parts.username is None:
        return None
    return unquote(parts.username), unquote(parts.password or "")


STATUSES = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class NextRequest:
    method: str
    parsed_url: ParsedUrl
    keeps_body: bool
    keeps_credentials: bool


def follow(method: str, status: int, location: str, asked: ParsedUrl) -> NextRequest:
    """Return the request that a redirect leads to. Raises ValueError if it leads to no http or https URL."""
    parsed_url = parse_url(urljoin(asked.url, location))
    changed = method
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        changed = "GET"
    return NextRequest(changed, parsed_url, changed == method, _is_trusted(asked.origin, parsed_url.origin))


def _is_trusted(before: Origin, after: Origin) -> bool:
    """True for the same origin, or the same host if http changes to https."""
    if after is before:
        return True
    upgraded = (before.scheme, before.port, after.scheme, after.port) == ("http", 80, "https", 443)
    return upgraded and before.host == after.host
