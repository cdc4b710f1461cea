"""The metronome's probes as the outage sees them: when sent, when over, how; and for how long none was sent.

What happened in a stretch without a send was not seen. A stretch at an edge of an outage is in the bound of that
edge. One elsewhere could have hidden a gap of its own length: it is the resolution of "none" and of "nothing
came later".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import overload

import numpy as np
import numpy.typing as npt

from switchover.analysis.requests.columns import outcome_sql
from switchover.analysis.requests.store import Integers
from switchover.analysis.requests.table import Requests
from switchover.model.interval import NO_SPAN, Span
from switchover.model.outcome import Outcome
from switchover.rundir.run_directory import Run

USUAL_PERCENT = 99
"""The share of good answers before the fault that took no longer than the usual time to answer."""

NO_METRONOME = "there was no metronome"
NO_PROBE = "no probe was recorded"

_OUTCOMES = (Outcome.GOOD, Outcome.LATE, Outcome.FAILED, Outcome.UNSENT)
_GOOD, _LATE, _FAILED, _UNSENT = range(4)


@dataclass(frozen=True, slots=True)
class Probe:
    """One request on a fixed schedule, as far as the outage needs it."""

    start_us: int
    end_us: int
    outcome: Outcome

    @property
    def impaired(self) -> bool:
        return self.outcome is Outcome.FAILED or self.outcome is Outcome.LATE


class Probes(Sequence[Probe]):
    """Probes in the order in which they were sent; an hour of them are millions, so they are columns."""

    __slots__ = ("_outcomes", "ends", "failed", "good", "late", "starts")

    def __init__(self, starts: Integers, ends: Integers, outcomes: npt.NDArray[np.uint8]) -> None:
        self.starts = starts
        self.ends = ends
        self._outcomes = outcomes
        self.good = outcomes == _GOOD
        self.late = outcomes == _LATE
        self.failed = outcomes == _FAILED

    @property
    def impaired(self) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self.late | self.failed
        return found

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Probes":
        return Probes(self.starts[chosen], self.ends[chosen], self._outcomes[chosen])

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Probe: ...

    @overload
    def __getitem__(self, index: slice) -> "Probes": ...

    def __getitem__(self, index: int | slice) -> "Probe | Probes":
        if isinstance(index, slice):
            return Probes(self.starts[index], self.ends[index], self._outcomes[index])
        return Probe(int(self.starts[index]), int(self.ends[index]), _OUTCOMES[self._outcomes[index]])

    def __iter__(self) -> Iterator[Probe]:
        return (self[place] for place in range(len(self)))


def is_probed(run: Run) -> bool:
    """False where the run was planned without a metronome: whether there was an outage is then unknown."""
    return run.settings.probe_rate != 0


def why_unprobed(run: Run) -> str:
    """Why an outage is unknown."""
    return NO_PROBE if is_probed(run) else NO_METRONOME


def probes_of(requests: Requests, late_us: int, *, stream: str = "fresh") -> Probes:
    """The probes of one stream in the order in which they were sent, less those that the client could not send."""
    codes = f"CASE outcome WHEN '{Outcome.FAILED}' THEN {_FAILED} WHEN '{Outcome.LATE}' THEN {_LATE} ELSE {_GOOD} END"
    found = requests.arrays(
        f"SELECT start_us, end_us, CAST({codes} AS UTINYINT) AS code "
        f"FROM (SELECT *, {outcome_sql(late_us)} AS outcome FROM {{requests}}) "
        f"WHERE stream = ? AND outcome <> '{Outcome.UNSENT}'",
        [stream],
    )
    return _ordered(found["start_us"], found["end_us"], found["code"])


def in_send_order(probes: Iterable[Probe]) -> Probes:
    if isinstance(probes, Probes):
        return _ordered(probes.starts, probes.ends, probes._outcomes)
    rows = list(probes)
    codes = [_OUTCOMES.index(probe.outcome) for probe in rows]
    starts = np.fromiter((probe.start_us for probe in rows), np.int64)
    return _ordered(starts, np.fromiter((probe.end_us for probe in rows), np.int64), np.array(codes, np.uint8))


def usual_us(probes: Probes, before_us: int) -> int | None:
    """What an answer usually took: the 99th percentile (nearest rank) of the good ones that came before a time."""
    times = (probes.ends - probes.starts)[probes.good & (probes.ends <= before_us)]
    if not len(times):
        return None
    rank = -(-len(times) * USUAL_PERCENT // 100) - 1
    return int(np.partition(times, rank)[rank])


def _ordered(starts: Integers, ends: Integers, outcomes: npt.NDArray[np.uint8]) -> Probes:
    order = np.lexsort((ends, starts))
    return Probes(starts[order], ends[order], outcomes[order])


HOLE_INTERVALS = 10
"""Sends that are further apart than this many intervals stand out from a schedule that is kept."""
STOOD_STILL_INTERVALS = 3
"""Two sends that are further apart than this many intervals are worth a word where they leave a budget undecided."""
USUAL_HOLE_US = 50_000
"""A hypervisor or a busy machine holds a sender up for this long without anything being wrong: 22 stretches of 10 to
25 ms in 30 s of a loop that only sleeps (measured)."""


def tolerated_us(interval_us: float | None) -> float:
    """The resolution up to which "none" keeps any limit."""
    return max(USUAL_HOLE_US, HOLE_INTERVALS * (interval_us or 0))


def longest_unseen(probes: Probes, since_us: int, until_us: int, away: Iterable[Span] = ()) -> Span:
    """The longest stretch between two sends, from an event to its horizon, outside of what is known as away.

    `probes`: those of the fresh stream that were sent and recorded, in send order. The time from the event to the
    first and from the last to the horizon counts like that between two.
    """
    if until_us <= since_us:
        return Span(since_us, since_us)
    within = probes.starts[(since_us < probes.starts) & (probes.starts < until_us)]
    times = np.unique(np.concatenate([np.array([since_us, until_us]), within]))
    stretches = np.column_stack([times[:-1], times[1:]])
    gaps = sorted(away)
    begins, ends = [gap.from_us for gap in gaps], list(accumulate((gap.to_us for gap in gaps), max))
    longest = Span(since_us, since_us)
    # Taking away only shortens, so no stretch after one that is shorter than the longest so far can be longer.
    for place in np.argsort(times[:-1] - times[1:], kind="stable").tolist():
        from_us, to_us = stretches[place].tolist()
        if to_us - from_us <= longest.duration_us:
            break
        near = gaps[bisect_right(ends, from_us) : bisect_left(begins, to_us)]
        for left in Span(from_us, to_us).without(near):
            if left.duration_us > longest.duration_us:
                longest = left
    return longest


def unseen_near(probes: Probes, edge: Span) -> Span:
    """The longest stretch between two sends that touches an edge of an outage; of no length where there is none."""
    starts = probes.starts
    first = max(0, int(np.searchsorted(starts, edge.from_us)) - 1)
    last = min(len(starts), int(np.searchsorted(starts, edge.to_us)) + 1)
    near = starts[first:last]
    if len(near) < 2:
        return NO_SPAN
    place = int(np.argmax(np.diff(near)))
    return Span(int(near[place]), int(near[place + 1]))


def is_hole(stretch: Span, interval_us: float | None) -> bool:
    """Whether a stretch between two sends is longer than the schedule explains."""
    return stretch.duration_us > STOOD_STILL_INTERVALS * (interval_us or 0)
