"""The knee of a sweep: the offered rate from which answers no longer keep up."""

from collections.abc import Sequence
from dataclasses import dataclass

KEEPS_UP = 0.95
"""Share of the offered rate that must be answered well."""
TIMES_SLOWER = 3.0
"""Than at the lightest step."""


@dataclass(frozen=True, slots=True)
class SweepStep:
    """One step of a sweep: rates a second, mean answer time in milliseconds (None: no good answer)."""

    offered: float
    good_rate: float
    mean_ms: float | None


@dataclass(frozen=True, slots=True)
class KneeBetween:
    """The last step that kept up and the first that did not; a None lies outside of the sweep."""

    kept_up: float | None
    fell_behind: float | None

    @property
    def middle(self) -> float | None:
        """Halfway between; None where the sweep has no knee inside."""
        return None if self.kept_up is None or self.width is None else self.kept_up + self.width / 2

    @property
    def width(self) -> float | None:
        """From one step to the next; None as for `middle`."""
        return None if self.kept_up is None or self.fell_behind is None else self.fell_behind - self.kept_up


def find_knee(steps: Sequence[SweepStep]) -> KneeBetween:
    """A step falls behind where less than 95 % of the offered rate is answered well, or the mean is over three times
    that of the lightest step."""
    ranked = sorted(steps, key=lambda step: step.offered)
    lightest = ranked[0].mean_ms if ranked else None
    kept_up = None
    for step in ranked:
        slow = step.mean_ms is None or (lightest is not None and step.mean_ms > TIMES_SLOWER * lightest)
        if slow or step.good_rate < KEEPS_UP * step.offered:
            return KneeBetween(kept_up, step.offered)
        kept_up = step.offered
    return KneeBetween(kept_up, None)
