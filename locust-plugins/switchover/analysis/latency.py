"""How long good answers took, seen from the schedule and from the actual send.

The two differ where the client was held up: a client that waits for an answer before it sends the next request
leaves out what it would have sent meanwhile (coordinated omission). Only the first view shows that.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from switchover.analysis.outcome import Outcome, latency_us, outcome_of
from switchover.samples import Sample


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Nearest-rank percentiles, in microseconds."""

    p50_us: int
    p90_us: int
    p99_us: int
    max_us: int


@dataclass(frozen=True, slots=True)
class Latency:
    """Of good and late answers; failures have no answer to time."""

    from_schedule: Percentiles | None
    """None where nothing was scheduled (a closed loop)."""
    from_send: Percentiles


def latency_of(samples: Iterable[Sample], late_us: int) -> Latency | None:
    answered = [s for s in samples if outcome_of(s, late_us) in (Outcome.GOOD, Outcome.LATE)]
    if not answered:
        return None
    scheduled = [latency_us(sample) for sample in answered if sample.intended_us is not None]
    return Latency(
        from_schedule=percentiles(scheduled) if len(scheduled) == len(answered) else None,
        from_send=percentiles([sample.end_us - sample.start_us for sample in answered]),
    )


def percentiles(values: Sequence[int]) -> Percentiles:
    """Of at least one value."""
    ranked = sorted(values)
    return Percentiles(*(nearest_rank(ranked, share) for share in (50, 90, 99, 100)))


def nearest_rank(ranked: Sequence[int], percent: int) -> int:
    """The smallest of the ranked values that at least this share of them does not exceed."""
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]
