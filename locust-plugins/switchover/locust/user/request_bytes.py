"""Build the bytes of a request: head and body. Equal parts of requests are built only once."""

import functools
import json as json_format
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from switchover import __version__
from switchover.locust.recording.attribution import remember
from switchover.locust.user.answer import ACCEPTED
from switchover.locust.user.origin import ParsedUrl, parse_url

USER_AGENT = f"switchover/{__version__}"
REMEMBERED_LIMIT = 4096
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
"""The methods that send `Content-Length: 0` if the body is empty (RFC 9110 section 8.6)."""

PUBLIC_HEADERS = frozenset(
    {
        *("host", "connection", "user-agent", "accept", "accept-encoding", "accept-language", "accept-charset"),
        *("cache-control", "pragma", "range", "content-type", "content-language", "content-encoding"),
        *("if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"),
    }
)
"""The headers that are also sent after a redirect to a different origin. All other headers may be secret."""

Credentials = tuple[str, str]
HeaderItems = tuple[tuple[str, str | None], ...]

_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[^\x00\r\n]*")


class PreparedRequest:
    """A request without the cookies and the body."""

    __slots__ = ("has_content_type", "has_cookies", "head", "method", "parsed_url", "url", "whole")

    def __init__(self, method: str, parsed_url: ParsedUrl, lines: bytes, names: frozenset[str]) -> None:
        self.method = method
        self.parsed_url = parsed_url
        self.url = parsed_url.url
        self.head = lines
        self.whole = lines + (b"Content-Length: 0\r\n\r\n" if method in WITH_BODY else b"\r\n")
        """The bytes of the complete request without cookies and without a body."""
        self.has_content_type = "content-type" in names
        self.has_cookies = "cookie" in names
        """True if the headers contain a Cookie header, which replaces the cookies of the jar."""

    def bytes_with(self, cookies: bytes, body: bytes | None, content_type: str | None) -> bytes:
        """Return the whole request. `cookies`: the line of the Cookie header, or empty."""
        if body is None:
            return b"".join((self.head, cookies, self.whole[len(self.head) :]))
        lines = f"Content-Length: {len(body)}\r\n"
        if content_type and not self.has_content_type:
            lines += f"Content-Type: {content_type}\r\n"
        return b"".join((self.head, cookies, lines.encode("ascii"), b"\r\n", body))


class RequestBuilder:
    """Builds the requests of all users that have the same base URL and the same headers."""

    def __init__(self, base_url: str, headers: HeaderItems, keep: bool) -> None:
        self._base_url = base_url
        own: dict[str, tuple[str, str | None]] = {
            "user-agent": ("User-Agent", USER_AGENT),
            "accept": ("Accept", "*/*"),
            "accept-encoding": ("Accept-Encoding", ACCEPTED),
        }
        self._own = _merged(own, headers)
        self._connection = ("Connection", "keep-alive" if keep else "close")
        self.known: dict[object, PreparedRequest] = {}
        """The prepared requests. The key of a request without additional headers and credentials is (method,
        path)."""

    def prepare(
        self, method: str, path: str, params: Any, headers: Mapping[str, Any] | None, auth: Credentials | None
    ) -> PreparedRequest:
        """Prepare a request. Raises ValueError or TypeError for values that HTTP does not allow."""
        if params:
            path = _with_query(path, params)
        items = tuple((headers or {}).items())
        key = (method, path, items, auth) if items or auth else (method, path)
        prepared = self.known.get(key)
        if prepared is None:
            parsed_url = parse_url(path if _ABSOLUTE.match(path) else self._base_url + path)
            prepared = self.request_to(method, parsed_url, items, auth, valid=True)
            remember(self.known, key, prepared, REMEMBERED_LIMIT)
        return prepared

    def request_to(
        self, method: str, parsed_url: ParsedUrl, headers: HeaderItems, auth: Credentials | None, *, valid: bool
    ) -> PreparedRequest:
        """Prepare a request. `valid`: True if the server may receive credentials and headers with secrets."""
        if not _TOKEN.fullmatch(method):
            raise ValueError(f"{method!r} is not an HTTP method")
        lines = {"host": ("Host", parsed_url.origin.authority), "connection": self._connection}
        merged = _merged(_merged(lines, tuple(self._own.values())), headers)
        if auth and valid:
            merged["authorization"] = ("Authorization", basic(auth))
        if not valid:
            merged = {name: line for name, line in merged.items() if name in PUBLIC_HEADERS}
        start = f"{method} {parsed_url.target} HTTP/1.1\r\n".encode("ascii")
        head = start + b"".join(header_line(*line) for line in merged.values())
        return PreparedRequest(method, parsed_url, head, frozenset(merged))


shared_builder = functools.cache(RequestBuilder)


def basic(credentials: Credentials) -> str:
    """Return the value of the Authorization header (RFC 7617), encoded like in the library requests and
    FastHttpUser."""
    return f"Basic {b64encode(':'.join(credentials).encode('latin-1')).decode('ascii')}"


def _with_query(path: str, params: Any) -> str:
    path = path.partition("#")[0]
    query = params.decode() if isinstance(params, bytes) else params
    if not isinstance(query, str):
        query = _query_of(params)
    return f"{path}{'&' if '?' in path else '?'}{query}" if query else path


def _query_of(values: Any) -> str:
    pairs = values.items() if isinstance(values, Mapping) else values
    return urlencode([(key, value) for key, value in pairs if value is not None], doseq=True)


def _merged(known: dict[str, tuple[str, Any]], headers: HeaderItems) -> dict[str, tuple[str, Any]]:
    """Return the headers `known`, updated with `headers`. The value None removes a header."""
    merged = dict(known)
    for name, value in headers:
        if value is None:
            merged.pop(name.lower(), None)
        else:
            merged[name.lower()] = (name, value)
    return merged


def header_line(name: str, value: str) -> bytes:
    """Return a header line. Raises ValueError or TypeError for values that HTTP does not allow."""
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is not a header name")
    if not isinstance(value, str):
        raise TypeError(f"the header {name} is {type(value).__name__}, but must be str")
    if not _VALUE.fullmatch(value):
        raise ValueError(f"the header {name} contains a line end")
    try:
        raw = value.encode("latin-1")
    except UnicodeEncodeError:
        raw = value.encode()
    return b"%s: %s\r\n" % (name.encode("ascii"), raw.strip())


JSON = "application/json"


def encode_body(data: Any, json: Any) -> tuple[bytes | None, str | None]:
    """Return the body and its content type, if there are any. Raises TypeError or ValueError."""
    if data is None:
        return (None, None) if json is None else (json_format.dumps(json, allow_nan=False).encode(), JSON)
    if isinstance(data, bytes | bytearray | str):
        return data.encode() if isinstance(data, str) else bytes(data), None
    if isinstance(data, Mapping | list | tuple):
        return _query_of(data).encode(), "application/x-www-form-urlencoded"
    raise TypeError(f"data is {type(data).__name__}: use bytes, str, a dict or a list of pairs")
