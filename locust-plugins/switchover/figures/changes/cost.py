"""The losses and delays that changes caused for a load, by kind of connection and by change."""

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
"""SQL: a client lost a request, a message or a stream. An error of the load's own process is not a loss."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection was closed gracefully: without a request in progress, or after an announcement."""
LOSSES_LISTED = 10
"""The maximum number of losses in a verdict."""
WHOLE_BODIES = frozenset[str]({HeldKind.DOWNLOAD, HeldKind.UPLOAD})
"""Kinds of connections with long requests by design. The delay of such a request is not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The losses and delays of one load: of the held connections, or of the samples."""

    kinds: Sequence[Kind] = ()
    caused: Sequence[Interval] = ()
    """The delay in microseconds that the changes caused, for each kind except `WHOLE_BODIES`."""
    felt: Mapping[int, Mapping[str, Felt]] = field(default_factory=dict)
    """Losses and delays by the number of the change and the kind. A kind of held connections without losses and
    delays is absent."""
    losses: Sequence[tuple[int, Loss]] = ()
    """The first `LOSSES_LISTED` losses of each kind, each with its rank among the losses of its kind, from 1."""
    lost_before: int = 0
    """Losses before the first change. Only counted for held connections."""
    asked_before: int = 0
    """Requests before the first change. Only counted for held connections."""
    generator_errors: int = 0
    """Errors of the load's own process before the end of the run."""


def make_kind(
    kind: str, *, exposed: int, lost: int, lossy: int, changes: int, delay: Delay | None, **counts: int
) -> Kind:
    """Make the figures of one kind over all changes.

    `delay`: None if no request of this kind belongs to a change, or if all requests do.
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
    """Choose the first loss of each kind, then the second loss of each kind, and so on. Return them sorted by
    time."""
    chosen = sorted(losses, key=lambda loss: (loss[0], loss[1].at_us, loss[1].place))[:LOSSES_LISTED]
    return sorted((loss for _, loss in chosen), key=lambda loss: loss.at_us)
