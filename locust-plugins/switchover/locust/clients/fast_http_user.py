"""FastHttpUser's client, geventhttpclient, instrumented so that the recorder has the facts of each request.

`LocustUserAgent._urlopen` sends each leg of a request, and each retry that the user sets with `max_retries`. The hook
of this function creates the facts. The request has the facts until a response exists. The hook runs for every request
on the core that makes the load, so expensive work is done only for unusual requests.

The latency ends with the complete headers, not with their first byte: a parser callback would cost too much.

Hidden resends are off. If a connection ends before the first byte of an answer, `HTTPClient.request` sends an
idempotent request again, up to `size + 1` times. `size` is the size of the connection pool. Locust's default makes 12
sends in all, for any `max_retries`. Nothing else reads a pool's `size` once the pool is made, so a pool with `size`
-1 never resends. This changes every geventhttpclient of the process.
"""

from collections.abc import Callable
from time import monotonic_ns
from typing import Any

from gevent import Timeout, getcurrent
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPSocketPoolResponse
from locust.contrib.fasthttp import ErrorResponse, FastRequest, FastResponse, LocustUserAgent

from switchover.locust.clients.unreported import Hook, begin_request, replace_all, report_abandoned
from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.request_facts import FACTS, RUN_CLOCK, Leg, RequestFacts, leg_of

NEVER = -1
REDIRECTED = "switchover_redirected"
"""The attribute of a greenlet with the facts of its last request that was answered by a redirect."""
CONNECTING = "switchover_connecting"
"""The attribute of a greenlet with its last `Connecting`."""
_REPORTED = (Exception, Timeout)
"""Errors that Locust reports or leaves to the test. All other errors end the user's greenlet."""
_NO_LEGS: list[Leg] = []
"""The list that all requests without a redirect share. It is never filled."""


class Connecting:
    """An attempt to open a new connection. Times are monotonic nanoseconds."""

    __slots__ = ("end_ns", "start_ns")

    tried = 0

    def __init__(self) -> None:
        Connecting.tried += 1
        self.start_ns = monotonic_ns()
        self.end_ns = 0
        """0 until the attempt has succeeded."""


class FastFacts(RequestFacts):
    """The facts of a request, made without a constructor call. Usual values are class attributes."""

    legs = _NO_LEGS
    stream = "kept"
    connecting = False
    """True if the attempt ended without a connection."""
    _leg_start_us = 0
    """0 on the first leg, which starts with the sample."""
    _redirect: Leg | None = None
    """The last answer, if it was a redirect. The redirect becomes a leg when it is followed."""
    _lost = 0

    def go_on(self, start_ns: int) -> None:
        """Prepare the facts for another send: a followed redirect, or a retry of the user."""
        if self._redirect is not None:
            self._follow()
            self._leg_start_us = RUN_CLOCK.at(start_ns)
            self._lost = 0
        self.stream = "kept"
        self.attempts = 1
        self.connect_us = 0
        self.connecting = False

    def note_connection(self, since_ns: int) -> None:
        """Note a connection that this greenlet began to open at or after `since_ns`."""
        made = getattr(getcurrent(), CONNECTING, None)
        if made is None or made.start_ns < since_ns:
            return
        self.stream = "fresh"
        if made.end_ns:
            self.connect_us = RUN_CLOCK.at(made.end_ns) - self.start_us
        else:
            self.connecting = True

    def note_redirect(self, answer: Any) -> None:
        """Note a redirect, which may or may not be followed."""
        self._redirect = leg_of(
            self,
            self._leg_start_us or self.start_us,
            self.end_us,
            status=answer.get_code(),
            headers=list(answer.items()),
            nbytes=len(answer._body_buffer),
        )

    def leave_redirect(self) -> None:
        """Note that the last answer was a redirect that could not be followed. Nothing was sent after it."""
        if self._redirect is None:
            return
        self._follow()
        self.attempts = self.sent_bytes = self.latency_us = self.connect_us = 0
        self.stream = ""

    def end_without_answer(self, since_ns: int) -> None:
        """Note the end. The sent bytes are unknown, because only an answer has them."""
        self.end_us = RUN_CLOCK.now()
        self.latency_us = self.sent_bytes = 0
        self.note_connection(since_ns)
        self._lost += not self.connecting
        self.attempts = self._lost

    def _follow(self) -> None:
        assert self._redirect is not None
        self.legs = [*self.legs, self._redirect]
        self._redirect = None


class ReadingResponse(HTTPSocketPoolResponse):
    """A response that records its end when its connection is released, complete or not."""

    def release(self) -> None:
        facts = getattr(self, FACTS, None)
        if facts is not None:
            setattr(self, FACTS, None)
            facts.end_us = RUN_CLOCK.now()
        super().release()


def install() -> str | None:
    """Replace the hooked functions, all or none. Returns the missing parts of this client version, or None."""
    missing = replace_all(_HOOKS)
    if missing is None:
        setattr(FastRequest, FACTS, None)
        setattr(FastResponse, FACTS, None)
    return missing


def _switch_resends_off(original: Hook) -> Hook:
    def __init__(pool: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - the name of what it replaces
        original(pool, *args, **kwargs)
        pool.size = NEVER

    return __init__


def _watch_connecting(original: Hook) -> Hook:
    def _create_socket(pool: Any) -> Any:
        connecting = Connecting()
        setattr(getcurrent(), CONNECTING, connecting)
        sock = original(pool)
        connecting.end_ns = monotonic_ns()
        return sock

    return _create_socket


def _watch_sending(original: Hook) -> Hook:
    new, clock = FastFacts.__new__, RUN_CLOCK

    def _urlopen(agent: Any, request: Any) -> Any:
        tried = Connecting.tried
        start_ns = monotonic_ns()
        facts = request.switchover_facts
        first = facts is None
        if first:
            facts = request.switchover_facts = new(FastFacts)
            facts.start_us = (start_ns + clock.anchor_ns) // 1000
            begin_request(facts, request.method, request.url)
        else:
            facts.go_on(start_ns)
        try:
            response = original(agent, request)
        except BaseException as error:
            facts.end_without_answer(start_ns)
            if not isinstance(error, _REPORTED):
                report_abandoned(facts, request.method, request.url, error)
            raise
        answer = response._response
        facts.end_us = end_us = (monotonic_ns() + clock.anchor_ns) // 1000
        facts.latency_us = end_us - facts.start_us
        sent = len(answer._sent_request)
        body = request.payload
        facts.sent_bytes = sent + _body_length(body) if body else sent
        if Connecting.tried != tried:
            facts.note_connection(start_ns)
        if not first:
            facts.attempts = facts._lost + 1
        status = answer.get_code()
        if status >= 300 and status < 400:
            facts.note_redirect(answer)
            setattr(getcurrent(), REDIRECTED, facts)
        if not answer.message_complete and type(answer) is HTTPSocketPoolResponse:
            setattr(answer, FACTS, facts)
            answer.__class__ = ReadingResponse
        response.switchover_facts = facts
        return response

    return _urlopen


def _watch_failure(original: Hook) -> Hook:
    def __init__(response: Any, request: Any, error: BaseException) -> None:  # noqa: N807 - the name of what it replaces
        original(response, request, error)
        facts = _facts_behind(error)
        if facts is not None:
            facts.leave_redirect()
            facts.kind = kind_in_phase(error, connecting=facts.connecting)
            setattr(response, FACTS, facts)

    return __init__


def _facts_behind(error: BaseException) -> FastFacts | None:
    """Return the facts of a failed request.

    An error after a redirect has no request, so its facts are on the greenlet.
    """
    for carrier in (error, getattr(error, "original", None), error.__context__):
        facts = getattr(getattr(carrier, "request", None), FACTS, None)
        if isinstance(facts, FastFacts):
            return facts
    facts = getattr(getcurrent(), REDIRECTED, None)
    return facts if isinstance(facts, FastFacts) else None


def _body_length(body: Any) -> int:
    try:
        return len(body.encode() if isinstance(body, str) else body)
    except TypeError:
        return 0


_HOOKS: tuple[tuple[Any, str, Callable[[Hook], Hook]], ...] = (
    (LocustUserAgent, "_urlopen", _watch_sending),
    (ErrorResponse, "__init__", _watch_failure),
    (ConnectionPool, "__init__", _switch_resends_off),
    (ConnectionPool, "_create_socket", _watch_connecting),
)
