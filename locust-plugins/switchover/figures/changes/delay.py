"""The delay that changes caused. Durations of requests during changes are compared with durations of requests between
changes."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from switchover.evidence.requests.store import Integers
from switchover.model.interval import Interval
from switchover.rundir.run_directory import ChangeRun

FELT_US = 1_000_000
"""The time after a change, in microseconds, in which requests belong to the change if its old processes run on."""
DELAY = "end_us - coalesce(intended_us, start_us)"


class Delay(NamedTuple):
    """The durations of requests in microseconds, from the due time of a request to the end of the response."""

    longest_us: int
    """The longest duration of a request that belongs to a change."""
    usual: Interval
    """The longest duration that the same number of requests would have without a change, as a 95 % interval. The
    interval has no upper end if there are too few requests between changes."""

    by_change: Mapping[int, int]
    """The longest duration of a request during each change; the key is the number of the change. A change without
    requests is absent."""

    @property
    def delayed(self) -> frozenset[int]:
        """The numbers of the changes whose longest duration is above the `usual` interval; empty if this interval has
        no upper end."""
        high = self.usual.high
        return frozenset(number for number, us in self.by_change.items() if high is not None and us > high)

    @property
    def caused(self) -> Interval:
        """The delay that the changes added to the longest duration."""
        low = 0.0 if self.usual.high is None else max(0.0, self.longest_us - self.usual.high)
        return Interval(low, max(low, self.longest_us - self.usual.low))


def change_of(
    starts: Integers, ends: Integers, fired: Sequence[ChangeRun], until_us: Callable[[ChangeRun], int]
) -> Integers:
    """Return, for each request, the index of its change in `fired`; -1 if the request belongs to no change. A request
    belongs to the latest change that began before the request ended. If this change was over (`until_us`) when the
    request started, the request belongs to no change."""
    begins = np.array([change.from_us for change in fired], dtype=np.int64)
    settled = np.array([until_us(change) for change in fired], dtype=np.int64)
    latest = np.searchsorted(begins, ends, side="right") - 1
    return np.where((latest >= 0) & (settled[latest] >= starts), latest, -1)


def delay_of(starts: Integers, ends: Integers, delays: Integers, fired: Sequence[ChangeRun]) -> Delay | None:
    """Measure the delay that the changes caused. Return None if no request belongs to a change, or if all requests
    belong to a change."""
    place = change_of(starts, ends, fired, felt_until_us)
    within = place >= 0
    during, between = delays[within], np.sort(delays[~within])
    if not len(during) or not len(between):
        return None
    longest = np.zeros(len(fired), dtype=np.int64)
    np.maximum.at(longest, place[within], during)
    return Delay(
        longest_us=int(during.max()),
        usual=_same_percentile(between, len(during)),
        by_change={fired[at].number: int(longest[at]) for at in np.unique(place[within])},
    )


def may_lose_until_us(change: ChangeRun) -> int:
    """Return the time when the change's last old process ended. Until this time, the change may cause losses."""
    return change.settled_us or np.iinfo(np.int64).max


def felt_until_us(change: ChangeRun) -> int:
    """Return the time until which a change may cause delays: the time when the change settled; if unknown, `FELT_US`
    after the end of the change."""
    done_us = change.undone_us or change.confirmed_us or change.to_us or change.from_us or 0
    return change.settled_us or done_us + FELT_US


def _same_percentile(ranked: Integers, count_during: int) -> Interval:
    """Estimate the longest of `count_during` durations from the sorted durations `ranked`, as a 95 % interval."""
    count, share = len(ranked), 1 - 1 / (2 * count_during)
    middle, width = count * share, 1.96 * math.sqrt(count * share * (1 - share))
    low, high = math.floor(middle - width), math.ceil(middle + width)
    low_value = float(ranked[max(low, 0)])
    return Interval(low_value, float(ranked[high]) if high < count else None)
