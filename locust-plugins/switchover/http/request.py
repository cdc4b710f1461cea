"""Build the request line and headers (RFC 9112) for the endpoint of a target file."""

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from switchover.http.address import ascii_host, authority
from switchover.model.errors import UsageError
from switchover.target.model import Endpoint

_SAFE = "%/:=&?~#+!$,;'@()*[]"


def request_head(
    endpoint: Endpoint, *, agent: str, keep: bool, method: str = "GET", more: Sequence[tuple[str, str]] = ()
) -> bytes:
    """Return the request line and the headers. `keep`: send `Connection: keep-alive`. `more`: additional headers."""
    lines = [f"{method} {path_of(endpoint)} HTTP/1.1"]
    headers = headers_of(endpoint, agent, "keep-alive" if keep else "close")
    lines += [f"{name}: {value}" for name, value in (*headers.values(), *more)]
    try:
        return "\r\n".join([*lines, "", ""]).encode("latin-1")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"a request header contains {error.object[error.start]!r}, which HTTP does not allow"
        ) from error


def path_of(endpoint: Endpoint) -> str:
    parts = urlsplit(endpoint.url)
    return quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")


def headers_of(endpoint: Endpoint, agent: str, connection: str = "") -> dict[str, tuple[str, str]]:
    """Return the headers Host, User-Agent and Accept, and the headers of the target file. The key is the lower-case
    name.

    `connection`: the value of the header Connection. Empty: there is no such header.
    """
    headers = {"host": ("Host", host_of(endpoint)), "user-agent": ("User-Agent", agent), "accept": ("Accept", "*/*")}
    headers |= {name.lower(): (name, value) for name, value in endpoint.headers.items()}
    headers["connection"] = ("Connection", connection)
    if not connection:
        del headers["connection"]
    return headers


def host_of(endpoint: Endpoint) -> str:
    if endpoint.host_header:
        return endpoint.host_header
    try:
        return authority(urlsplit(endpoint.url).scheme, ascii_host(endpoint.host), endpoint.port)
    except UnicodeError as error:
        raise UsageError(f"{endpoint.host!r} is not a host name") from error
