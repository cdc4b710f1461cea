"""What a series of changes costs a load, by kinds of connection and by change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from switchover.analysis.change_delay import Delay
from switchover.analysis.statistics import proportion_bounds
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Interval

CONFIDENCE = 0.95
LOST = f"NOT success AND error <> '{FailureKind.GENERATOR}'"
"""SQL: a request, a message or a stream that a client has lost. What its own process could not do is none."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection that was closed when nothing was under way, or that had said before that it would end."""
LOSSES_LISTED = 10
"""What a reader looks at first."""
WHOLE_BODIES = frozenset[str]({HeldKind.DOWNLOAD, HeldKind.UPLOAD})
"""Kinds whose requests last by design: that one took a little longer is no delay that a user would name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFigures:
    """One kind of connection, or the samples of the load, over all changes of a run."""

    kind: str
    exposed: int
    """Connections that were open when a change began, summed over the changes; samples that were under way."""
    lost: int
    """That belong to a change."""
    lost_elsewhere: int
    """Before the first change, or when one had settled."""
    lossy: int
    """Changes that lost something of this kind."""
    changes: int
    closed_politely: int
    reset: int
    generator_errors: int
    delay: Delay | None
    """None: nothing of this kind ended within a change, or between changes. Of samples: of the label whose requests
    waited longest beyond what is usual."""
    caused: Interval | None
    """What a change added at most, of all labels, in microseconds."""

    @property
    def lossy_bounds(self) -> tuple[float, float]:
        """The share of lossy changes: one-sided bounds of 95 % each (Clopper and Pearson)."""
        return proportion_bounds(self.lossy, self.changes, CONFIDENCE)

    @property
    def lost_per_thousand(self) -> float | None:
        """Of the connections that were open."""
        return 1000 * self.lost / self.exposed if self.exposed else None


@dataclass(frozen=True, slots=True)
class Felt:
    """What one kind of connection, or the samples of the load, felt of one change."""

    exposed: int = 0
    """Connections that were open when it began; samples that were under way."""
    lost: int = 0
    closed_politely: int = 0
    longest_us: int | None = None
    """The longest wait of what ended within the change; None: nothing did."""
    delayed: bool = False
    """That is above the same percentile between the changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One of the losses."""

    kind: str
    rank: int
    """Its place among the losses of its kind, in the order of time: from 1 on."""
    change: int | None
    at_us: int
    after_change_us: int | None
    """From the change's command to the loss."""
    error: str
    ended_by: str
    position: int | None
    worker: str
    place: str
    """The place and its connection; of a sample its label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What it cost one load: the held one, or the samples."""

    kinds: Sequence[KindFigures] = ()
    felt: Mapping[int, Mapping[str, Felt]] = field(default_factory=dict)
    """By the change's number; kinds of connection that felt nothing of it are left out."""
    losses: Sequence[Loss] = ()
    """Of each kind the first `LOSSES_LISTED`."""
    lost_before: int = 0
    """Before the first change; counted of the held connections alone."""
    asked_before: int = 0
    generator_errors: int = 0
    """Of the load's own process, before the run ended."""


def first_losses(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """In the order of time: the first of each kind, then the second of each, and so on."""
    chosen = sorted(losses, key=lambda loss: (loss.rank, loss.at_us, loss.place))[:LOSSES_LISTED]
    return tuple(sorted(chosen, key=lambda loss: loss.at_us))
