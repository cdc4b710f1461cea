"""What a series of changes cost one kind of connection, and what is counted as a loss."""

from dataclasses import dataclass

from switchover.analysis.change_delay import Delay
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Interval
from switchover.model.patient_kind import PatientKind

CONFIDENCE = 0.95
LOST = f"NOT success AND error <> '{FailureKind.GENERATOR}'"
"""SQL: a request, a message or a stream that a client has lost. What its own process could not do is none."""
POLITE = "success AND ended_by <> ''"
"""SQL: a connection that was closed when nothing was under way, or that had said before that it would end."""
WHOLE_BODIES = frozenset[str]({PatientKind.DOWNLOAD, PatientKind.UPLOAD})
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
    lossy_bounds: tuple[float, float]
    """The share of lossy changes: one-sided bounds of 95 % each (Clopper and Pearson)."""
    closed_politely: int
    reset: int
    generator_errors: int
    delay: Delay | None
    """None: nothing of this kind ended within a change, or between changes. Of samples: of the label whose requests
    waited longest beyond what is usual."""
    caused: Interval | None
    """What a change added at most, of all labels, in microseconds."""

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
