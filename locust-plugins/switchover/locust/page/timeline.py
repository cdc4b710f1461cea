"""Requests and probes per second: the last quarter of an hour second by second, what is older in longer stretches."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from switchover.model.outcome import Outcome

KEEP_S = 900
"""The newest seconds, which are kept one by one."""
WIDE_S = 15
"""The shortest stretch that older seconds are added up to; it doubles whenever there are too many of them."""
WIDE_LIMIT = 480
OUTCOMES = (Outcome.GOOD, Outcome.FAILED, Outcome.LATE)

Counts = list[int]
"""As many as there are outcomes."""


class TimelineStretch:
    """What ended within `width_s` seconds from `at_s` on, epoch seconds."""

    __slots__ = ("at_s", "by_series", "probes", "requests", "revision", "width_s")

    def __init__(self, at_s: int, width_s: int = 1) -> None:
        self.at_s = at_s
        self.width_s = width_s
        self.requests: Counts = [0, 0, 0]
        self.probes: Counts = [0, 0, 0]
        self.by_series: dict[int, Counts] = {}
        """Requests, by the number of their series."""
        self.revision = 0

    def add(self, other: "TimelineStretch") -> None:
        add(self.requests, other.requests)
        add(self.probes, other.probes)
        for series, counts in other.by_series.items():
            add(self.by_series.setdefault(series, [0, 0, 0]), counts)


def add(total: Counts, more: Iterable[int]) -> None:
    for index, count in enumerate(more):
        total[index] += count


class Timeline:
    """Every change gives its stretch a higher revision, so that a reader can ask for what has changed since.

    Stretches of more than a second never reach over the border between two phases.
    """

    def __init__(self) -> None:
        self.revision = 0
        self._seconds: dict[int, TimelineStretch] = {}
        self._wide: list[TimelineStretch] = []
        self._width_s = WIDE_S

    def count(self, at_s: int, series: int | None, outcome: int, number: int) -> None:
        """More (or, where a total was corrected, fewer) requests of a series, or probes where that is None."""
        stretch = self._stretch(at_s)
        if series is None:
            stretch.probes[outcome] += number
        else:
            stretch.requests[outcome] += number
            stretch.by_series.setdefault(series, [0, 0, 0])[outcome] += number
        self.revision += 1
        stretch.revision = self.revision

    def fold(self, phase_of: Callable[[int], str]) -> None:
        """Add up what has become old; `phase_of` tells the phase of a generation second."""
        if len(self._seconds) <= KEEP_S:
            return
        oldest_kept = max(self._seconds) - KEEP_S
        for at_s in sorted(at_s for at_s in self._seconds if at_s <= oldest_kept):
            self._fold_one(self._seconds.pop(at_s), phase_of)
        while len(self._wide) > WIDE_LIMIT:
            self._width_s *= 2
            finer, self._wide = self._wide, []
            for stretch in finer:
                self._fold_one(stretch, phase_of)
            if len(self._wide) == len(finer):
                break  # as many phases as stretches: nothing is left to add up

    def stretches(self) -> Iterator[TimelineStretch]:
        """All of them, in order of time."""
        yield from self._wide
        for at_s in sorted(self._seconds):
            yield self._seconds[at_s]

    def last(self, seconds: int, before_s: int) -> Iterator[TimelineStretch]:
        """Those of the newest seconds before a time."""
        for at_s in range(before_s - seconds, before_s):
            stretch = self._seconds.get(at_s)
            if stretch is not None:
                yield stretch

    def _stretch(self, at_s: int) -> TimelineStretch:
        stretch = self._seconds.get(at_s)
        if stretch is None:
            if self._wide and at_s < self._wide[-1].at_s + self._wide[-1].width_s:
                place = bisect_right(self._wide, at_s, key=lambda wide: wide.at_s)
                return self._wide[max(place - 1, 0)]
            stretch = self._seconds[at_s] = TimelineStretch(at_s)
        return stretch

    def _fold_one(self, stretch: TimelineStretch, phase_of: Callable[[int], str]) -> None:
        """Into the last wide stretch if it belongs there, else into a new one behind it."""
        at_s = stretch.at_s
        last = self._wide[-1] if self._wide else None
        if (
            last is None
            or at_s // self._width_s > last.at_s // self._width_s
            or phase_of(at_s) != phase_of(last.at_s)
        ):
            last = TimelineStretch(at_s)
            self._wide.append(last)
        last.add(stretch)
        last.width_s = at_s + stretch.width_s - last.at_s
        self.revision += 1
        last.revision = self.revision
