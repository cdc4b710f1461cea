"""For how long nothing was sent: what happened in such a stretch was not seen.

A stretch at an edge of an outage is in the bound of that edge. One elsewhere could have hidden a gap of its own
length: it is the resolution of "none" and of "nothing came later".
"""

from collections.abc import Iterable

import numpy as np

from switchover.analysis.probes import Probes
from switchover.model.interval import NO_SPAN, Span

HOLE_INTERVALS = 10
"""Sends that are further apart than this many intervals stand out from a schedule that is kept."""
STOOD_STILL_INTERVALS = 3
"""Two sends that are further apart than this many intervals are worth a word where they leave a budget undecided."""
USUAL_HOLE_US = 50_000
"""A hypervisor or a busy machine holds a sender up for this long without anything being wrong: 22 stretches of 10 to
25 ms in 30 s of a loop that only sleeps (measured)."""
GRAVE_HOLE_US = 100_000
"""A stretch that is longer than this, than ten intervals and than the outage leaves the outage unmeasured."""


def tolerated_us(interval_us: float | None) -> float:
    """The resolution up to which "none" keeps any limit."""
    return max(USUAL_HOLE_US, HOLE_INTERVALS * (interval_us or 0))


def grave_us(interval_us: float | None) -> float:
    """The resolution beyond which nothing is known, unless the outage was longer."""
    return max(GRAVE_HOLE_US, HOLE_INTERVALS * (interval_us or 0))


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
    gaps = list(away)
    longest = Span(since_us, since_us)
    # Taking away only shortens, so no stretch after one that is shorter than the longest so far can be longer.
    for place in np.argsort(times[:-1] - times[1:], kind="stable").tolist():
        from_us, to_us = stretches[place].tolist()
        if to_us - from_us <= longest.duration_us:
            break
        for left in Span(from_us, to_us).without(gaps):
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
