"""HttpUser's client, requests, watched so that the recorder has the facts of each request.

The hooks are on urllib3's connections, so that they hold for a user's own pool manager and adapters too; an adapter
without urllib3 is recorded by start, end and outcome alone. They do nothing but for a request of a Locust session.
"""

import http.client
from collections.abc import Callable
from http.client import OK, SWITCHING_PROTOCOLS, BadStatusLine, HTTPException, RemoteDisconnected
from time import monotonic_ns
from typing import Any

from gevent import getcurrent
from locust.clients import HttpSession
from requests import Response
from urllib3.connection import HTTPConnection, HTTPSConnection

from switchover.locust.clients import timeouts
from switchover.locust.clients.http_exchange import EXCHANGE, HttpExchange
from switchover.locust.clients.replacing import Hook, replace
from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.clients.unreported import begin_request, report_abandoned
from switchover.locust.recording.open_requests import OPEN

INTERIM_ANSWERS = 100
"""Before one answer at most, as many as headers in it (http.client)."""


class TruncatedHeadersError(HTTPException):
    """The connection was closed in the middle of the headers of an answer."""


def watch_headers(original: Hook) -> Hook:
    """Note when the headers begin, and refuse cut ones; only for requests of a Locust session."""
    clock = RUN_CLOCK

    def _read_headers(source: Any, *limits: int) -> Any:
        exchange = getattr(getcurrent(), EXCHANGE, None)
        if exchange is None:
            return original(source, *limits)
        exchange.latency_us = (monotonic_ns() + clock.anchor_ns) // 1000 - exchange.start_us
        lines = original(source, *limits)
        if not lines[-1]:
            raise TruncatedHeadersError("connection closed in the middle of the headers")
        return lines

    return _read_headers


def skip_interim_answers(original: Hook) -> Hook:
    """Go on to the answer that counts. Python's client, which knows 100 alone, takes a 103 before a 200 for the
    answer, and the 200 for that of the next request (RFC 9110 section 15.2)."""

    def _read_status(answer: Any) -> Any:
        line = original(answer)
        if getattr(getcurrent(), EXCHANGE, None) is None:
            return line
        for _ in range(INTERIM_ANSWERS):
            if not SWITCHING_PROTOCOLS < line[1] < OK:
                return line
            http.client._read_headers(answer.fp)  # type: ignore[attr-defined]
            line = original(answer)
        raise HTTPException(f"more than {INTERIM_ANSWERS} interim answers")

    return _read_status


def is_cut(error: BadStatusLine) -> bool:
    """Whether a bad status line is the beginning of one."""
    return not isinstance(error, RemoteDisconnected) and not str(error).endswith("\n")


class HttpConnections:
    """The connections of this process through urllib3."""

    __slots__ = ("replaced",)

    def __init__(self) -> None:
        self.replaced = 0
        """Kept ones that were found dead and silently replaced."""


CONNECTIONS = HttpConnections()


def install() -> str | None:
    """Replace what has to be replaced, all of it or nothing; returns what this version of the client lacks."""
    names = [(owner, name) for owner, name, _ in _HOOKS] + [(HTTPConnection, "is_connected")]
    missing = [f"{owner.__name__}.{name}" for owner, name in names if not hasattr(owner, name)]
    if missing:
        return f"it has no {', '.join(missing)}"
    if HTTPConnection.response_class is not http.client.HTTPResponse:
        return "it has a response_class of its own"
    for owner, name, make in _HOOKS:
        replace(owner, name, make)
    _watch_reconnects()
    return None


def _current() -> HttpExchange | None:
    return getattr(getcurrent(), EXCHANGE, None)


def _watch_request(original: Hook) -> Hook:
    new, clock = HttpExchange.__new__, RUN_CLOCK

    def _send_request_safe_mode(session: Any, method: Any, url: Any, **kwargs: Any) -> Any:
        if kwargs.get("timeout") is None:
            timeouts.supply_timeout(session, url, kwargs)
        greenlet = getcurrent()
        exchange = greenlet.switchover_http_exchange = new(HttpExchange)
        exchange.start_us = (monotonic_ns() + clock.anchor_ns) // 1000
        begin_request(exchange, method, url)
        try:
            response = original(session, method, url, **kwargs)
        except BaseException as error:
            sent = exchange.sends > 0
            exchange.end(None)
            if sent or not isinstance(error, Exception):
                report_abandoned(exchange, str(method), str(url), error)
            else:
                OPEN.close(exchange)
            raise
        finally:
            greenlet.switchover_http_exchange = None
        exchange.end(None if type(response) is Response else getattr(response, "error", None))
        response.switchover_facts = exchange
        return response

    return _send_request_safe_mode


def _watch_connecting(original: Hook) -> Hook:
    def connect(connection: Any) -> None:
        exchange = _current()
        if exchange is None:
            original(connection)
            return
        exchange.begin_connecting()
        original(connection)
        exchange.connected()

    return connect


def _watch_sending(original: Hook) -> Hook:
    def send(connection: Any, data: Any) -> None:
        exchange = getattr(getcurrent(), EXCHANGE, None)
        if exchange is None:
            original(connection, data)
            return
        if exchange.answer is not None:
            exchange.leave_answer()
        try:
            original(connection, data)
        finally:
            sock = connection.sock
            if sock is not exchange.sock:
                exchange.begin_sending(connection, sock, data)
        exchange.sent_bytes += len(data)

    return send


def _watch_answer(original: Hook) -> Hook:
    def getresponse(connection: Any) -> Any:
        exchange = getattr(getcurrent(), EXCHANGE, None)
        if exchange is None:
            return original(connection)
        try:
            answer = exchange.answer = original(connection)
        except http.client.BadStatusLine as error:
            if not is_cut(error):
                raise
            exchange.latency_us = RUN_CLOCK.now() - exchange.start_us
            raise TruncatedHeadersError("connection closed in the middle of the status line") from error
        exchange.answered_ns = monotonic_ns()
        return answer

    return getresponse


def _watch_reconnects() -> None:
    """urllib3 asks a kept connection whether it still stands, and connects again without a word if it does not."""
    original: Any = HTTPConnection.is_connected
    ask = original.fget

    def is_connected(connection: HTTPConnection) -> bool:
        connected: bool = ask(connection)
        if not connected and connection.sock is not None and _current() is not None:
            CONNECTIONS.replaced += 1
        return connected

    setattr(HTTPConnection, "is_connected", property(is_connected))  # noqa: B010 - for mypy, a method


_HOOKS: tuple[tuple[Any, str, Callable[[Hook], Hook]], ...] = (
    (HttpSession, "_send_request_safe_mode", _watch_request),
    (HTTPConnection, "connect", _watch_connecting),
    (HTTPSConnection, "connect", _watch_connecting),
    (HTTPConnection, "send", _watch_sending),
    (HTTPConnection, "getresponse", _watch_answer),
    (http.client, "_read_headers", watch_headers),
    (http.client.HTTPResponse, "_read_status", skip_interim_answers),
)
