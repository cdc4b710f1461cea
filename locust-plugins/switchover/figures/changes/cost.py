"""The losses and delays of a load that changes caused, by kind of connection and by change."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from switchover.figures.changes.delay import Delay
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Interval
from switchover.model.statistics import proportion_bounds
from switchover.verdict.record import Felt, Kind, Loss, milliseconds_if_known

CONFIDENCE = 0.95
LOST = f"NOT success AND error <> '{FailureKind.GENERATOR}'"
"""SQL: a client lost a request, a message or a stream. An error inside the load generator is not a loss."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection was closed politely: while no request was in progress, or after an announcement."""
LOSSES_LISTED = 10
"""The maximum number of losses that a verdict lists."""
WHOLE_BODIES = frozenset[str]({HeldKind.DOWNLOAD, HeldKind.UPLOAD})
"""The kinds of connections whose requests transfer long bodies. The delay of these requests is not measured."""


class Cost(NamedTuple):
    """The losses and delays of the held connections or of the samples."""

    kinds: Sequence[Kind] = ()
    caused: Sequence[Interval] = ()
    """The delay that the changes caused, in microseconds, for each kind of connection except the kinds in
    `WHOLE_BODIES`."""
    felt: Mapping[int, Mapping[str, Felt]] = MappingProxyType({})
    """The losses and delays; the keys are the number of the change and the kind of connection. Kinds of held
    connections that had neither losses nor delays are absent."""
    losses: Sequence[tuple[int, Loss]] = ()
    """The first `LOSSES_LISTED` losses of each kind of connection, each with its rank within this kind (from 1)."""
    lost_before: int = 0
    """The number of losses on held connections before the first change."""
    asked_before: int = 0
    """The number of requests on held connections before the first change."""
    generator_errors: int = 0
    """The number of errors inside the load generator on held connections, before the last second of the run."""


def make_kind(
    kind: str, *, exposed: int, lost: int, lossy: int, changes: int, delay: Delay | None, **counts: int
) -> Kind:
    """Make the figures of a kind of connection, summed over all changes. `delay`: None if the delay is not
    measured."""
    low, high = proportion_bounds(lossy, changes, CONFIDENCE)
    return Kind(
        kind=kind,
        exposed=exposed,
        lost=lost,
        lost_per_thousand=round(1000 * lost / exposed, 3) if exposed else None,
        lossy=lossy,
        lossy_low=round(low, 9),
        lossy_high=round(high, 9),
        delay_longest_ms=milliseconds_if_known(delay and delay.longest_us),
        delay_between_low_ms=milliseconds_if_known(delay and delay.usual.low),
        delay_between_high_ms=milliseconds_if_known(delay and delay.usual.high),
        delay_caused_low_ms=milliseconds_if_known(delay and delay.caused.low),
        delay_caused_high_ms=milliseconds_if_known(delay and delay.caused.high),
        **counts,
    )


def first_losses(losses: Sequence[tuple[int, Loss]]) -> list[Loss]:
    """Choose the first loss of each kind, then the second loss of each kind, and so on. Return the chosen losses in
    the order of time."""
    chosen = sorted(losses, key=lambda loss: (loss[0], loss[1].at_us, loss[1].place))[:LOSSES_LISTED]
    return sorted((loss for _, loss in chosen), key=lambda loss: loss.at_us)
