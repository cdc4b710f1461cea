"""Periods of a run, and figures with a lower and an upper bound."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A period on the clock of the run, in whole microseconds."""

    from_us: int
    to_us: int

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us

    def overlaps(self, other: "Span") -> bool:
        return self.from_us < other.to_us and other.from_us < self.to_us

    def without(self, excluded: Iterable["Span"]) -> list["Span"]:
        """Return the parts of this period that are outside of `excluded`, sorted by time."""
        parts, from_us = [], self.from_us
        for span in merge_spans(excluded):
            if span.to_us > from_us and span.from_us < self.to_us:
                if span.from_us > from_us:
                    parts.append(Span(from_us, span.from_us))
                from_us = span.to_us
        return [*parts, Span(from_us, self.to_us)] if from_us < self.to_us else parts


NO_SPAN = Span(0, 0)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Merge adjacent and overlapping periods. The result is sorted by time."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.from_us <= merged[-1].to_us:
            merged[-1] = Span(merged[-1].from_us, max(merged[-1].to_us, span.to_us))
        else:
            merged.append(span)
    return merged


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with a lower and an upper bound, both inclusive. `high` None: the upper bound is unknown."""

    low: float
    high: float | None

    def is_within(self, limit: float) -> bool | None:
        """Return True if the whole interval is within the limit, False if it is above the limit, otherwise None."""
        if self.high is not None and self.high <= limit:
            return True
        return False if self.low > limit else None


def longest_of(intervals: Iterable[Interval]) -> Interval:
    """Return the bounds of the longest of several durations, or 0 if there are none. `high` is None if any upper
    bound is unknown."""
    lows, highs = [0.0], [0.0]
    for interval in intervals:
        lows.append(interval.low)
        highs.append(math.inf if interval.high is None else interval.high)
    return Interval(max(lows), None if math.inf in highs else max(highs))
