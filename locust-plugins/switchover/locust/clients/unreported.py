"""Requests that the balancer counts but Locust does not report.

With `catch_response=True`, Locust reports a request at the end of its with-block. Locust does not report the request
if there is no with-block, or if the with-block raises an exception other than `ResponseError`. Locust also does not
report the open request of a stopped user. A user whose pause ends during the stop timeout also sends a request that
Locust does not report.
"""

import functools
from collections.abc import Callable
from typing import Any

from gevent import Timeout
from locust import clients
from locust.contrib import fasthttp
from locust.event import EventHook
from locust.exception import ResponseError

from switchover.locust.recording.failures import kind_in_phase
from switchover.locust.recording.open_requests import OPEN, OpenRequest
from switchover.locust.recording.request_facts import RUN_CLOCK, NoAnswer, RequestFacts
from switchover.locust.user.errors import LEAVES_TASK
from switchover.model.failure_kind import FailureKind

Hook = Callable[..., Any]
Hooks = tuple[tuple[Any, str, Callable[[Hook], Hook]], ...]
"""For each replaced function: its class or module, its name, and the function that makes the replacement."""

UNREPORTED = EventHook()
"""An event that is fired for requests for which Locust fires no `request` event."""

UNCLOSED = "switchover_unclosed"
"""The key in `UNREPORTED` events that marks a response that was never closed."""

LABEL = "abandoned"


def replace_all(hooks: Hooks) -> str | None:
    """Replace all functions, or none. Returns None, or a text that names the functions that this client version
    lacks."""
    missing = [f"{owner.__name__}.{name}" for owner, name, _ in hooks if not hasattr(owner, name)]
    if missing:
        return f"it has no {', '.join(missing)}"
    for owner, name, make in hooks:
        original = getattr(owner, name)
        setattr(owner, name, functools.wraps(original)(make(original)))
    return None


class AbandonedError(Exception):
    def __init__(self) -> None:
        super().__init__("abandoned: the client did not wait for the answer")


def begin_request(facts: RequestFacts, method: Any, url: Any, response: Any = None) -> None:
    """Store an open request until the request is recorded. `response`: the response that a with-block must close."""
    forgotten = OPEN.begin(facts, method, url, response)
    if forgotten is not None:
        _report_forgotten(forgotten)


def report_open_requests() -> None:
    for request in list(OPEN.by_id.values()):
        _report_forgotten(request)


def _report_forgotten(request: OpenRequest) -> None:
    facts, response = request.facts, request.response
    if getattr(facts, "end_us", None) is None:
        facts.end_us = RUN_CLOCK.now()
    if response is None:
        report_abandoned(facts, request.method, request.url, greenlet=request.greenlet)
    else:
        meta = {**response.request_meta, "exception": _failure_in_block(response, None)}
        UNREPORTED.fire(**meta, greenlet=request.greenlet, **{UNCLOSED: True})
    facts.is_recorded = True


def report_abandoned(
    facts: RequestFacts, method: str, url: str, error: BaseException | None = None, greenlet: Any = None
) -> None:
    """Report a request that `error` ended before an answer was received.

    A time-out that the test sets (`gevent.Timeout`) is a failure of the request. If the user was stopped or left its
    task, the kind of failure is `generator`, because the balancer did not end the request.
    """
    if not isinstance(error, Exception | Timeout) or isinstance(error, LEAVES_TASK):
        error, facts.kind = AbandonedError(), FailureKind.GENERATOR
    else:
        facts.kind = kind_in_phase(error, connecting=facts.attempts == 0)
    UNREPORTED.fire(
        request_type=method,
        name=LABEL,
        response_time=(facts.end_us - facts.start_us) / 1000,
        response_length=0,
        response=NoAnswer(facts),
        context={},
        exception=error,
        start_time=facts.start_us / 1e6,
        url=url,
        greenlet=greenlet,
    )


def install() -> str | None:
    return replace_all(_HOOKS)


def _note_wrapped(original: Hook) -> Hook:
    def wrap_response(response: Any, **meta: Any) -> Any:
        wrapped = original(response, **meta)
        OPEN.expect_block(wrapped)
        return wrapped

    return wrap_response


def _note_made(original: Hook) -> Hook:
    def __init__(response: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - the name of what it replaces
        original(response, *args, **kwargs)
        OPEN.expect_block(response)

    return __init__


def _report_before_leaving(original: Hook) -> Hook:
    def leave(response: Any, kind: object, value: BaseException | None, traceback: object) -> Any:
        silent = value is not None and not isinstance(value, ResponseError)
        if silent and getattr(response, "_manual_result", None) is None:
            UNREPORTED.fire(**{**response.request_meta, "exception": _failure_in_block(response, value)})
        return original(response, kind, value, traceback)

    return leave


def _failure_in_block(response: Any, raised: BaseException | None) -> Exception | None:
    """Return the error that the with-block raised. If it raised none, return the error of the response, or None."""
    if isinstance(raised, Exception) and not isinstance(raised, LEAVES_TASK):
        return raised
    try:
        response.raise_for_status()
    except Exception as error:
        return error
    return None


_HOOKS: Hooks = (
    (clients.ResponseContextManager, "__exit__", _report_before_leaving),
    (clients.ResponseContextManager, "wrap_response", _note_wrapped),
    (fasthttp.ResponseContextManager, "__exit__", _report_before_leaving),
    (fasthttp.ResponseContextManager, "__init__", _note_made),
)
