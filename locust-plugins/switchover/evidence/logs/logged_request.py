"""A request in the log of a different program. Each log format converts its lines to this record."""

from dataclasses import dataclass

from switchover.evidence.logs.failure_rules import kind_of_failure
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

UNKNOWN = Identity("", "", AnsweredBy.UNKNOWN)


@dataclass(slots=True, kw_only=True)
class LoggedRequest:
    """A request that was read from a log line. Times are microseconds since the epoch. An unknown value is empty or
    0."""

    start_us: int
    took_us: int = 0
    zoned: bool = True
    """True if the time in the log has a time zone."""
    is_timed: bool = True
    """True if the line has a duration."""
    label: str = ""
    code: str = ""
    """The HTTP status; empty if there was no response."""
    message: str = ""
    success: bool = True
    error: FailureKind | None = None
    """The kind of failure as logged. None: the request did not fail, or the log has no kind of failure. `kind` then
    derives it from code and message."""
    url: str = ""
    thread: str = ""
    identity: Identity = UNKNOWN
    nbytes: int = 0

    @property
    def end_us(self) -> int:
        return self.start_us + self.took_us

    @property
    def kind(self) -> FailureKind | None:
        """The kind of failure; None if the request did not fail, or if the kind is unknown."""
        if self.success:
            return None
        return self.error or kind_of_failure(self.code, self.message)
