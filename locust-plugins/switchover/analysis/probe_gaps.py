"""Where did the probes look, and for how long did they not look? What nothing was sent into was not seen."""

import numpy as np

from switchover.analysis.outage import Gap, Outage
from switchover.analysis.probes import Probes
from switchover.analysis.requests.table import Integers

HOLE_INTERVALS = 10
"""Sends that are further apart than this many intervals leave a hole: whatever happened in it was not seen."""
STALL_US = 50_000
"""A busy machine without real-time scheduling holds its senders up for a moment (12 ms measured at 1,000/s). Away
from the edges of an outage a hole that short is told, not judged."""
BOUND_SHARE = 0.10
"""A hole, or a bound that comes of slots left out, that is a larger part of the outage leaves it unmeasured."""

Interval = tuple[int, int]


def holes_of(probes: Probes, since_us: int, until_us: int, outage: Outage) -> tuple[list[Interval], list[Interval]]:
    """The holes that make a figure worthless, and the smaller ones, between an event and its horizon.

    `probes`: those of the fresh stream that were sent and recorded, in send order. The time from the event to the
    first and from the last to the horizon counts like that between two; a hole at an edge of the outage counts
    whatever its size, also where it began before the event.
    """
    hole_us = max(HOLE_INTERVALS * (outage.interval_us or 0), 1)
    grave_us = max(hole_us, STALL_US, BOUND_SHARE * outage.duration_us)
    edges = edges_of(outage)
    starts = probes.starts
    within = starts[(since_us < starts) & (starts < until_us)]
    ends = np.array([since_us, until_us])
    inside = _longer(np.unique(np.concatenate([ends, within])), hole_us)
    grave = [hole for hole in inside if hole[1] - hole[0] > grave_us]
    at_edges = [hole for hole in _longer(starts, hole_us) if any(overlap(hole, edge) for edge in edges)]
    known = {*grave, *at_edges}
    return at_edges + grave, [hole for hole in inside if hole not in known]


def _longer(times: Integers, limit_us: float) -> list[Interval]:
    """The stretches between two of the times that are longer than this."""
    places = np.flatnonzero(np.diff(times) > limit_us)
    return list(zip(times[places].tolist(), times[places + 1].tolist(), strict=True))


def edges_of(outage: Outage) -> list[Interval]:
    """The stretches in which an outage may have begun, and ended."""
    if not outage.gaps:
        return []
    first, last = outage.gaps[0], outage.gaps[-1]
    return [_left_edge(first), *([(last.to_us - last.early_right_us, last.to_us)] if last.closed else [])]


def overlap(one: Interval, other: Interval) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def milliseconds(hole: Interval) -> int:
    return round((hole[1] - hole[0]) / 1000)


def _left_edge(gap: Gap) -> Interval:
    return min(gap.from_us, gap.first_us), max(gap.from_us, gap.first_us)
