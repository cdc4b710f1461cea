"""Periods of a run, and durations that are known only as an interval."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A period of the run's clock, in whole microseconds."""

    from_us: int
    to_us: int

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us

    def overlaps(self, other: "Span") -> bool:
        return self.from_us < other.to_us and other.from_us < self.to_us

    def without(self, taken: Iterable["Span"]) -> list["Span"]:
        """Return the rest of this period without the given periods, in order of time."""
        left, from_us = [], self.from_us
        for one in merge_spans(taken):
            if one.to_us > from_us and one.from_us < self.to_us:
                if one.from_us > from_us:
                    left.append(Span(from_us, one.from_us))
                from_us = one.to_us
        return [*left, Span(from_us, self.to_us)] if from_us < self.to_us else left


NO_SPAN = Span(0, 0)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Merge adjoining and overlapping periods, in order of time."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.from_us <= merged[-1].to_us:
            merged[-1] = Span(merged[-1].from_us, max(merged[-1].to_us, span.to_us))
        else:
            merged.append(span)
    return merged


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure between two ends, both included. `high` None: no known end."""

    low: float
    high: float | None

    @property
    def width(self) -> float | None:
        return None if self.high is None else self.high - self.low

    def is_within(self, limit: float) -> bool | None:
        """Return True if the whole interval keeps the limit, False if all of it exceeds it, None otherwise."""
        if self.high is not None and self.high <= limit:
            return True
        return False if self.low > limit else None


def longest_of(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the longest of several durations; 0 for none. A duration without an end leaves it
    without an end."""
    every = list(intervals)
    highs = [one.high for one in every if one.high is not None]
    low = max((one.low for one in every), default=0.0)
    return Interval(low, max(highs, default=0.0) if len(highs) == len(every) else None)
