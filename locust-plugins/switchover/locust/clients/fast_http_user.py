"""FastHttpUser's client, geventhttpclient, watched so that the recorder has the facts of each request.

Facts are made where the client turns to the network: in `LocustUserAgent._urlopen`, once for each leg and for each of
the user's own `max_retries`. They travel on the request until there is a response to put them on. This runs for
every request on the core that makes the load: expensive work is done only for unusual requests.

The latency ends with the complete headers, not with their first byte: a parser callback would cost too much.
"""

from collections.abc import Callable
from time import monotonic_ns
from typing import Any

from gevent import Timeout, getcurrent
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPSocketPoolResponse
from locust.contrib.fasthttp import ErrorResponse, FastRequest, FastResponse, LocustUserAgent

from switchover.locust.clients import resends
from switchover.locust.clients.fast_connections import CONNECTIONS, watch_connecting, watch_releasing
from switchover.locust.clients.fast_facts import FastFacts, body_length
from switchover.locust.clients.replacing import Hook, replace
from switchover.locust.clients.resends import RESENDS
from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.clients.unreported import begin_request, report_abandoned
from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.request_facts import FACTS, RequestFacts


class ReadingResponse(HTTPSocketPoolResponse):
    """Notes the end when its connection is given back: the body is complete then, or will never be."""

    def release(self) -> None:
        facts = getattr(self, FACTS, None)
        if facts is not None:
            setattr(self, FACTS, None)
            facts.end_us = RUN_CLOCK.now()
        super().release()


def watch_body(answer: Any, facts: RequestFacts) -> None:
    if type(answer) is HTTPSocketPoolResponse:
        setattr(answer, FACTS, facts)
        answer.__class__ = ReadingResponse


REDIRECTED = "switchover_redirected"
"""Where a greenlet keeps the facts of the last request that was answered by a redirect."""
_REPORTED = (Exception, Timeout)
"""Errors that Locust reports or leaves to the test; all others end the user's greenlet."""


def install() -> str | None:
    """Replace what has to be replaced, all of it or nothing; returns what this version of the client lacks."""
    missing = [f"{owner.__name__}.{name}" for owner, name, _ in _HOOKS if not hasattr(owner, name)]
    if missing:
        return f"it has no {', '.join(missing)}"
    setattr(FastRequest, FACTS, None)
    setattr(FastResponse, FACTS, None)
    for owner, name, make in _HOOKS:
        replace(owner, name, make)
    return resends.install()


def _watch_sending(original: Hook) -> Hook:
    new, clock, connections, mode = FastFacts.__new__, RUN_CLOCK, CONNECTIONS, RESENDS

    def _urlopen(agent: Any, request: Any) -> Any:
        tried = connections.tried
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
            facts.end_without_answer(agent, request, start_ns)
            if not isinstance(error, _REPORTED):
                report_abandoned(facts, request.method, request.url, error)
            raise
        answer = response._response
        facts.end_us = end_us = (monotonic_ns() + clock.anchor_ns) // 1000
        facts.latency_us = end_us - facts.start_us
        sent = len(answer._sent_request)
        body = request.payload
        facts.sent_bytes = sent + body_length(body) if body else sent
        if connections.tried != tried:
            facts.note_connection(start_ns)
        if not first or mode.counted:
            facts.note_attempts(start_ns)
        status = answer.get_code()
        if status >= 300 and status < 400:
            facts.note_redirect(request, answer)
            setattr(getcurrent(), REDIRECTED, facts)
        if not answer.message_complete:
            watch_body(answer, facts)
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
    """The facts of a failed request. The agent puts the request on errors of a leg, but not of a redirect."""
    for carrier in (error, getattr(error, "original", None), error.__context__):
        facts = getattr(getattr(carrier, "request", None), FACTS, None)
        if isinstance(facts, FastFacts):
            return facts
    facts = getattr(getcurrent(), REDIRECTED, None)
    return facts if isinstance(facts, FastFacts) else None


_HOOKS: tuple[tuple[type, str, Callable[[Hook], Hook]], ...] = (
    (LocustUserAgent, "_urlopen", _watch_sending),
    (ErrorResponse, "__init__", _watch_failure),
    (ConnectionPool, "_create_socket", watch_connecting),
    (ConnectionPool, "release_socket", watch_releasing),
)
