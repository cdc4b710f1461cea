"""How much longer requests waited because of a change: against the same percentile between the changes."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from switchover.evidence.requests.store import Integers
from switchover.model.interval import Interval
from switchover.rundir.run_directory import ChangeRun

FELT_US = 1_000_000
"""As long as every change is looked at, at least."""
DELAY = "end_us - coalesce(intended_us, start_us)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Microseconds from when a request was due to the end of its answer."""

    longest_us: int
    """Of the requests that belong to a change."""
    usual: Interval
    """The same percentile of those between the changes, with its 95 % interval of order statistics. Without an end:
    there were too few of them."""

    by_change: Mapping[int, int]
    """The longest of each change of which something ended within it, by its number."""

    @property
    def delayed(self) -> frozenset[int]:
        """Changes whose longest wait is above what is usual between them; none where that is not known."""
        high = self.usual.high
        return frozenset(number for number, us in self.by_change.items() if high is not None and us > high)

    @property
    def caused(self) -> Interval:
        """What a change added to the longest."""
        low = 0.0 if self.usual.high is None else max(0.0, self.longest_us - self.usual.high)
        return Interval(low, max(low, self.longest_us - self.usual.low))


def longest_caused(caused: Iterable[Interval]) -> Interval | None:
    """What was added at most, where each interval says so of a part; None of none."""
    parts = list(caused)
    return Interval(max(one.low for one in parts), max(one.high or 0.0 for one in parts)) if parts else None


def longest_felt(delays: Iterable[Delay], number: int) -> int | None:
    """The longest wait of a change, of the delays that it caused; None where it caused none."""
    return max((delay.by_change[number] for delay in delays if number in delay.delayed), default=None)


def change_of(
    starts: Integers, ends: Integers, fired: Sequence[ChangeRun], until_us: Callable[[ChangeRun], int]
) -> Integers:
    """The place in `fired` of the change that each request belongs to, -1 for none: the latest one that began before
    its end, if that was not over before its start. `until_us`: until when a change lasts."""
    begins = np.array([change.from_us for change in fired], dtype=np.int64)
    settled = np.array([until_us(change) for change in fired], dtype=np.int64)
    latest = np.searchsorted(begins, ends, side="right") - 1
    return np.where((latest >= 0) & (settled[latest] >= starts), latest, -1)


def delay_of(starts: Integers, ends: Integers, delays: Integers, fired: Sequence[ChangeRun]) -> Delay | None:
    """None where nothing ended within a change, or between changes."""
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
    """Where old processes stay, they may cut what they have at any time."""
    return change.settled_us or np.iinfo(np.int64).max


def felt_until_us(change: ChangeRun) -> int:
    """Where old processes stay, what crossed the change is over `FELT_US` after its proof all the same."""
    done_us = change.undone_us or change.confirmed_us or change.to_us or change.from_us or 0
    return change.settled_us or done_us + FELT_US


def _same_percentile(ranked: Integers, others: int) -> Interval:
    """Of ranked values, the percentile that the longest of `others` values is of them, with the 95 % interval that
    order statistics give it (the ranks are binomial)."""
    count, share = len(ranked), 1 - 1 / (2 * others)
    middle, width = count * share, 1.96 * math.sqrt(count * share * (1 - share))
    low, high = math.floor(middle - width), math.ceil(middle + width)
    low_value = float(ranked[max(low, 0)])
    return Interval(low_value, float(ranked[high]) if high < count else None)
