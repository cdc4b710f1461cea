"""The `FailureKind` of a failed request of any Python client, from the type of its exception and the phase.

Clients wrap an error in further exceptions, sometimes several times, and some kinds differ only by message. So the
search goes from the outermost exception inwards until a type decides. Types are matched by name, so no client has to
be imported or installed.
"""

import errno
from collections.abc import Callable, Iterator

from switchover.locust.recording.request_facts import FACTS, RequestFacts
from switchover.model.failure_kind import FailureKind, kind_of_os_error

_DEPTH = 16
"""The most exceptions of a chain that are examined, because a chain may be a circle."""


def _by_phase(error: BaseException, connecting: bool) -> FailureKind:
    return FailureKind.CONNECT_TIMEOUT if connecting else FailureKind.READ_TIMEOUT


def _by_errno(error: BaseException, connecting: bool) -> FailureKind:
    assert isinstance(error, OSError)
    return kind_of_os_error(error, connecting=connecting)


def _by_end(error: BaseException, connecting: bool) -> FailureKind:
    """Tell FIN from RST. geventhttpclient raises one type for both; with RST its cause is the socket's error."""
    behind = error.__cause__ or error.__context__
    reset = isinstance(behind, ConnectionError) and behind.errno in (errno.ECONNRESET, errno.EPIPE)
    return FailureKind.RESET if reset else FailureKind.TRUNCATED


def _by_parser(error: BaseException, connecting: bool) -> FailureKind:
    """Read the parser's error number. Without one, or for a wrong end, the connection ended too early."""
    number = error.args[1] if len(error.args) > 1 else None
    return FailureKind.TRUNCATED if number in (None, _INVALID_EOF_STATE) else FailureKind.PROTOCOL


def _by_chunk(error: BaseException, connecting: bool) -> FailureKind:
    """Tell a connection that ends before a chunk's size from a size that is no number. urllib3 raises one type."""
    return FailureKind.PROTOCOL if getattr(error, "length", b"") else FailureKind.TRUNCATED


_INVALID_EOF_STATE = 14
"""HPE_INVALID_EOF_STATE of llhttp."""

_Rule = Callable[[BaseException, bool], FailureKind]

_KINDS: dict[str, FailureKind | _Rule] = {
    # Failed checks of the test.
    "builtins.AssertionError": FailureKind.ASSERTION,
    "locust.exception.CatchResponseError": FailureKind.ASSERTION,
    "locust.exception.ResponseError": FailureKind.ASSERTION,
    "requests.exceptions.InvalidJSONError": FailureKind.ASSERTION,
    # A complete answer of the wrong status.
    "geventhttpclient.useragent.BadStatusCode": FailureKind.STATUS,
    "locust.contrib.fasthttp.LocustBadStatusCode": FailureKind.STATUS,
    "requests.exceptions.HTTPError": FailureKind.STATUS,
    "requests.exceptions.RetryError": FailureKind.STATUS,
    "switchover.locust.user.errors.StatusError": FailureKind.STATUS,
    "urllib3.exceptions.ResponseError": FailureKind.STATUS,
    # Before there was a connection.
    "socket.gaierror": FailureKind.DNS,
    "socket.herror": FailureKind.DNS,
    "urllib3.exceptions.NameResolutionError": FailureKind.DNS,
    "ssl.SSLError": FailureKind.TLS,
    "requests.exceptions.SSLError": FailureKind.TLS,
    "urllib3.exceptions.SSLError": FailureKind.TLS,
    # Time-outs.
    "builtins.TimeoutError": _by_phase,
    "gevent.timeout.Timeout": _by_phase,
    "requests.exceptions.ConnectTimeout": FailureKind.CONNECT_TIMEOUT,
    "requests.exceptions.ReadTimeout": _by_phase,
    "urllib3.exceptions.ConnectTimeoutError": FailureKind.CONNECT_TIMEOUT,
    "urllib3.exceptions.ReadTimeoutError": _by_phase,
    # The connection ended before the answer did.
    "geventhttpclient.response.HTTPConnectionClosed": _by_end,
    "http.client.IncompleteRead": FailureKind.TRUNCATED,
    "http.client.RemoteDisconnected": FailureKind.TRUNCATED,
    "switchover.locust.clients.http_user.TruncatedHeadersError": FailureKind.TRUNCATED,
    "urllib3.exceptions.IncompleteRead": FailureKind.TRUNCATED,
    "urllib3.exceptions.InvalidChunkLength": _by_chunk,
    # The answer is no HTTP, or its redirect is invalid.
    "_parser.HTTPParseError": _by_parser,
    "geventhttpclient.response.HTTPProtocolViolationError": FailureKind.PROTOCOL,
    "geventhttpclient.useragent.UnsupportedRedirectSchemeError": FailureKind.PROTOCOL,
    "http.client.HTTPException": FailureKind.PROTOCOL,
    "requests.exceptions.ContentDecodingError": FailureKind.PROTOCOL,
    "requests.exceptions.TooManyRedirects": FailureKind.PROTOCOL,
    "urllib3.exceptions.DecodeError": FailureKind.PROTOCOL,
    "zlib.error": FailureKind.PROTOCOL,
    # The client's own limits.
    "builtins.MemoryError": FailureKind.GENERATOR,
    "urllib3.exceptions.PoolError": FailureKind.GENERATOR,
    # All other errors of a socket.
    "builtins.OSError": _by_errno,
}
"""Kinds by the nearest of the exception's base classes."""

_WRAPPERS: dict[str, FailureKind] = {
    "geventhttpclient.useragent.ConnectionError": FailureKind.PROTOCOL,
    "geventhttpclient.useragent.RetriesExceeded": FailureKind.PROTOCOL,
    "requests.exceptions.ChunkedEncodingError": FailureKind.TRUNCATED,
    "requests.exceptions.ConnectionError": FailureKind.RESET,
    "requests.exceptions.ProxyError": FailureKind.UNREACHABLE,
    "requests.exceptions.RequestException": FailureKind.PROTOCOL,
    "urllib3.exceptions.HTTPError": FailureKind.PROTOCOL,
    "urllib3.exceptions.MaxRetryError": FailureKind.RESET,
    "urllib3.exceptions.NewConnectionError": FailureKind.UNREACHABLE,
    "urllib3.exceptions.ProtocolError": FailureKind.TRUNCATED,
    "urllib3.exceptions.ProxyError": FailureKind.UNREACHABLE,
}
"""Exceptions that only carry another one, and the kind if they carry none."""

_CONNECTING = frozenset({"urllib3.exceptions.NewConnectionError", "urllib3.exceptions.ProxyError"})
"""Exceptions that prove that no connection stood."""


def kind_of(exception: BaseException, response: object | None = None) -> FailureKind:
    """Return the kind of the failure that a client reported with `exception`. Never raises.

    The phase comes from the facts on the response, if an instrumented client left some. An unknown exception is an
    assertion, because the test itself has raised it.
    """
    return kind_in_phase(exception, connecting=_never_sent(response))


def kind_in_phase(exception: BaseException, *, connecting: bool) -> FailureKind:
    """Return the kind of a failure, for a client that knows the phase of the failure."""
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


def _never_sent(response: object) -> bool:
    try:
        facts = getattr(response, FACTS, None)
    except Exception:
        return False
    return isinstance(facts, RequestFacts) and facts.attempts == 0


def _inwards(exception: BaseException) -> Iterator[BaseException]:
    found: list[BaseException] = [exception]
    for error in found:
        yield error
        carried = [getattr(error, name, None) for name in ("original", "reason", "original_error")]
        for inner in (*carried, *error.args, error.__cause__, error.__context__):
            if isinstance(inner, BaseException) and len(found) < _DEPTH and all(inner is not seen for seen in found):
                found.append(inner)
