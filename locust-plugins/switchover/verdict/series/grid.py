"""The time intervals in which requests are counted: fine around the events of a run, otherwise coarse."""

from collections.abc import Iterable
from dataclasses import dataclass

from switchover.model.interval import Span, merge_spans

WIDTHS_US = tuple(
    round(seconds * 1e6) for seconds in (0.2, 0.4, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
)
"""The possible widths of intervals in microseconds. Each divides a minute or an hour."""
COARSE = 600
"""The maximum number of intervals for a run, about one per pixel of a narrow chart."""
FINE = 300
"""The maximum number of intervals for each event."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive intervals of one width."""

    from_us: int
    width_us: int
    count: int

    @property
    def to_us(self) -> int:
        return self.from_us + self.width_us * self.count


@dataclass(frozen=True, slots=True)
class Grid:
    """Consecutive segments. Every microsecond from their start to their end belongs to one interval."""

    segments: tuple[Segment, ...]

    @property
    def size(self) -> int:
        return sum(segment.count for segment in self.segments)

    def stretches(self) -> list[tuple[int, int]]:
        """Return the start and the width of each interval, in microseconds."""
        return [(s.from_us + s.width_us * n, s.width_us) for s in self.segments for n in range(s.count)]

    def number_of(self, column: str) -> str:
        """Return SQL for the number of the interval of a column's time. A time outside of all intervals has the
        number of the first or the last interval."""
        cases, before = [], 0
        for segment in self.segments:
            number = f"{before} + greatest(0, {column} - {segment.from_us}) // {segment.width_us}"
            cases.append(f"WHEN {column} < {segment.to_us} THEN {number}")
            before += segment.count
        return f"CAST(CASE {' '.join(cases)} ELSE {before - 1} END AS INTEGER)"


def grid_of(from_us: int, to_us: int, events: Iterable[Span] = ()) -> Grid:
    """Divide a run into intervals. `events`: parts of the run that get finer intervals."""
    coarse_us = _width(to_us - from_us, COARSE)
    within = [Span(max(event.from_us, from_us), min(event.to_us, to_us)) for event in events]
    segments: list[Segment] = []
    at_us = from_us
    for near in merge_spans(span for span in within if span.duration_us > 0):
        fine_us = _width(near.duration_us, FINE)
        if fine_us >= coarse_us:
            continue
        count = (near.from_us - at_us) // coarse_us
        if count > 0:
            segments.append(Segment(at_us, coarse_us, count))
            at_us += count * coarse_us
        count = -(-(near.to_us - at_us) // fine_us)
        segments.append(Segment(at_us, fine_us, count))
        at_us += count * fine_us
    if at_us < to_us or not segments:
        segments.append(Segment(at_us, coarse_us, max(1, -(-(to_us - at_us) // coarse_us))))
    return Grid(tuple(segments))


def _width(length_us: int, count_limit: int) -> int:
    for width_us in WIDTHS_US:
        if length_us <= width_us * count_limit:
            return width_us
    return -(-length_us // count_limit)
