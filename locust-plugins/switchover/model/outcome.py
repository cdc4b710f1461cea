"""What became of one request, as every figure sees it."""

from enum import StrEnum

from switchover.model.failure_kind import FailureKind
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample

LATE_MS = 1000.0
"""Where the run does not say what it counted as late."""


class Outcome(StrEnum):
    GOOD = "good"
    LATE = "late"
    """Answered well, but more than the late threshold after it was due (RFC 6412 section 3.7.1 counts delay)."""
    FAILED = "failed"
    GENERATOR = "generator"
    """The client could not send (no free port, no descriptor): says nothing about the balancer."""


def latency_us(sample: Sample) -> int:
    """From when the request was due to the end of its answer; from its start where nothing was due.

    Counting from the schedule keeps a client that was held up from hiding what its users would have waited.
    """
    due = sample.start_us if sample.intended_us is None else sample.intended_us
    return sample.end_us - due


def outcome_of(sample: Sample, late_us: int) -> Outcome:
    """`late_us`: the latest that a good answer may come after it was due."""
    if sample.error is FailureKind.GENERATOR:
        return Outcome.GENERATOR
    if not sample.success:
        return Outcome.FAILED
    return Outcome.LATE if latency_us(sample) > late_us else Outcome.GOOD


def late_us_of(run: Run) -> int:
    """The late threshold of a run."""
    late_ms = run.settings.get("late_ms")
    if not isinstance(late_ms, int | float) or isinstance(late_ms, bool):
        late_ms = LATE_MS
    return round(late_ms * 1000)
