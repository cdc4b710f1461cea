"""The exceptions that a request of `BalancerHttpUser` can end with.

    RequestError        no good answer; `kind` is the sample log's column `error`
      StatusError       a complete answer with a status of 400 or above
    BodyNotKeptError    the content of a body larger than what is kept was asked for

A message names neither addresses nor counts, because Locust groups its failures by it.
"""

from http import HTTPStatus

from locust.exception import (
    InterruptTaskSet,
    LocustError,
    RescheduleTask,
    RescheduleTaskImmediately,
    ResponseError,
    StopTest,
    StopUser,
)

from switchover.model.failure_kind import FailureKind

LEAVES_TASK = (InterruptTaskSet, RescheduleTask, RescheduleTaskImmediately, StopTest, StopUser)
"""Exceptions by which Locust leaves a task; they say nothing about the answer."""


class RequestError(ResponseError):
    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class StatusError(RequestError):
    """The server answered, and the answer is an error."""

    def __init__(self, status: int) -> None:
        # The server's own phrase comes from the network; the standard's is one of a few.
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = "unknown status"
        super().__init__(FailureKind.STATUS, f"{status} {phrase}")


class BodyNotKeptError(LocustError):
    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the body is larger than {limit} bytes, so it was counted and not kept: raise max_kept_body"
        )
