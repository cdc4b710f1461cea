"""The outcome of one request: one rule for every count, query and screen."""

from enum import StrEnum

from switchover.model.failure_kind import FailureKind

LATE_MS = 1000.0
"""The late threshold of a run that does not name one."""
LATE_SHARE = 0.01
"""The share of the probes that may be late in the baseline."""


class Outcome(StrEnum):
    GOOD = "good"
    LATE = "late"
    """A good response, but later than the late threshold after its due time (RFC 6412 section 3.7.1 counts
    delay)."""
    FAILED = "failed"
    UNSENT = "unsent"
    """The client could not send (no free port, no descriptor); no fault of the balancer."""


_BY_NAME = {outcome.value: outcome for outcome in Outcome} | {"ok": Outcome.GOOD, "generator": Outcome.UNSENT}
"""Outcomes by name, with the names of earlier versions."""


def read_outcome(name: str) -> Outcome | None:
    """Return the outcome of this name in a point, or None."""
    return _BY_NAME.get(name)


def latency_us(start_us: int, end_us: int, intended_us: int | None) -> int:
    """Return the time from the due time of a request to the end of its response; from its start if nothing was
    due.

    Counting from the schedule keeps a delayed client from hiding the waiting time of its users.
    """
    return end_us - (start_us if intended_us is None else intended_us)


def decide_outcome(error: FailureKind | None, success: bool, latency_us: int, late_us: int) -> Outcome:
    """Return the outcome. `late_us`: the latest time of a good response after the due time.

    `outcome_sql` and `SampleKinds` hold the same rule, for speed. Tests compare them with this one.
    """
    if error is FailureKind.GENERATOR:
        return Outcome.UNSENT
    if not success:
        return Outcome.FAILED
    return Outcome.LATE if latency_us > late_us else Outcome.GOOD
