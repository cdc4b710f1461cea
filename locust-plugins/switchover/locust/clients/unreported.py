"""Requests that were made and that Locust does not report. The balancer has counted them all the same.

With `catch_response=True` Locust reports a request when its block ends; if the block raises anything but a
`ResponseError`, it reports nothing. Nor does it report the request that a user was waiting for when it was stopped.
With a stop timeout that happens too: a user whose pause ends just then has begun its next request.
"""

from types import TracebackType
from typing import Any

from locust import clients
from locust.contrib import fasthttp
from locust.event import EventHook
from locust.exception import ResponseError

from switchover.locust.clients.replacing import Hook, replace
from switchover.locust.recording.request_facts import NoAnswer, RequestFacts
from switchover.locust.user.errors import LEAVES_TASK
from switchover.model.failure_kind import FailureKind

UNREPORTED = EventHook()
"""Fired like Locust's `request` event, and instead of it."""

LABEL = "abandoned"
"""The name of such a request: its own is unknown here, its URL is recorded."""


class AbandonedError(Exception):
    """The request was given up: its user was stopped, or a timeout of the test's own ended it."""

    def __init__(self) -> None:
        super().__init__("abandoned: the client did not wait for the answer")


def report_abandoned(facts: RequestFacts, method: str, url: str) -> None:
    """Report a request that was under way. Its kind is `generator`: it says nothing about the balancer."""
    facts.kind = FailureKind.GENERATOR
    UNREPORTED.fire(
        request_type=method,
        name=LABEL,
        response_time=(facts.end_us - facts.start_us) / 1000,
        response_length=0,
        response=NoAnswer(facts),
        context={},
        exception=AbandonedError(),
        start_time=facts.start_us / 1e6,
        url=url,
    )


def install() -> str | None:
    """None, or why it cannot be done."""
    for owner in (clients.ResponseContextManager, fasthttp.ResponseContextManager):
        if not replace(owner, "__exit__", _report_before_leaving):
            return f"{owner.__name__} has no __exit__"
    return None


def _report_before_leaving(original: Hook) -> Hook:
    def leave(
        response: Any, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> Any:
        silent = value is not None and not isinstance(value, ResponseError)
        if silent and getattr(response, "_manual_result", None) is None:
            UNREPORTED.fire(**{**response.request_meta, "exception": _failure_in_block(response, value)})
        return original(response, kind, value, traceback)

    return leave


def _failure_in_block(response: Any, raised: BaseException | None) -> Exception | None:
    """The error that the block raised; where it was only left, the answer's own error, if any."""
    if isinstance(raised, Exception) and not isinstance(raised, LEAVES_TASK):
        return raised
    try:
        response.raise_for_status()
    except Exception as error:
        return error
    return None
