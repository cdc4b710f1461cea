"""One request and its answer over one connection. The request is sent at most once, and all times are measured.

The end of a good answer is the time when its last byte arrived, according to the kernel's time stamp if possible. If
the server has closed an idle connection, the client detects this before it sends the request, and opens a new
connection.
"""

import os
import ssl
from time import monotonic_ns

from switchover.http.address import Peer
from switchover.http.answer import AnswerProgress
from switchover.locust.user.address_book import ADDRESSES
from switchover.locust.user.answer import Answer
from switchover.locust.user.connection import Connection
from switchover.locust.user.errors import RequestError
from switchover.locust.user.origin import Origin
from switchover.locust.user.settings import ClientSettings, Timeouts
from switchover.locust.user.tls import READ, WRITE, shared_context
from switchover.model.failure_kind import FailureKind, kind_of_os_error

IDLE_LIMIT = 6
"""The maximum number of idle connections of a user to one origin, as in browsers."""
ORIGINS_LIMIT = 100
"""The maximum number of origins with connections, because redirects may lead to any number of origins."""

_DONE, _BROKEN = AnswerProgress.DONE, AnswerProgress.BROKEN
_FALL_BACK = (FailureKind.REFUSED, FailureKind.UNREACHABLE, FailureKind.GENERATOR)
"""The failures after which the client tries the next address of the host name."""


class Exchange:
    """The times and the answer of one exchange, in ns of the monotonic clock; 0: the step was not reached."""

    error: RequestError | None = None
    connected_ns = 0
    """The time when a new connection became usable. On a kept connection, the start of the exchange."""
    first_ns = 0
    end_ns = 0
    sent_bytes = 0
    stream = "fresh"

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.start_ns = monotonic_ns()


class Exchanges:
    def __init__(self, settings: ClientSettings) -> None:
        self._keep = settings.connection == "kept"
        self._insecure, self._ca = settings.insecure, settings.ca
        self._idle: dict[Origin, list[Connection]] = {}

    def run(self, exchange: Exchange, origin: Origin, request: bytes, timeouts: Timeouts) -> None:
        """Send the request and receive the answer. After a failure, `error` of the exchange has the reason. If
        another exception ends the exchange, for example because the user was stopped, this exception is raised again.
        """
        answer = exchange.answer
        idle = self._idle.get(origin)
        if idle is None:
            if len(self._idle) >= ORIGINS_LIMIT:
                self.close()
            idle = self._idle[origin] = []
        connection = None
        try:
            while idle and connection is None:
                connection = idle.pop()
                if not connection.wake():
                    connection = None
            if connection is None:
                connection = self._connect(origin, exchange.start_ns + timeouts.connect_ns)
                connected_ns = monotonic_ns()
            else:
                exchange.stream = "kept"
                connected_ns = exchange.start_ns
            exchange.connected_ns = connected_ns
            deadline_ns = connected_ns + timeouts.read_ns
            early = _send(connection, request, exchange, deadline_ns)
            _receive(connection, exchange, early, deadline_ns)
        except BaseException as error:
            if connection is not None:
                connection.close(reset=True)
            answer.end()
            exchange.end_ns = monotonic_ns()
            if not isinstance(error, RequestError):
                raise
            # The traceback and the context of the exception would keep the objects of this request in memory.
            error.__traceback__ = error.__context__ = None
            exchange.error = error
        else:
            if self._keep and early is None and len(idle) < IDLE_LIMIT and answer.persistent:
                connection.idle = True
                idle.append(connection)
            else:
                # If the answer ends with the connection, the server has closed the connection first.
                connection.close(reset=answer.delimited)

    def close(self) -> None:
        for connections in self._idle.values():
            for connection in connections:
                connection.close(reset=False)
        self._idle.clear()

    def _connect(self, origin: Origin, deadline_ns: int) -> Connection:
        context = shared_context(self._ca, self._insecure) if origin.secure else None
        failure = None
        for peer in ADDRESSES.find(origin.host, origin.port, deadline_ns):
            try:
                return _open(origin.host, peer, context, deadline_ns)
            except OSError as error:
                kind, detail = kind_of_os_error(error, connecting=True), _detail(error)
                if kind not in _FALL_BACK:
                    raise RequestError(kind, detail) from None
                failure = failure or RequestError(kind, detail)
        raise failure or RequestError(FailureKind.DNS, "the host name has no address")


def _open(host: str, peer: Peer, context: ssl.SSLContext | None, deadline_ns: int) -> Connection:
    connection = Connection(peer)
    try:
        if not connection.establish(deadline_ns, host, context):
            raise RequestError(FailureKind.CONNECT_TIMEOUT, "no connection in time")
    except BaseException:
        connection.close(reset=True)
        raise
    return connection


def _send(connection: Connection, request: bytes, exchange: Exchange, deadline_ns: int) -> bytes | None:
    """Send the request. Returns the bytes that arrived before all of the request was sent. None: no bytes arrived."""
    rest: bytes | memoryview = request
    while True:
        try:
            sent = connection.send(rest)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            early = _received(connection, exchange) if exchange.sent_bytes else None
            if early:
                return early
            raise _failure(error) from None
        exchange.sent_bytes += sent
        if sent == len(rest):
            return None
        rest = memoryview(request)[exchange.sent_bytes :]
        if not sent:
            if not connection.wait(READ | WRITE, deadline_ns):
                raise RequestError(FailureKind.READ_TIMEOUT, "the server did not accept the request in time")
            early = _received(connection, exchange)
            if early is not None:
                return early


def _receive(connection: Connection, exchange: Exchange, data: bytes | None, deadline_ns: int) -> None:
    answer = exchange.answer
    while True:
        if data is None:
            in_time = connection.wait(READ, deadline_ns)
            data = _received(connection, exchange)
            # A busy process may read bytes only after the deadline, although the bytes arrived before.
            if not in_time and (data is None or connection.arrived_ns > deadline_ns):
                raise RequestError(FailureKind.READ_TIMEOUT, "no complete answer in time")
            if data is None:
                continue
        exchange.end_ns = connection.arrived_ns
        if data:
            if not exchange.first_ns:
                exchange.first_ns = exchange.end_ns
            progress = answer.feed(data)
        else:
            progress = answer.end()
        if progress is _DONE:
            return
        if progress is _BROKEN:
            raise RequestError(FailureKind.PROTOCOL, answer.violation)
        if not data:
            raise RequestError(FailureKind.TRUNCATED, f"closed {_where(exchange)}")
        if exchange.end_ns > deadline_ns:
            raise RequestError(FailureKind.READ_TIMEOUT, "no complete answer in time")
        data = _received(connection, exchange) if connection.pending else None


def _received(connection: Connection, exchange: Exchange) -> bytes | None:
    """Return the received bytes: empty at the end of the stream, None if no bytes have arrived."""
    try:
        return connection.receive(exchange.end_ns or exchange.connected_ns)
    except OSError as error:
        raise _failure(error) from None


def _failure(error: OSError) -> RequestError:
    if isinstance(error, ssl.SSLEOFError):
        return RequestError(FailureKind.TRUNCATED, "closed without TLS's close message")
    return RequestError(kind_of_os_error(error, connecting=False), _detail(error))


def _where(exchange: Exchange) -> str:
    if not exchange.first_ns:
        return "without an answer"
    return "in the headers" if exchange.answer.head is None else "in the body"


def _detail(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate not accepted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return (error.reason or "handshake failed").lower().replace("_", " ")
    return os.strerror(error.errno) if error.errno else str(error)
