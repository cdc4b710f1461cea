"""The probes of a run, and the times between the sending of two probes. An outage that begins and ends between the
sending of two probes is not detected. The longest time between two probes, outside of the outage, is the detection
limit. At the start or end of an outage, the time between two probes is the uncertainty of this start or end."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from switchover.evidence.requests.columns import SENT
from switchover.evidence.requests.store import Integers
from switchover.evidence.requests.table import Requests
from switchover.model.interval import NO_SPAN, Span
from switchover.rundir.run_directory import Run

USUAL_PERCENT = 99
"""This percentile of the durations of good responses before the fault is the usual duration of a good response."""

_GOOD, _LATE, _FAILED = range(3)


class Probes:
    """Probes in the order of sending. For speed, each property is stored as one array."""

    def __init__(self, starts: Integers, ends: Integers, proofs: Integers, outcomes: npt.NDArray[np.uint8]) -> None:
        """`proofs`: for each response, the latest time for which the response proves that the service was up."""
        self.starts = starts
        self.ends = ends
        self.proofs = proofs
        self._outcomes = outcomes
        self.good = outcomes == _GOOD
        self.late = outcomes == _LATE
        self.failed = outcomes == _FAILED

    @property
    def impaired(self) -> npt.NDArray[np.bool_]:
        mask: npt.NDArray[np.bool_] = self.late | self.failed
        return mask

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Probes":
        return Probes(self.starts[chosen], self.ends[chosen], self.proofs[chosen], self._outcomes[chosen])

    def __len__(self) -> int:
        return len(self.starts)


def is_probed(run: Run) -> bool:
    return run.settings.probe_rate != 0


def why_unprobed(run: Run) -> str:
    return "no probe was recorded" if is_probed(run) else "there was no prober"


def probes_of(requests: Requests, late_us: int) -> Probes:
    """Return the probes on new connections in the order of sending, without unsent probes. Here a probe is late only
    if its response took too long after the sending: if the prober sends a probe late, the service is not the cause.
    """
    late = f"end_us - start_us > {int(late_us)}"
    codes = f"CASE WHEN NOT success THEN {_FAILED} WHEN {late} THEN {_LATE} ELSE {_GOOD} END"
    columns = requests.arrays(
        f"SELECT start_us, end_us, coalesce(intended_us, start_us) AS due_us, CAST({codes} AS UTINYINT) AS code "
        f"FROM {{requests}} WHERE stream = 'fresh' AND {SENT}"
    )
    order = np.lexsort((columns["end_us"], columns["start_us"]))
    starts, ends, dues, outcomes = (columns[name][order] for name in ("start_us", "end_us", "due_us", "code"))
    return Probes(starts, ends, _proofs(starts, ends, dues), outcomes)


HELD_UP_US = 1_000
"""The largest normal send delay of the prober. On an idle machine, the 99th percentile of the delay is 0.1 to 0.6 ms
(measured)."""


def _proofs(starts: Integers, ends: Integers, dues: Integers) -> Integers:
    """Return, for each probe, the latest time for which its response proves that the service was up. The service was
    up when the response was read. If the prober was delayed around the time of reading, the arrival time of the
    response is unknown. Then only the sending of the probe proves that the service was up."""
    if not len(starts):
        return ends
    caught_up = np.maximum.accumulate(np.where(starts - dues > HELD_UP_US, starts, starts[0] - HELD_UP_US - 1))
    following = np.searchsorted(starts, ends, side="right")
    since_us = ends - caught_up[following - 1]
    has_just_caught_up = (since_us >= 0) & (since_us <= HELD_UP_US)
    is_behind = ends - np.append(dues, np.iinfo(np.int64).max)[following] > HELD_UP_US
    return np.where(has_just_caught_up | is_behind, starts, ends)


def usual_us(probes: Probes, before_us: int) -> int | None:
    """Return the 99th percentile (nearest rank) of the durations of good responses before a time, in microseconds."""
    times = (probes.ends - probes.starts)[probes.good & (probes.ends <= before_us)]
    if not len(times):
        return None
    rank = -(-len(times) * USUAL_PERCENT // 100) - 1
    return int(np.partition(times, rank)[rank])


PROBE_GAP_INTERVALS = 10
"""A time between two probes of up to this number of probe intervals never makes a run invalid."""
STOOD_STILL_INTERVALS = 3
"""If the time between two probes is longer than this number of probe intervals, this time may explain an inconclusive
limit."""
USUAL_PROBE_GAP_US = 50_000
"""The longest usual send delay, in microseconds, on a busy machine. A process that only slept had 22 delays of 10 to
25 ms in 30 s (measured)."""


def tolerated_us(interval_us: float | None) -> float:
    """Return the largest detection limit, in microseconds, at which a run without an impaired probe still keeps every
    limit."""
    return max(USUAL_PROBE_GAP_US, PROBE_GAP_INTERVALS * (interval_us or 0))


def longest_unseen(probes: Probes, since_us: int, until_us: int, away: Iterable[Span] = ()) -> Span:
    """Return the longest time in which no probe was sent, from `since_us` to `until_us`, outside of the known gaps
    (`away`)."""
    longest = Span(since_us, since_us)
    if until_us <= since_us:
        return longest
    within = probes.starts[(since_us < probes.starts) & (probes.starts < until_us)]
    times = np.unique(np.concatenate([np.array([since_us, until_us]), within]))
    pauses = np.column_stack([times[:-1], times[1:]])
    gaps = sorted(away)
    begins, ends = [gap.from_us for gap in gaps], list(accumulate((gap.to_us for gap in gaps), max))
    # The longest pauses come first, so the search ends at the first pause that is shorter than `longest`.
    for place in np.argsort(times[:-1] - times[1:], kind="stable").tolist():
        pause = Span(*pauses[place].tolist())
        if pause.duration_us <= longest.duration_us:
            break
        near = gaps[bisect_right(ends, pause.from_us) : bisect_left(begins, pause.to_us)]
        for rest in pause.without(near):
            if rest.duration_us > longest.duration_us:
                longest = rest
    return longest


def unseen_near(probes: Probes, edge: Span) -> Span:
    """Return the longest time between two probes that overlaps `edge`, the start or end of an outage."""
    starts = probes.starts
    first = max(0, int(np.searchsorted(starts, edge.from_us)) - 1)
    last = min(len(starts), int(np.searchsorted(starts, edge.to_us)) + 1)
    near = starts[first:last]
    if len(near) < 2:
        return NO_SPAN
    place = int(np.argmax(np.diff(near)))
    return Span(int(near[place]), int(near[place + 1]))


def is_probe_gap(pause: Span, interval_us: float | None) -> bool:
    """Return True if the time between two probes is longer than the schedule explains."""
    return pause.duration_us > STOOD_STILL_INTERVALS * (interval_us or 0)
