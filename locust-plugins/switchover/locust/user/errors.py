"""The exceptions of a request of `BalancerHttpUser`.

A message contains no addresses and no counts, because Locust groups failures by their messages.
"""

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
"""Exceptions that make Locust leave a task, and do not depend on the answer."""


class RequestError(ResponseError):
    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class StatusError(RequestError):
    def __init__(self, status: int) -> None:
        super().__init__(FailureKind.STATUS, str(status))


class BodyNotKeptError(LocustError):
    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the body is larger than {limit} bytes: only its size was recorded, and the content was discarded. "
            "To keep larger bodies, raise max_kept_body"
        )
