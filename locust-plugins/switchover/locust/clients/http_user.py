"""Instrument HttpUser's client (the library requests), so that the recorder has the facts of each request.

The hooks replace functions of urllib3's connections, but have an effect only on requests of a Locust session. For an
adapter that does not use urllib3, only start, end and outcome are recorded.
"""

import http.client
from collections.abc import Callable
from http.client import OK, SWITCHING_PROTOCOLS, HTTPException
from time import monotonic_ns
from typing import Any

from gevent import getcurrent
from locust.clients import HttpSession
from requests import Response
from requests.exceptions import TooManyRedirects
from urllib3.connection import HTTPConnection, HTTPSConnection

from switchover.locust.clients import timeouts
from switchover.locust.clients.unreported import Hook, Hooks, begin_request, replace_all, report_abandoned
from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.open_requests import OPEN
from switchover.locust.recording.request_facts import RUN_CLOCK, InstrumentedFacts, leg_of

EXCHANGE = "switchover_http_exchange"


class HttpExchange(InstrumentedFacts):
    """The facts of a request. All attributes except the start and the legs describe the current leg (redirect
    step)."""

    answer: Any = None
    """urllib3's response. Its headers are complete, but the body may be incomplete."""
    answered_ns = 0
    sock: Any = None
    """The last socket on which bytes were sent. If the client sends the request again, it uses another socket."""
    sends = 0
    _connecting = False
    _watched = False
    """True if the request used an instrumented connection, even if no byte was sent on this connection."""

    def begin_connecting(self) -> None:
        if self.answer is not None:
            self.leave_answer()
        self._watched = self._connecting = True
        self.stream = "fresh"
        self.connect_us = 0

    def connected(self) -> None:
        self._connecting = False
        self.connect_us = RUN_CLOCK.now() - self.start_us

    def begin_sending(self, sock: Any) -> None:
        if sock is not None and not self._connecting:
            self.sock = sock
            self.sends += 1

    def end(self, error: BaseException | None) -> None:
        self.end_us = (monotonic_ns() + RUN_CLOCK.anchor_ns) // 1000
        if error is not None:
            if isinstance(error, TooManyRedirects) and self.answer is not None:
                self.leave_answer()
            self.kind = kind_in_phase(error, connecting=self._connecting)
        sends = self.sends
        if sends != 1:
            self._note_sends(sends)
        # The facts exist longer than the answer, so they must not refer to the answer.
        self.answer = self.sock = None

    def leave_answer(self) -> None:
        answer = self.answer
        self.attempts = self.sends
        start_us, end_us = self._leg_start_us or self.start_us, RUN_CLOCK.at(self.answered_ns)
        leg = leg_of(self, start_us, end_us, status=answer.status, headers=answer.headers, nbytes=answer.tell())
        self.legs = [*self.legs, leg]
        self._leg_start_us = RUN_CLOCK.now()
        self._watched = True
        self._connecting = False
        self.stream = "kept"
        self.answer = self.sock = None
        self.attempts = 1
        self.sends = self.sent_bytes = self.latency_us = self.connect_us = 0

    def _note_sends(self, sends: int) -> None:
        if sends or self._watched:
            self.attempts = sends
        if not sends and self.stream == "kept":
            self.stream = ""


class TruncatedHeadersError(HTTPException):
    """The connection was closed in the middle of the headers of an answer."""


class InterimAnswerError(HTTPException):
    """The client returned an interim (1xx) answer, so the final answer would be read as the answer to the next
    request."""


def install() -> str | None:
    """Replace all hooked functions, or none. Returns None, or the reason why the functions cannot be replaced."""
    if HTTPConnection.response_class is not http.client.HTTPResponse:
        return "it has its own response_class"
    return replace_all(_HOOKS)


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


def _within_exchange(act: Hook) -> Callable[[Hook], Hook]:
    """Make a hook that calls `act(exchange, original, ...)` during requests of a Locust session, and otherwise
    `original`."""

    def make(original: Hook) -> Hook:
        def hooked(*arguments: Any) -> Any:
            exchange = getattr(getcurrent(), EXCHANGE, None)
            return original(*arguments) if exchange is None else act(exchange, original, *arguments)

        return hooked

    return make


def _connect(exchange: HttpExchange, original: Hook, connection: Any) -> None:
    exchange.begin_connecting()
    original(connection)
    exchange.connected()


def _send(exchange: HttpExchange, original: Hook, connection: Any, data: Any) -> None:
    if exchange.answer is not None:
        exchange.leave_answer()
    try:
        original(connection, data)
    finally:
        sock = connection.sock
        if sock is not exchange.sock:
            exchange.begin_sending(sock)
    exchange.sent_bytes += len(data)


def _get_response(exchange: HttpExchange, original: Hook, connection: Any) -> Any:
    answer = original(connection)
    if SWITCHING_PROTOCOLS < answer.status < OK:
        raise InterimAnswerError("Python's HTTP client does not support interim answers other than 100")
    exchange.answer = answer
    exchange.answered_ns = monotonic_ns()
    return answer


def _read_headers(exchange: HttpExchange, original: Hook, source: Any, *limits: int) -> Any:
    """Record the time after the status line, and refuse truncated headers."""
    exchange.latency_us = RUN_CLOCK.now() - exchange.start_us
    lines = original(source, *limits)
    if not lines[-1]:
        raise TruncatedHeadersError("connection closed in the middle of the headers")
    return lines


_HOOKS: Hooks = (
    (HttpSession, "_send_request_safe_mode", _watch_request),
    (HTTPConnection, "connect", _within_exchange(_connect)),
    (HTTPSConnection, "connect", _within_exchange(_connect)),
    (HTTPConnection, "send", _within_exchange(_send)),
    (HTTPConnection, "getresponse", _within_exchange(_get_response)),
    (http.client, "_read_headers", _within_exchange(_read_headers)),
)
