"""How long good answers took, seen from the schedule and from the actual send.

The two differ where the client was held up: a client that waits for an answer before it sends the next request
leaves out what it would have sent meanwhile (coordinated omission). Only the first view shows that.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

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


class Latencies:
    """Collects how long answers took; eight bytes for each view of each."""

    def __init__(self) -> None:
        self._scheduled = array("q")
        self._sent = array("q")

    def add(self, answered: Sample) -> None:
        self._sent.append(answered.end_us - answered.start_us)
        if answered.intended_us is not None:
            self._scheduled.append(answered.end_us - answered.intended_us)

    def merge(self, other: "Latencies") -> None:
        self._scheduled.extend(other._scheduled)
        self._sent.extend(other._sent)

    def found(self) -> Latency | None:
        if not self._sent:
            return None
        return Latency(
            from_schedule=percentiles(self._scheduled) if len(self._scheduled) == len(self._sent) else None,
            from_send=percentiles(self._sent),
        )


def percentiles(values: Sequence[int]) -> Percentiles:
    """Of at least one value."""
    ranked = sorted(values)
    return Percentiles(*(nearest_rank(ranked, share) for share in (50, 90, 99, 100)))


def nearest_rank(ranked: Sequence[int], percent: int) -> int:
    """The smallest of the ranked values that at least this share of them does not exceed."""
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]
