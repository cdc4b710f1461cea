"""The outcome of a request, by the same rule for all counts, queries and reports."""

from enum import StrEnum

from switchover.model.failure_kind import FailureKind

LATE_MS = 1000.0
"""The default late threshold, in ms after the due time."""
LATE_SHARE = 0.01
"""The maximum share of probes in a baseline that may be late."""


class Outcome(StrEnum):
    GOOD = "good"
    LATE = "late"
    """An expected response. Its latency from the due time exceeds the late threshold (RFC 6412 section 3.7.1)."""
    FAILED = "failed"
    UNSENT = "unsent"
    """The client could not send the request, for example because it had no free port."""


_BY_NAME = {outcome.value: outcome for outcome in Outcome} | {"ok": Outcome.GOOD, "generator": Outcome.UNSENT}
"""Outcomes by name, including the names of earlier versions."""


def read_outcome(name: str) -> Outcome | None:
    """Return the outcome with this name. None: the name is unknown."""
    return _BY_NAME.get(name)


def latency_us(start_us: int, end_us: int, intended_us: int | None) -> int:
    """Return the time from the due time of a request to the end of its response. Without a due time, the request's
    start is used."""
    return end_us - (start_us if intended_us is None else intended_us)


def decide_outcome(error: FailureKind | None, success: bool, latency_us: int, late_us: int) -> Outcome:
    """Return the outcome. `late_us`: the maximum latency of a good response. For speed, `outcome_sql` and
    `SampleKinds` have copies of this rule. Tests check that the copies agree."""
    if error is FailureKind.GENERATOR:
        return Outcome.UNSENT
    if not success:
        return Outcome.FAILED
    return Outcome.LATE if latency_us > late_us else Outcome.GOOD
