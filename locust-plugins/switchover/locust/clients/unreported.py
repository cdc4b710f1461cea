"""Requests that were made and that Locust never hears of. The balancer has counted them all the same.

With `catch_response=True` Locust reports a request when its block ends; if the block raises anything but a
`ResponseError`, it reports nothing. Nor does it report what a user was waiting for when it was stopped, which happens
to a few also with a stop timeout: a user whose pause ends as it is told to stop has begun its next request by then.
"""

from types import TracebackType
from typing import Any

from locust import clients
from locust.contrib import fasthttp
from locust.event import EventHook
from locust.exception import (
    InterruptTaskSet,
    RescheduleTask,
    RescheduleTaskImmediately,
    ResponseError,
    StopTest,
    StopUser,
)

from switchover.locust.clients.replacing import Hook, replace
from switchover.locust.recording.request_facts import RequestFacts
from switchover.model.failure_kind import FailureKind

UNREPORTED = EventHook()
"""Fired like Locust's `request` event, and instead of it."""

LABEL = "abandoned"
"""Whatever the request was called: its URL says what it was."""

_FLOW = (InterruptTaskSet, RescheduleTask, RescheduleTaskImmediately, StopTest, StopUser)
"""How Locust leaves a task; it says nothing about the answer."""


class AbandonedError(Exception):
    """The client gave it up: its user was stopped, or the test had a timeout of its own."""

    def __init__(self) -> None:
        super().__init__("abandoned: nobody waited for the answer")


class Abandoned:
    """Stands for the answer that nobody waited for."""

    status_code = 0
    headers = None

    def __init__(self, facts: RequestFacts) -> None:
        self.switchover_facts = facts


def abandon(facts: RequestFacts, method: str, url: str) -> None:
    """Tell of a request that was under way. It says nothing about the balancer: the client's own doing."""
    facts.kind = FailureKind.GENERATOR
    UNREPORTED.fire(
        request_type=method,
        name=LABEL,
        response_time=(facts.end_us - facts.start_us) / 1000,
        response_length=0,
        response=Abandoned(facts),
        context={},
        exception=AbandonedError(),
        start_time=facts.start_us / 1e6,
        url=url,
    )


def install() -> str | None:
    """None, or why it cannot be done."""
    for owner in (clients.ResponseContextManager, fasthttp.ResponseContextManager):
        if not replace(owner, "__exit__", _telling):
            return f"{owner.__name__} has no __exit__"
    return None


def _telling(original: Hook) -> Hook:
    def leave(
        response: Any, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> Any:
        silent = value is not None and not isinstance(value, ResponseError)
        if silent and getattr(response, "_manual_result", None) is None:
            UNREPORTED.fire(**{**response.request_meta, "exception": _judge(response, value)})
        return original(response, kind, value, traceback)

    return leave


def _judge(response: Any, raised: BaseException | None) -> Exception | None:
    """What was raised over the answer; or, where the block was only left, what the answer itself says."""
    if isinstance(raised, Exception) and not isinstance(raised, _FLOW):
        return raised
    try:
        response.raise_for_status()
    except Exception as error:
        return error
    return None
