"""What is known of one request or message of the patient load; it becomes a row when it has ended."""

from time import monotonic_ns

from switchover.http.head import AnswerHead
from switchover.model.failure_kind import FailureKind
from switchover.rundir.patient_log import EndedBy


class PatientExchange:
    """Times in ns of the monotonic clock, 0: not come to that."""

    __slots__ = (
        "attempts",
        "blind_ns",
        "connected_ns",
        "due_ns",
        "end_ns",
        "ended_by",
        "error",
        "first_ns",
        "head",
        "looked_ns",
        "message",
        "nbytes",
        "position",
        "sent_bytes",
        "start_ns",
        "thread",
        "worker",
    )

    def __init__(self, thread: str, due_ns: int = 0) -> None:
        """`thread`: the place and the connection, `pooled 7.3`."""
        self.thread = thread
        self.due_ns = due_ns
        self.start_ns = monotonic_ns()
        self.connected_ns = 0
        self.looked_ns = 0
        """The kernel was asked whether the connection is still open, right before sending,"""
        self.blind_ns = 0
        """and so long later the request had been sent."""
        self.first_ns = 0
        self.end_ns = 0
        self.head: AnswerHead | None = None
        self.nbytes = 0
        self.sent_bytes = 0
        self.attempts = 0
        """1 from the moment that its first byte was handed to the kernel. There is never a second one."""
        self.error: FailureKind | None = None
        self.message = ""
        self.ended_by: EndedBy | None = None
        self.position: int | None = None
        self.worker = ""

    def fail(self, error: FailureKind, message: str, ended_by: EndedBy | None = None) -> None:
        self.error, self.message, self.ended_by = error, message, ended_by
