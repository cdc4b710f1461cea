"""Instrument HttpUser's client (the library requests), so that the recorder has the facts of each request.

The hooks replace functions of urllib3's connections, so they also work with a pool manager or adapter of the user.
For an adapter that does not use urllib3, only start, end and outcome are recorded. The hooks have an effect only on
requests of a Locust session.
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
from switchover.locust.clients.unreported import Hook, begin_request, replace_all, report_abandoned
from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.open_requests import OPEN
from switchover.locust.recording.request_facts import RUN_CLOCK, Leg, RequestFacts, leg_of

EXCHANGE = "switchover_http_exchange"
"""The attribute of a greenlet that contains the exchange of the greenlet's current request."""
_NO_LEGS: list[Leg] = []
"""An empty list that all requests without a redirect share. Nothing is ever added to this list."""


class HttpExchange(RequestFacts):
    """The facts of a request. Usual values are class attributes, so that no constructor call is needed.

    All attributes except the start and the legs describe the current leg. Durations are measured from the start of
    the sample.
    """

    legs = _NO_LEGS
    stream = "kept"
    answer: Any = None
    """urllib3's response. The headers of the response are complete, but the body may be incomplete."""
    answered_ns = 0
    """The monotonic time at which the headers of `answer` were complete."""
    sock: Any = None
    """The last socket on which bytes were sent. A request is sent only once on each socket."""
    sends = 0
    _connecting = False
    _watched = False
    """True if an instrumented connection was used, even if nothing was sent on it."""
    _leg_start_us = 0
    """The start of the current leg; 0 on the first leg, because the first leg starts with the sample."""

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
        """Count a complete or partial send of the request, if there is a connection."""
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
    """The client returned an interim answer (RFC 9110 section 15.2) as the final answer of the request.

    The client would then read the final answer as the answer of the next request on the connection.
    """


def watch_headers(original: Hook) -> Hook:
    """Record the time of the first header, and refuse truncated headers, for requests of a Locust session."""
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


def install() -> str | None:
    """Replace all hooked functions. If this client version lacks a function, replace none. Returns the missing
    functions, or None."""
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


def _watch_connecting(original: Hook) -> Hook:
    def connect(connection: Any) -> None:
        exchange = getattr(getcurrent(), EXCHANGE, None)
        if exchange is not None:
            exchange.begin_connecting()
        original(connection)
        if exchange is not None:
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
                exchange.begin_sending(sock)
        exchange.sent_bytes += len(data)

    return send


def _watch_answer(original: Hook) -> Hook:
    def getresponse(connection: Any) -> Any:
        exchange = getattr(getcurrent(), EXCHANGE, None)
        if exchange is None:
            return original(connection)
        answer = original(connection)
        if SWITCHING_PROTOCOLS < answer.status < OK:
            raise InterimAnswerError("Python's HTTP client does not support interim answers other than 100")
        exchange.answer = answer
        exchange.answered_ns = monotonic_ns()
        return answer

    return getresponse


_HOOKS: tuple[tuple[Any, str, Callable[[Hook], Hook]], ...] = (
    (HttpSession, "_send_request_safe_mode", _watch_request),
    (HTTPConnection, "connect", _watch_connecting),
    (HTTPSConnection, "connect", _watch_connecting),
    (HTTPConnection, "send", _watch_sending),
    (HTTPConnection, "getresponse", _watch_answer),
    (http.client, "_read_headers", watch_headers),
)
