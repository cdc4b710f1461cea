"""Time as a run knows it: a stretch of the run, and a duration that is known only between two ends."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of the run's clock, in whole microseconds."""

    from_us: int
    to_us: int

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us

    def overlaps(self, other: "Span") -> bool:
        return self.from_us < other.to_us and other.from_us < self.to_us

    def without(self, taken: Iterable["Span"]) -> list["Span"]:
        """What is left of it, in order of time."""
        left, from_us = [], self.from_us
        for one in merge_spans(taken):
            if one.to_us > from_us and one.from_us < self.to_us:
                if one.from_us > from_us:
                    left.append(Span(from_us, one.from_us))
                from_us = one.to_us
        return [*left, Span(from_us, self.to_us)] if from_us < self.to_us else left


NO_SPAN = Span(0, 0)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Adjoining and overlapping stretches as one, in order of time."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.from_us <= merged[-1].to_us:
            merged[-1] = Span(merged[-1].from_us, max(merged[-1].to_us, span.to_us))
        else:
            merged.append(span)
    return merged


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure that lies between two ends, both included. `high` None: it has no known end."""

    low: float
    high: float | None

    @property
    def width(self) -> float | None:
        return None if self.high is None else self.high - self.low

    def is_within(self, limit: float) -> bool | None:
        """True: the whole interval keeps the limit. False: all of it exceeds the limit. None: it cannot be told."""
        if self.high is not None and self.high <= limit:
            return True
        return False if self.low > limit else None


def longest_of(intervals: Iterable[Interval]) -> Interval:
    """Of the longest of several durations; 0 of none. One without an end leaves it without an end."""
    every = list(intervals)
    highs = [one.high for one in every if one.high is not None]
    low = max((one.low for one in every), default=0.0)
    return Interval(low, max(highs, default=0.0) if len(highs) == len(every) else None)
