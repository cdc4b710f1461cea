"""The exceptions of a request of `BalancerHttpUser`.

* `RequestError`: there is no good answer. `kind` is the value of the column `error` in the sample log.
* `StatusError`, a subclass of `RequestError`: a complete answer has a status of 400 or above.
* `BodyNotKeptError`: the test tried to read the content of a body that is larger than the limit.

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
"""Exceptions that make Locust leave a task. These exceptions do not depend on the answer."""


class RequestError(ResponseError):
    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class StatusError(RequestError):
    """The server answered with an error status."""

    def __init__(self, status: int) -> None:
        super().__init__(FailureKind.STATUS, str(status))


class BodyNotKeptError(LocustError):
    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the body is larger than {limit} bytes: only its size was recorded, and the content was discarded. "
            "To keep larger bodies, raise max_kept_body"
        )
