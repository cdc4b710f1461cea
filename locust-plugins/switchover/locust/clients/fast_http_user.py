"""Instrument FastHttpUser's client (geventhttpclient), so that the recorder has the facts of each request.

`LocustUserAgent._urlopen` sends each leg (redirect) of a request, and each retry that the user configured with
`max_retries`. Until a response exists, the facts are an attribute of the request. The recorded latency ends when the
headers are complete, because a parser callback at the first byte would take too much time.

Hidden resends are switched off for every geventhttpclient of the process. If a connection ends before the first byte
of an answer, `HTTPClient.request` sends an idempotent request again, up to `size + 1` times. `size` is the size of
the connection pool. After a pool was created, its `size` is used only for resends, so a pool with `size` -1 never
resends.
"""

from time import monotonic_ns
from typing import Any

from gevent import Timeout, getcurrent
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPSocketPoolResponse
from locust.contrib.fasthttp import ErrorResponse, FastRequest, FastResponse, LocustUserAgent

from switchover.locust.clients.unreported import Hook, Hooks, begin_request, replace_all, report_abandoned
from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.request_facts import FACTS, RUN_CLOCK, InstrumentedFacts, Leg, leg_of

NEVER = -1
REDIRECTED = "switchover_redirected"
"""The attribute of a user's greenlet that stores the facts of the last request that was answered with a redirect."""
CONNECTING = "switchover_connecting"
_REPORTED = (Exception, Timeout)
"""Errors that Locust reports or passes to the test. All other errors end the user's greenlet."""


class Connecting:
    """An attempt to open a new connection. Times are nanoseconds of the monotonic clock."""

    __slots__ = ("end_ns", "start_ns")

    tried = 0

    def __init__(self) -> None:
        Connecting.tried += 1
        self.start_ns = monotonic_ns()
        self.end_ns = 0


class FastFacts(InstrumentedFacts):
    connecting = False
    _redirect: Leg | None = None
    """The last answer, if it was a redirect. A redirect becomes a leg when the client follows the redirect."""
    _lost = 0

    def go_on(self, start_ns: int) -> None:
        """Prepare the facts for the next send: a redirect that is followed, or a retry that the user configured."""
        if self._redirect is not None:
            self._follow()
            self._leg_start_us = RUN_CLOCK.at(start_ns)
            self._lost = 0
        self.stream = "kept"
        self.attempts = 1
        self.connect_us = 0
        self.connecting = False

    def note_connection(self, since_ns: int) -> None:
        """Record a connection that this greenlet began to open at or after `since_ns`."""
        made = getattr(getcurrent(), CONNECTING, None)
        if made is None or made.start_ns < since_ns:
            return
        self.stream = "fresh"
        if made.end_ns:
            self.connect_us = RUN_CLOCK.at(made.end_ns) - self.start_us
        else:
            self.connecting = True

    def note_redirect(self, answer: Any) -> None:
        self._redirect = leg_of(
            self,
            self._leg_start_us or self.start_us,
            self.end_us,
            status=answer.get_code(),
            headers=list(answer.items()),
            nbytes=len(answer._body_buffer),
        )

    def leave_redirect(self) -> None:
        if self._redirect is None:
            return
        self._follow()
        self.attempts = self.sent_bytes = self.latency_us = self.connect_us = 0
        self.stream = ""

    def end_without_answer(self, since_ns: int) -> None:
        """Record the end of a request without an answer. Without an answer, the number of sent bytes is unknown."""
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
    """A response that records its end time when its connection is released, even if the response is incomplete."""

    def release(self) -> None:
        facts = getattr(self, FACTS, None)
        if facts is not None:
            setattr(self, FACTS, None)
            facts.end_us = RUN_CLOCK.now()
        super().release()


def install() -> str | None:
    """Replace all hooked functions, or none. Returns None, or a text that names the functions that this client
    version lacks."""
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
    """Return the facts of the request that failed with `error`. After a redirect, `error` does not refer to the
    request, so the facts are read from the greenlet."""
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


_HOOKS: Hooks = (
    (LocustUserAgent, "_urlopen", _watch_sending),
    (ErrorResponse, "__init__", _watch_failure),
    (ConnectionPool, "__init__", _switch_resends_off),
    (ConnectionPool, "_create_socket", _watch_connecting),
)
