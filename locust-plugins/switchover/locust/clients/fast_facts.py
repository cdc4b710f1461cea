"""The facts of one request of FastHttpUser, collected while it runs."""

from typing import Any

from switchover.locust.clients.fast_connections import connecting_since
from switchover.locust.clients.resends import RESENDS, sends_since
from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.model.identity import HeaderValue

_NO_LEGS: list[Leg] = []
"""Shared by all requests without a redirect; never filled."""


class FastFacts(RequestFacts):
    """Made without a call of its constructor: values that nearly every request has stay on the class."""

    legs = _NO_LEGS
    stream = "kept"
    connecting = False
    """It ended without a connection."""
    _leg_start_us = 0
    """0 on the first leg, whose start is the sample's."""
    _redirect: Leg | None = None
    """The last answer, if it was a redirect: a leg as soon as it is followed."""
    _lost = 0
    """How often this leg was sent before and brought no answer."""

    def go_on(self, start_ns: int) -> None:
        """The request goes out again: to where a redirect points, or because the user wants retries."""
        if self._redirect is not None:
            self._follow()
            self._leg_start_us = RUN_CLOCK.at(start_ns)
            self._lost = 0
        self.stream = "kept"
        self.attempts = 1
        self.connect_us = 0
        self.connecting = False

    def note_connection(self, since_ns: int) -> None:
        """A connection was made meanwhile, perhaps for this request."""
        made = connecting_since(since_ns)
        if made is None:
            return
        self.stream = "fresh"
        if made.end_ns:
            self.connect_us = RUN_CLOCK.at(made.end_ns) - self.start_us
        else:
            self.connecting = True

    def note_attempts(self, since_ns: int) -> None:
        """Note how often it was sent before the answer came."""
        self.attempts = self._lost + (sends_since(since_ns) if RESENDS.counted else 1)
        self.sent_bytes *= self.attempts

    def note_redirect(self, request: Any, answer: Any) -> None:
        """Note a redirect before it is known whether it is followed."""
        since_us = self._leg_start_us or self.start_us
        earlier_us = since_us - self.start_us
        self._redirect = Leg(
            start_us=since_us,
            end_us=self.end_us,
            status=answer.get_code(),
            url=request.url,
            headers=_headers(answer),
            nbytes=len(answer._body_buffer),
            sent_bytes=self.sent_bytes,
            latency_us=self.latency_us - earlier_us,
            connect_us=self.connect_us - earlier_us if self.connect_us else 0,
            stream=self.stream,
            attempts=self.attempts,
        )

    def leave_redirect(self) -> None:
        """The last answer was a redirect that could not be followed, so nothing was sent after it."""
        if self._redirect is None:
            return
        self._follow()
        self.attempts = self.sent_bytes = self.latency_us = self.connect_us = 0
        self.stream = ""

    def end_without_answer(self, agent: Any, request: Any, since_ns: int) -> None:
        self.end_us = RUN_CLOCK.now()
        self.latency_us = 0
        self.note_connection(since_ns)
        self._lost += sends_since(since_ns) if RESENDS.counted else not self.connecting
        self.attempts = self._lost
        self.sent_bytes = self._lost * _request_length(agent, request) if self._lost else 0

    def _follow(self) -> None:
        assert self._redirect is not None
        self.legs = [*self.legs, self._redirect]
        self._redirect = None


def body_length(body: Any) -> int:
    """The length in bytes; 0 for a stream, whose length is unknown before it is sent."""
    try:
        return len(body.encode() if isinstance(body, str) else body)
    except TypeError:
        return 0


def _request_length(agent: Any, request: Any) -> int:
    """The length of the head and body that were sent; made anew, for only an answer has the bytes."""
    try:
        client = agent.clientpool.get_client(request.url_split)
        head = client._build_request(
            request.method, request.url_split.quoted_uri, body=request.payload, headers=request.headers
        )
    except Exception:
        return 0
    return len(head) + body_length(request.payload)


def _headers(answer: Any) -> dict[str, HeaderValue]:
    return {name: answer[name] for name, _ in answer.items()}
