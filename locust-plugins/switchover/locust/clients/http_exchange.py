"""The facts of one request of HttpUser, collected from what its connections do."""

from time import monotonic_ns
from typing import Any

from requests.exceptions import TooManyRedirects
from urllib3.connection import HTTPSConnection

from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.model.identity import HeaderValue

EXCHANGE = "switchover_http_exchange"
"""Where a greenlet keeps the exchange of its present request."""
_NO_LEGS: list[Leg] = []
"""Shared by all requests without a redirect; never filled."""


class HttpExchange(RequestFacts):
    """Made without a call of its constructor: values that nearly every request has stay on the class.

    All but the start and the legs are of the present leg; times are from the start of the sample.
    """

    legs = _NO_LEGS
    stream = "kept"
    answer: Any = None
    """urllib3's, with its headers complete and its body perhaps not."""
    answered_ns = 0
    """When its headers were complete, by the monotonic clock."""
    connection: Any = None
    """The last one that was asked to send something, and its socket: on that the request is sent once."""
    sock: Any = None
    head: Any = None
    """What was sent first on that socket."""
    sends = 0
    _connecting = False
    _watched = False
    """A connection of ours was used, though nothing may have been sent."""
    _leg_start_us = 0
    """0 on the first leg, whose start is the sample's."""

    def begin_connecting(self) -> None:
        if self.answer is not None:
            self.leave_answer()
        self._watched = self._connecting = True
        self.stream = "fresh"
        self.connect_us = 0

    def connected(self) -> None:
        self._connecting = False
        self.connect_us = RUN_CLOCK.now() - self.start_us

    def begin_sending(self, connection: Any, sock: Any, head: Any) -> None:
        """The request is on its way, whole or in part, unless there never was a connection."""
        if sock is not None and not self._connecting:
            self.connection = connection
            self.sock = sock
            self.head = head
            self.sends += 1

    def end(self, error: BaseException | None) -> None:
        """Note the end of the request."""
        self.end_us = (monotonic_ns() + RUN_CLOCK.anchor_ns) // 1000
        if error is not None:
            if isinstance(error, TooManyRedirects) and self.answer is not None:
                self.leave_answer()
            self.kind = kind_in_phase(error, connecting=self._connecting)
        sends = self.sends
        if sends != 1:
            self._note_sends(sends)
        # Facts live longer than the answer may.
        self.answer = self.connection = self.sock = self.head = None

    def leave_answer(self) -> None:
        """Make a leg of the answer, because another request follows it."""
        answer = self.answer
        start_us = self._leg_start_us or self.start_us
        earlier_us = start_us - self.start_us
        leg = Leg(
            start_us=start_us,
            end_us=RUN_CLOCK.at(self.answered_ns),
            status=answer.status,
            url=_url(self.connection, self.head),
            headers=_headers(answer),
            nbytes=answer.tell(),
            sent_bytes=self.sent_bytes,
            latency_us=self.latency_us - earlier_us if self.latency_us else 0,
            connect_us=self.connect_us - earlier_us if self.connect_us else 0,
            stream=self.stream,
            attempts=self.sends,
        )
        self.legs = [*self.legs, leg]
        self._leg_start_us = RUN_CLOCK.now()
        self._watched = True
        self._connecting = False
        self.stream = "kept"
        self.answer = self.connection = self.sock = self.head = None
        self.sends = self.sent_bytes = self.latency_us = self.connect_us = 0

    def _note_sends(self, sends: int) -> None:
        if sends or self._watched:
            self.attempts = sends
        if not sends and self.stream == "kept":
            self.stream = ""


def _url(connection: Any, head: Any) -> str:
    """The URL from the request line: urllib3's own changes when it tries again."""
    words = head.split(b" ", 2) if isinstance(head, bytes) else []
    target = words[1].decode("latin-1") if len(words) == 3 else ""
    if connection is None or not target.startswith("/"):
        return target
    secure = isinstance(connection, HTTPSConnection)
    host = f"[{connection.host}]" if ":" in connection.host else connection.host
    port = "" if connection.port == (443 if secure else 80) else f":{connection.port}"
    return f"{'https' if secure else 'http'}://{host}{port}{target}"


def _headers(answer: Any) -> dict[str, HeaderValue]:
    """A repeated header is a list."""
    found: dict[str, HeaderValue] = {}
    for name in answer.headers:
        values = answer.headers.getlist(name)
        found[name] = values[0] if len(values) == 1 else values
    return found
