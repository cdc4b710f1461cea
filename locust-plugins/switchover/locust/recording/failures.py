"""Find the `FailureKind` of a failed request of any Python client, from the type of the exception and the phase.

Clients wrap an error in further exceptions. The search begins at the outermost exception, and continues with the
wrapped exceptions until a type shows the kind. Types are compared by name, so no client has to be installed.
"""

import errno
from collections.abc import Callable, Iterator

from switchover.locust.recording.request_facts import facts_of
from switchover.model.failure_kind import FailureKind, kind_of_os_error

_DEPTH = 16
"""The maximum number of exceptions that are examined in one chain, because a chain may be circular."""


def _by_phase(error: BaseException, connecting: bool) -> FailureKind:
    return FailureKind.CONNECT_TIMEOUT if connecting else FailureKind.READ_TIMEOUT


def _by_errno(error: BaseException, connecting: bool) -> FailureKind:
    assert isinstance(error, OSError)
    return kind_of_os_error(error, connecting=connecting)


def _by_end(error: BaseException, connecting: bool) -> FailureKind:
    """Distinguish FIN from RST. geventhttpclient raises one type for both, but with a cause only after an RST."""
    behind = error.__cause__ or error.__context__
    reset = isinstance(behind, ConnectionError) and behind.errno in (errno.ECONNRESET, errno.EPIPE)
    return FailureKind.RESET if reset else FailureKind.TRUNCATED


def _by_parser(error: BaseException, connecting: bool) -> FailureKind:
    """Use the parser's error number to distinguish a connection that ended too early from other errors."""
    number = error.args[1] if len(error.args) > 1 else None
    return FailureKind.TRUNCATED if number in (None, _INVALID_EOF_STATE) else FailureKind.PROTOCOL


def _by_chunk(error: BaseException, connecting: bool) -> FailureKind:
    """Distinguish a connection that ended before the size of a chunk from an invalid size."""
    return FailureKind.PROTOCOL if getattr(error, "length", b"") else FailureKind.TRUNCATED


def _by_status_line(error: BaseException, connecting: bool) -> FailureKind:
    """Distinguish a truncated status line from an invalid status line."""
    return FailureKind.PROTOCOL if str(error).endswith("\n") else FailureKind.TRUNCATED


_INVALID_EOF_STATE = 14

_Rule = Callable[[BaseException, bool], FailureKind]

_OF_KIND: dict[FailureKind | _Rule, tuple[str, ...]] = {
    FailureKind.ASSERTION: (
        "builtins.AssertionError",
        "locust.exception.ResponseError",
        "requests.exceptions.InvalidJSONError",
    ),
    FailureKind.STATUS: (
        "geventhttpclient.useragent.BadStatusCode",
        "locust.contrib.fasthttp.LocustBadStatusCode",
        "requests.exceptions.HTTPError",
        "requests.exceptions.RetryError",
        "switchover.locust.user.errors.StatusError",
        "urllib3.exceptions.ResponseError",
    ),
    FailureKind.DNS: ("socket.gaierror", "socket.herror", "urllib3.exceptions.NameResolutionError"),
    FailureKind.TLS: ("ssl.SSLError", "requests.exceptions.SSLError", "urllib3.exceptions.SSLError"),
    FailureKind.CONNECT_TIMEOUT: (
        "requests.exceptions.ConnectTimeout",
        "urllib3.exceptions.ConnectTimeoutError",
    ),
    _by_phase: (
        "builtins.TimeoutError",
        "gevent.timeout.Timeout",
        "requests.exceptions.ReadTimeout",
        "urllib3.exceptions.ReadTimeoutError",
    ),
    _by_end: ("geventhttpclient.response.HTTPConnectionClosed",),
    FailureKind.TRUNCATED: (
        "http.client.IncompleteRead",
        "http.client.RemoteDisconnected",
        "switchover.locust.clients.http_user.TruncatedHeadersError",
        "urllib3.exceptions.IncompleteRead",
    ),
    _by_chunk: ("urllib3.exceptions.InvalidChunkLength",),
    _by_parser: ("_parser.HTTPParseError",),
    _by_status_line: ("http.client.BadStatusLine",),
    # The answer is not HTTP, or its redirect is invalid.
    FailureKind.PROTOCOL: (
        "geventhttpclient.response.HTTPProtocolViolationError",
        "geventhttpclient.useragent.UnsupportedRedirectSchemeError",
        "http.client.HTTPException",
        "requests.exceptions.ContentDecodingError",
        "requests.exceptions.TooManyRedirects",
        "urllib3.exceptions.DecodeError",
        "zlib.error",
    ),
    # A limit of the client was exceeded.
    FailureKind.GENERATOR: ("builtins.MemoryError", "urllib3.exceptions.PoolError"),
    _by_errno: ("builtins.OSError",),
}
_KINDS = {name: kind for kind, names in _OF_KIND.items() for name in names}
"""The kind of failure for each exception class. For an unlisted class, the nearest listed base class decides."""

_OF_EMPTY_WRAPPER: dict[FailureKind, tuple[str, ...]] = {
    FailureKind.PROTOCOL: (
        "geventhttpclient.useragent.ConnectionError",
        "geventhttpclient.useragent.RetriesExceeded",
        "requests.exceptions.RequestException",
        "urllib3.exceptions.HTTPError",
    ),
    FailureKind.TRUNCATED: ("requests.exceptions.ChunkedEncodingError", "urllib3.exceptions.ProtocolError"),
    FailureKind.RESET: ("requests.exceptions.ConnectionError", "urllib3.exceptions.MaxRetryError"),
    FailureKind.UNREACHABLE: (
        "requests.exceptions.ProxyError",
        "urllib3.exceptions.NewConnectionError",
        "urllib3.exceptions.ProxyError",
    ),
}
_WRAPPERS = {name: kind for kind, names in _OF_EMPTY_WRAPPER.items() for name in names}
"""The exceptions that usually wrap another exception, and the kind if such an exception wraps nothing."""

_CONNECTING = frozenset({"urllib3.exceptions.NewConnectionError", "urllib3.exceptions.ProxyError"})


def kind_of(exception: BaseException, response: object | None = None) -> FailureKind:
    """Return the kind of the failure that a client reported with `exception`. Never raises.

    An unknown exception counts as an assertion, because only the test can have raised the exception.
    """
    facts = facts_of(response)
    return kind_in_phase(exception, connecting=facts is not None and facts.attempts == 0)


def kind_in_phase(exception: BaseException, *, connecting: bool) -> FailureKind:
    otherwise = FailureKind.ASSERTION
    for error in _inwards(exception):
        names = [f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__]
        connecting = connecting or not _CONNECTING.isdisjoint(names)
        for name in names:
            if name in _WRAPPERS:
                otherwise = _WRAPPERS[name]
                break
            rule = _KINDS.get(name)
            if rule is not None:
                return rule if isinstance(rule, FailureKind) else rule(error, connecting)
    return otherwise


def _inwards(exception: BaseException) -> Iterator[BaseException]:
    seen = [exception]
    for error in seen:
        yield error
        carried = (getattr(error, name, None) for name in ("original", "reason", "original_error"))
        for inner in (*carried, *error.args, error.__cause__, error.__context__):
            if isinstance(inner, BaseException) and len(seen) < _DEPTH and all(inner is not known for known in seen):
                seen.append(inner)
