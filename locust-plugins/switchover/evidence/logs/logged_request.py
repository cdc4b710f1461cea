"""One line of a log that another program wrote: of any format it becomes this record, and then a row of a table."""

from dataclasses import dataclass

from switchover.evidence.logs.failure_rules import kind_of_failure
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

UNKNOWN = Identity("", "", AnsweredBy.UNKNOWN)


@dataclass(slots=True, kw_only=True)
class LoggedRequest:
    """A request as a line of a log has it. Times are microseconds since the epoch; unknown is empty or 0."""

    start_us: int
    took_us: int = 0
    logged_us: int | None = None
    """The time that stands in the line of a server's log; None: there is none, or it is no server's log."""
    zoned: bool = True
    """Its times say what zone they are in."""
    is_timed: bool = True
    """It says how long it took."""
    label: str = ""
    code: str = ""
    """HTTP status; empty without an answer."""
    message: str = ""
    success: bool = True
    error: FailureKind | None = None
    """Why it failed; None: code and message tell, or it did not fail."""
    url: str = ""
    thread: str = ""
    identity: Identity = UNKNOWN
    nbytes: int = 0
    sent_bytes: int = 0
    latency_us: int = 0
    connect_us: int = 0
    users: int = 1

    @property
    def end_us(self) -> int:
        return self.start_us + self.took_us

    @property
    def kind(self) -> FailureKind | None:
        """Why it failed; None where it did not, or nothing says why."""
        if self.success:
            return None
        return self.error or kind_of_failure(self.code, self.message)
