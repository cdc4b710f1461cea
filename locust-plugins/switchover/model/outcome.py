"""What became of one request: the one rule that every count, query and screen follows."""

from enum import StrEnum

from switchover.model.failure_kind import FailureKind

LATE_MS = 1000.0
"""The late threshold of a run that does not name one."""
LATE_SHARE = 0.01
"""The part of the probes that may come late in the baseline: as many are late at any time."""


class Outcome(StrEnum):
    GOOD = "good"
    LATE = "late"
    """Answered well, but more than the late threshold after it was due (RFC 6412 section 3.7.1 counts delay)."""
    FAILED = "failed"
    UNSENT = "unsent"
    """The client could not send (no free port, no descriptor): says nothing about the balancer."""


_BY_NAME = {outcome.value: outcome for outcome in Outcome} | {"ok": Outcome.GOOD, "generator": Outcome.UNSENT}
"""With the names that earlier versions wrote."""


def read_outcome(name: str) -> Outcome | None:
    """The outcome of this name in a point; None if there is none."""
    return _BY_NAME.get(name)


def latency_us(start_us: int, end_us: int, intended_us: int | None) -> int:
    """From when a request was due to the end of its answer; from its start where nothing was due.

    Counting from the schedule keeps a client that was held up from hiding what its users would have waited.
    """
    return end_us - (start_us if intended_us is None else intended_us)


def decide_outcome(error: FailureKind | None, success: bool, latency_us: int, late_us: int) -> Outcome:
    """`late_us`: the latest that a good answer may come after it was due.

    Two others say the same, for speed: `outcome_sql`, and `SampleKinds` of what Locust's users were answered well.
    Tests hold them against this one.
    """
    if error is FailureKind.GENERATOR:
        return Outcome.UNSENT
    if not success:
        return Outcome.FAILED
    return Outcome.LATE if latency_us > late_us else Outcome.GOOD
