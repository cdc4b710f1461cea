"""One request or message of the held connections. At its end, it becomes a row in connections.jtl."""

from dataclasses import dataclass, field
from time import monotonic_ns

from switchover.http.head import AnswerHead
from switchover.model.failure_kind import FailureKind
from switchover.rundir.held_log import EndedBy
from switchover.target.model import StatusRanges


@dataclass(slots=True, eq=False)
class HeldExchange:
    """One exchange. Times are in ns of the monotonic clock; 0: not reached."""

    thread: str
    due_ns: int = 0
    start_ns: int = field(default_factory=monotonic_ns)
    connected_ns: int = 0
    first_ns: int = 0
    end_ns: int = 0
    head: AnswerHead | None = None
    nbytes: int = 0
    sent_bytes: int = 0
    attempts: int = 0
    """1 after its first byte was passed to the kernel. Only the retrying client makes further attempts."""
    error: FailureKind | None = None
    message: str = ""
    ended_by: EndedBy | None = None
    position: int | None = None
    worker: str = ""

    def fail(self, error: FailureKind, message: str, ended_by: EndedBy | None = None) -> None:
        self.error, self.message, self.ended_by = error, message, ended_by

    def check_status(self, status: int, expected: StatusRanges) -> bool:
        """Return True for an expected status; otherwise mark the exchange as failed."""
        if status not in expected:
            self.fail(FailureKind.STATUS, f"status {status} is not among {expected}")
        return status in expected
