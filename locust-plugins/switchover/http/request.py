"""Build the request line and headers (RFC 9112) for the endpoint of a target file."""

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from switchover.model.errors import UsageError
from switchover.target.model import Endpoint

_SAFE = "%/:=&?~#+!$,;'@()*[]"


def request_head(
    endpoint: Endpoint, *, agent: str, keep: bool, method: str = "GET", more: Sequence[tuple[str, str]] = ()
) -> bytes:
    """Return all bytes before the body. `keep`: send `Connection: keep-alive`. `more`: additional headers."""
    lines = [f"{method} {path_of(endpoint)} HTTP/1.1"]
    headers = headers_of(endpoint, agent, "keep-alive" if keep else "close")
    lines += [f"{name}: {value}" for name, value in (*headers, *more)]
    return _encoded("\r\n".join([*lines, "", ""]))


def path_of(endpoint: Endpoint) -> str:
    """Return path and query of the URL for the request line."""
    parts = urlsplit(endpoint.url)
    return quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")


def headers_of(endpoint: Endpoint, agent: str, connection: str = "") -> list[tuple[str, str]]:
    """Return the headers Host, User-Agent and Accept, and the headers of the target file. `connection`: the value of
    the Connection header. Empty: the request has no Connection header."""
    headers = {
        "host": ("Host", endpoint.host_header or authority(endpoint)),
        "user-agent": ("User-Agent", agent),
        "accept": ("Accept", "*/*"),
    }
    for name, value in endpoint.headers.items():
        headers[name.lower()] = (name, value)
    headers["connection"] = ("Connection", connection)
    return [(name, value) for name, value in headers.values() if value or name != "Connection"]


def authority(endpoint: Endpoint) -> str:
    """Return host and port for the Host header, without a default port. An IPv6 address is in brackets. A name is in
    ASCII."""
    host = endpoint.host
    if ":" in host:
        host = f"[{host.partition('%')[0]}]"
    else:
        try:
            host = host.encode("ascii").decode() if host.isascii() else host.encode("idna").decode()
        except UnicodeError as error:
            raise UsageError(f"{endpoint.host!r} is not a host name") from error
    default = 443 if urlsplit(endpoint.url).scheme == "https" else 80
    return host if endpoint.port == default else f"{host}:{endpoint.port}"


def _encoded(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as error:
        raise UsageError(f"a request header holds {error.object[error.start]!r}, which HTTP cannot carry") from error
