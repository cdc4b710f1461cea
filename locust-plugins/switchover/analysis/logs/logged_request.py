"""One line of a log that another program wrote: of any format it becomes this record, and then a row of a table."""

from dataclasses import dataclass

from switchover.analysis.logs.failure_rules import kind_of_failure
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import MAX_US

UNKNOWN = Identity("", "", AnsweredBy.UNKNOWN)
_MOST = 2**62
"""Bytes, users: far more than there are, and they can be added up."""


@dataclass(slots=True, kw_only=True)
class LoggedRequest:
    """What a line says of one request. Times are microseconds since the epoch; what is not said is empty or 0."""

    start_us: int
    took_us: int = 0
    logged_us: int | None = None
    """The time that stands in the line of a server's log; None: there is none, or it is no server's log."""
    zoned: bool = True
    """Its times say what zone they are in."""
    is_timed: bool = True
    """It says how long it took."""
    intended_us: int | None = None
    """When it was due by its schedule; None: there was none."""
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
    further: tuple[str, ...] = ()
    """What stands in further columns of the log, which `--backend-from` may name."""

    @property
    def end_us(self) -> int:
        return self.start_us + self.took_us

    @property
    def kind(self) -> FailureKind | None:
        """Why it failed; None where it did not, or nothing says why."""
        if self.success:
            return None
        return self.error or kind_of_failure(self.code, self.message)

    def clamp(self) -> "LoggedRequest":
        """Itself, with numbers that a table can hold: times that cannot be stay so."""
        self.start_us = min(max(self.start_us, -1), MAX_US + 1)
        self.took_us = min(max(self.took_us, -1), MAX_US + 1)
        self.nbytes, self.sent_bytes, self.users = (
            min(max(number, 0), _MOST) for number in (self.nbytes, self.sent_bytes, self.users)
        )
        return self
