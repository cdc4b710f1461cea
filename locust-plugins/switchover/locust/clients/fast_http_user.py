"""FastHttpUser's client, geventhttpclient, made to tell what it really did.

Facts are made where the client turns to the network: in `LocustUserAgent._urlopen`, once for each leg and for each
of the user's own `max_retries`. They travel on the request until there is a response to hang them on. This runs for
every request on the core that makes the load: what costs is done only where something unusual happens.
"""

from collections.abc import Callable
from time import monotonic_ns
from typing import Any

from gevent import getcurrent
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPResponse
from locust.contrib.fasthttp import ErrorResponse, FastRequest, FastResponse, LocustUserAgent

from switchover.locust.clients import resends
from switchover.locust.clients.fast_facts import CONNECTION, Connecting, FastFacts, body_length
from switchover.locust.clients.replacing import Hook, replace
from switchover.locust.clients.resends import Resends
from switchover.locust.clients.timeline import TIMELINE
from switchover.locust.clients.unreported import abandon
from switchover.locust.failures import kind_in_phase
from switchover.locust.request_facts import FACTS

REDIRECTED = "switchover_redirected"
"""Where a greenlet keeps the facts of the last request that was answered by a redirect."""


class Connections:
    """Of this process, through geventhttpclient."""

    tried = 0
    replaced = 0
    """Kept ones that were found dead and silently replaced."""


def install() -> str | None:
    """Replace what has to be replaced, all of it or nothing; returns what this version of the client lacks."""
    missing = [f"{owner.__name__}.{name}" for owner, name, _ in _HOOKS if not hasattr(owner, name)]
    if missing:
        return f"it has no {', '.join(missing)}"
    for owner, name, make in _HOOKS:
        replace(owner, name, make)
    for owner in (FastRequest, FastResponse):
        setattr(owner, FACTS, None)
    return resends.install()


def _tell_of_sending(original: Hook) -> Hook:
    new, timeline, connections, mode = FastFacts.__new__, TIMELINE, Connections, Resends

    def _urlopen(agent: Any, request: Any) -> Any:
        tried = connections.tried
        if mode.counted:
            resends.start(getcurrent())
        start_ns = monotonic_ns()
        facts = request.switchover_facts
        if facts is None:
            facts = request.switchover_facts = new(FastFacts)
            facts.start_us = (start_ns + timeline.anchor_ns) // 1000
        else:
            facts.go_on(start_ns)
        try:
            response = original(agent, request)
        except BaseException as error:
            facts.end_without_answer(agent, request, start_ns)
            if not isinstance(error, Exception):
                abandon(facts, request.method, request.url)
            raise
        answer = response._response
        anchor_ns = timeline.anchor_ns
        facts.end_us = (monotonic_ns() + anchor_ns) // 1000
        facts.latency_us = (answer.switchover_first_ns + anchor_ns) // 1000 - facts.start_us
        body = request.payload
        sent = len(answer._sent_request)
        facts.sent_bytes = sent + body_length(body) if body else sent
        if connections.tried != tried:
            facts.note_connection(start_ns)
        if mode.counted or facts.lost:
            facts.note_attempts()
        if 300 <= answer.get_code() < 400:
            facts.note_redirect(request, answer)
            setattr(getcurrent(), REDIRECTED, facts)
        if not answer.message_complete:
            facts.reading = True
        response.switchover_facts = facts
        return response

    return _urlopen


def _tell_of_body(original: Hook) -> Hook:
    def _content(response: Any) -> Any:
        facts = response.switchover_facts
        if facts is None or not facts.reading:
            return original(response)
        facts.reading = False
        try:
            return original(response)
        finally:
            facts.end_us = (monotonic_ns() + TIMELINE.anchor_ns) // 1000

    return _content


def _tell_of_first_byte(original: Hook) -> Hook:
    def _on_message_begin(answer: Any) -> None:
        if not answer.message_begun:
            answer.switchover_first_ns = monotonic_ns()
        original(answer)

    return _on_message_begin


def _tell_of_connecting(original: Hook) -> Hook:
    def _create_socket(pool: Any) -> Any:
        Connections.tried += 1
        connecting = Connecting()
        setattr(getcurrent(), CONNECTION, connecting)
        sock = original(pool)
        connecting.end_ns = monotonic_ns()
        return sock

    return _create_socket


def _tell_of_reconnecting(original: Hook) -> Hook:
    def _is_socket_alive(pool: Any, sock: Any) -> bool:
        if original(pool, sock):
            return True
        Connections.replaced += 1
        return False

    return _is_socket_alive


def _tell_of_failure(original: Hook) -> Hook:
    def __init__(response: Any, request: Any, error: BaseException) -> None:  # noqa: N807 - the name of what it replaces
        original(response, request, error)
        facts = _facts_behind(error)
        if facts is not None:
            facts.leave_redirect()
            facts.kind = kind_in_phase(error, connecting=facts.connecting)
            setattr(response, FACTS, facts)

    return __init__


def _facts_behind(error: BaseException) -> FastFacts | None:
    """The agent hangs the request on the errors of a leg, but not on those that it has with a redirect."""
    for carrier in (error, getattr(error, "original", None), error.__context__):
        facts = getattr(getattr(carrier, "request", None), FACTS, None)
        if isinstance(facts, FastFacts):
            return facts
    facts = getattr(getcurrent(), REDIRECTED, None)
    return facts if isinstance(facts, FastFacts) else None


_HOOKS: tuple[tuple[type, str, Callable[[Hook], Hook]], ...] = (
    (LocustUserAgent, "_urlopen", _tell_of_sending),
    (FastResponse, "_content", _tell_of_body),
    (ErrorResponse, "__init__", _tell_of_failure),
    (HTTPResponse, "_on_message_begin", _tell_of_first_byte),
    (ConnectionPool, "_create_socket", _tell_of_connecting),
    (ConnectionPool, "_is_socket_alive", _tell_of_reconnecting),
)
