"""Requests that were made and that Locust never hears of: something was raised in the with-block around their answer.

With `catch_response=True` Locust reports a request when its block ends; if the block raises anything but a
`ResponseError`, it reports nothing. The balancer has counted the request all the same.
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

UNREPORTED = EventHook()
"""Fired like Locust's `request` event, and instead of it."""

_FLOW = (InterruptTaskSet, RescheduleTask, RescheduleTaskImmediately, StopTest, StopUser)
"""How Locust leaves a task; it says nothing about the answer."""


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
