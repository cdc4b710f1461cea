"""The cost of a series of changes for a load, by kind of connection and by change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from switchover.figures.changes.delay import Delay
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Interval
from switchover.model.statistics import proportion_bounds
from switchover.verdict.record import Felt, Kind, Loss, milliseconds

CONFIDENCE = 0.95
LOST = f"NOT success AND error <> '{FailureKind.GENERATOR}'"
"""SQL: a request, a message or a stream that a client lost. An error of the load's own process is no loss."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection that was closed with nothing in progress, or after an announcement."""
LOSSES_LISTED = 10
"""The most losses that a verdict lists."""
WHOLE_BODIES = frozenset[str]({HeldKind.DOWNLOAD, HeldKind.UPLOAD})
"""Kinds whose requests are long by design. A slightly longer request is no delay for a user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost for one load: the held connections, or the samples."""

    kinds: Sequence[Kind] = ()
    caused: Sequence[Interval] = ()
    """The delay that the changes caused, for each kind whose delay counts, in microseconds."""
    felt: Mapping[int, Mapping[str, Felt]] = field(default_factory=dict)
    """The cost by number of the change and kind; held connections without a cost are left out."""
    losses: Sequence[tuple[int, Loss]] = ()
    """The first `LOSSES_LISTED` of each kind, each with its place among the losses of its kind, from 1."""
    lost_before: int = 0
    """Losses before the first change. Only counted for held connections."""
    asked_before: int = 0
    generator_errors: int = 0
    """Errors of the load's own process, before the run ended."""


def make_kind(
    kind: str, *, exposed: int, lost: int, lossy: int, changes: int, delay: Delay | None, **counts: int
) -> Kind:
    """Make the figures of one kind over all changes.

    `delay`: None if no request of this kind ended within a change, or none between changes.
    """
    low, high = proportion_bounds(lossy, changes, CONFIDENCE)
    times: Sequence[float | None] = (None,) * 5
    if delay is not None:
        times = (delay.longest_us, delay.usual.low, delay.usual.high, delay.caused.low, delay.caused.high)
    longest, usual_low, usual_high, caused_low, caused_high = (
        None if us is None else milliseconds(us) for us in times
    )
    return Kind(
        kind=kind,
        exposed=exposed,
        lost=lost,
        lost_per_thousand=round(1000 * lost / exposed, 3) if exposed else None,
        lossy=lossy,
        lossy_low=round(low, 9),
        lossy_high=round(high, 9),
        delay_longest_ms=longest,
        delay_between_low_ms=usual_low,
        delay_between_high_ms=usual_high,
        delay_caused_low_ms=caused_low,
        delay_caused_high_ms=caused_high,
        **counts,
    )


def first_losses(losses: Sequence[tuple[int, Loss]]) -> list[Loss]:
    """Choose the first loss of each kind, then the second of each kind, and so on; in the order of time."""
    chosen = sorted(losses, key=lambda one: (one[0], one[1].at_us, one[1].place))[:LOSSES_LISTED]
    return sorted((loss for _, loss in chosen), key=lambda loss: loss.at_us)
