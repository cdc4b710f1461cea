"""The prober's probes as the outage sees them: when sent, when over, how; and for how long none was sent.

What happened in a stretch without a send was not seen. A stretch at an edge of an outage is in the bound of that
edge. One elsewhere could have hidden a gap of its own length: it is the detection limit of "none" and of "nothing
came later".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from switchover.evidence.requests.columns import outcome_sql
from switchover.evidence.requests.store import Integers
from switchover.evidence.requests.table import Requests
from switchover.model.interval import NO_SPAN, Span
from switchover.model.outcome import Outcome
from switchover.rundir.run_directory import Run

USUAL_PERCENT = 99
"""The share of good answers before the fault that took no longer than the usual time to answer."""

NO_PROBER = "there was no prober"
NO_PROBE = "no probe was recorded"

_GOOD, _LATE, _FAILED = range(3)


class Probes:
    """Probes in the order in which they were sent; an hour of them are millions, so they are columns."""

    __slots__ = ("_outcomes", "ends", "failed", "good", "late", "proofs", "starts")

    def __init__(self, starts: Integers, ends: Integers, proofs: Integers, outcomes: npt.NDArray[np.uint8]) -> None:
        """`proofs`: the latest time at which an answer proves that the service was alive."""
        self.starts = starts
        self.ends = ends
        self.proofs = proofs
        self._outcomes = outcomes
        self.good = outcomes == _GOOD
        self.late = outcomes == _LATE
        self.failed = outcomes == _FAILED

    @property
    def impaired(self) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self.late | self.failed
        return found

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Probes":
        return Probes(self.starts[chosen], self.ends[chosen], self.proofs[chosen], self._outcomes[chosen])

    def __len__(self) -> int:
        return len(self.starts)


def is_probed(run: Run) -> bool:
    """False where the run was planned without a prober: whether there was an outage is then unknown."""
    return run.settings.probe_rate != 0


def why_unprobed(run: Run) -> str:
    """Why an outage is unknown."""
    return NO_PROBE if is_probed(run) else NO_PROBER


def probes_of(requests: Requests, late_us: int) -> Probes:
    """Those on connections of their own, in the order in which they were sent, less those that the client could not
    send."""
    codes = f"CASE outcome WHEN '{Outcome.FAILED}' THEN {_FAILED} WHEN '{Outcome.LATE}' THEN {_LATE} ELSE {_GOOD} END"
    found = requests.arrays(
        f"SELECT start_us, end_us, coalesce(intended_us, start_us) AS due_us, CAST({codes} AS UTINYINT) AS code "
        f"FROM (SELECT *, {outcome_sql(late_us)} AS outcome FROM {{requests}}) "
        f"WHERE stream = 'fresh' AND outcome <> '{Outcome.UNSENT}'"
    )
    order = np.lexsort((found["end_us"], found["start_us"]))
    starts, ends, dues, outcomes = (found[name][order] for name in ("start_us", "end_us", "due_us", "code"))
    return Probes(starts, ends, _proofs(starts, ends, dues), outcomes)


HELD_UP_US = 1_000
"""A prober that is not held up sends a probe within this time of when it is due: the 99th percentile is 0.1 to
0.6 ms (measured)."""


def _proofs(starts: Integers, ends: Integers, dues: Integers) -> Integers:
    """For each probe, the latest time at which its answer proves that the service was alive.

    That is when it was read; where the prober was held up until just before then, it is when the probe was sent:
    the answer may have lain there for as long.
    """
    if not len(starts):
        return ends
    caught_up = np.maximum.accumulate(np.where(starts - dues > HELD_UP_US, starts, starts[0] - HELD_UP_US - 1))
    following = np.searchsorted(starts, ends, side="right")
    since_us = ends - caught_up[following - 1]
    has_just_caught_up = (since_us >= 0) & (since_us <= HELD_UP_US)
    is_behind = ends - np.append(dues, np.iinfo(np.int64).max)[following] > HELD_UP_US
    return np.where(has_just_caught_up | is_behind, starts, ends)


def usual_us(probes: Probes, before_us: int) -> int | None:
    """What an answer usually took: the 99th percentile (nearest rank) of the good ones that came before a time."""
    times = (probes.ends - probes.starts)[probes.good & (probes.ends <= before_us)]
    if not len(times):
        return None
    rank = -(-len(times) * USUAL_PERCENT // 100) - 1
    return int(np.partition(times, rank)[rank])


PROBE_GAP_INTERVALS = 10
"""Sends that are further apart than this many intervals stand out from a schedule that is kept."""
STOOD_STILL_INTERVALS = 3
"""Two sends that are further apart than this many intervals are worth a word where they leave a limit
inconclusive."""
USUAL_PROBE_GAP_US = 50_000
"""A hypervisor or a busy machine holds a sender up for this long without anything being wrong: 22 stretches of 10 to
25 ms in 30 s of a loop that only sleeps (measured)."""


def tolerated_us(interval_us: float | None) -> float:
    """The detection limit up to which "none" keeps any limit."""
    return max(USUAL_PROBE_GAP_US, PROBE_GAP_INTERVALS * (interval_us or 0))


def longest_unseen(probes: Probes, since_us: int, until_us: int, away: Iterable[Span] = ()) -> Span:
    """The longest stretch between two sends, from an event to its horizon, outside of what is known as away.

    `probes`: those of the fresh stream that were sent and recorded, in send order. The time from the event to the
    first and from the last to the horizon counts like that between two.
    """
    if until_us <= since_us:
        return Span(since_us, since_us)
    within = probes.starts[(since_us < probes.starts) & (probes.starts < until_us)]
    times = np.unique(np.concatenate([np.array([since_us, until_us]), within]))
    return _longest_of(times[:-1], times[1:], away, Span(since_us, since_us))


def longest_unanswered(probes: Probes, since_us: int, until_us: int, away: Iterable[Span] = ()) -> Span:
    """The longest stretch in which probes waited and no good answer came, between an event and its horizon, outside
    of what is known as away. Each answer may have come within the late threshold all the same."""
    good = probes.only(probes.good)
    order = np.argsort(good.ends, kind="stable")
    answered = good.ends[order]
    waiting_since = np.minimum.accumulate(good.starts[order][::-1])[::-1]
    begins, ends = np.maximum(answered[:-1], waiting_since[1:]), answered[1:]
    begins, ends = np.maximum(begins, since_us), np.minimum(ends, until_us)
    within = begins < ends
    return _longest_of(begins[within], ends[within], away, NO_SPAN)


def _longest_of(from_us: Integers, to_us: Integers, away: Iterable[Span], longest: Span) -> Span:
    """The longest of these stretches, each without what is away; `longest` where none is longer."""
    stretches = np.column_stack([from_us, to_us])
    gaps = sorted(away)
    begins, ends = [gap.from_us for gap in gaps], list(accumulate((gap.to_us for gap in gaps), max))
    # Taking away only shortens, so no stretch after one that is shorter than the longest so far can be longer.
    for place in np.argsort(from_us - to_us, kind="stable").tolist():
        stretch = Span(*stretches[place].tolist())
        if stretch.duration_us <= longest.duration_us:
            break
        near = gaps[bisect_right(ends, stretch.from_us) : bisect_left(begins, stretch.to_us)]
        for left in stretch.without(near):
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


def is_probe_gap(stretch: Span, interval_us: float | None) -> bool:
    """Return whether a stretch between two sends is longer than the schedule explains."""
    return stretch.duration_us > STOOD_STILL_INTERVALS * (interval_us or 0)
