"""Where the times of a log go back from one row to the next, though its rows stand in the order of time.

A load generator writes a row when its request has ended. So where both the start and the end of a row lie before
those of a row above it, the clock was set back: so much time is missing between the two. Or the row came late, as
rows of several hosts do that are sent in batches; these come again and again. The times of our own logs are of a
clock that is never set, so they tell nothing of the kind.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from switchover.analysis.overlapping_requests import doubled_times
from switchover.analysis.requests.store import Integers
from switchover.analysis.requests.table import Requests
from switchover.model.interval import Span

JUMP_US = 100_000
"""Rows of several threads stand in another order by less."""
FEW = 10
"""A clock is set back seldom: where a log goes back more often, its rows come late."""
GROUP = 1024
"""Rows of which the earliest and the latest are asked for first."""
PIECE = 256
"""Groups whose rows are looked at together."""
HOUR_US = 3_600_000_000
HOUR_BOUND_US = 600_000_000
"""So much may have passed between the two rows around the hour that comes twice, or never."""
UNDER_WAY_US = 60_000_000
"""A request that began before such an hour seems to end within it."""
NIGHT, WEEKEND = range(4), (4, 5, 6)
"""Hours at which clocks are put forward somewhere, and the days: from Friday on."""


@dataclass(frozen=True, slots=True)
class Jump:
    """One place where a log goes back. `part`: the log, as the table numbers it; `at_us`: the time of the first row
    behind that place."""

    part: int
    at_us: int
    back_us: int

    def __str__(self) -> str:
        return (
            f"the times go back by {seconds_text(self.back_us)} at {utc(self.at_us)} UTC: the clock was set, or "
            "lines of another host came late; so much time is missing from the order of the rows, and a stretch "
            "without a good answer around it may be longer by as much"
        )

    @property
    def doubled(self) -> Span:
        """The time that the log has twice."""
        return Span(self.at_us, self.at_us + self.back_us)

    @property
    def may_be_winter_time(self) -> bool:
        """By an hour, less what passed between the two rows."""
        return HOUR_US - HOUR_BOUND_US <= self.back_us <= HOUR_US + 1_000_000

    @property
    def as_winter_time(self) -> str:
        return (
            f"its dates name no zone, and go back by an hour at {utc(self.at_us)}: where the clocks went to winter "
            "time, two hours lie over each other, and one hides the outages of the other (JMeter writes numbers with "
            "jmeter.save.saveservice.timestamp_format=ms)"
        )


def as_summer_time(silence: Span) -> str:
    """That a stretch without a request may be an hour of the night that never was, of times without a zone; empty
    where it may not."""
    begin_us = silence.to_us // HOUR_US * HOUR_US - HOUR_US
    begin = datetime.fromtimestamp(begin_us / 1e6, UTC)
    is_that_hour = (
        begin_us - HOUR_BOUND_US <= silence.from_us <= begin_us + UNDER_WAY_US
        and silence.to_us - begin_us - HOUR_US <= HOUR_BOUND_US
    )
    if not is_that_hour or begin.hour not in NIGHT or begin.weekday() not in WEEKEND:
        return ""
    return (
        f"its dates name no zone, and nothing is logged in the hour from {utc(begin_us)} on: where the clocks went "
        "to summer time there was no such hour, and a stretch without a good answer is longer by it"
    )


@dataclass(frozen=True, slots=True)
class LateRows:
    """A log that goes back again and again: the farthest time, and how often."""

    farthest: Jump
    times: int

    def __str__(self) -> str:
        return (
            f"the times go back {self.times:,} times, by up to {seconds_text(self.farthest.back_us)} (at "
            f"{utc(self.farthest.at_us)} UTC): its lines came late, as those of several hosts do"
        )


def tell_jumps(jumps: Sequence[Jump]) -> Iterator[str]:
    """A line for each log."""
    for part in dict.fromkeys(one.part for one in jumps):
        mine = [one for one in jumps if one.part == part]
        farthest = max(mine, key=lambda one: one.back_us)
        often = f", and {len(mine) - 1} times more by no more than that" if len(mine) > 1 else ""
        yield f"{farthest}{often}"


def seconds_text(duration_us: int) -> str:
    return f"{duration_us / 1e6:,.1f} s"


def utc(at_us: int) -> str:
    """A time as messages name it."""
    try:
        return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return f"{at_us / 1e6:.0f} s after 1970"


def jumps_of(samples: Requests, steady: Collection[int] = ()) -> tuple[list[Jump], list[LateRows]]:
    """The places where the clock was set back, log by log; and the logs whose rows came late.

    `steady`: logs whose clock is never set, by their numbers. Where such a log goes back, a row was only written
    after others: ours are written in batches.
    """
    jumps: list[Jump] = []
    late: list[LateRows] = []
    for (part,) in samples.rows("SELECT DISTINCT part FROM {requests} ORDER BY part"):
        if part in steady:
            continue
        found = list(_jumps_of_log(samples, part))
        if len(found) > FEW:
            late.append(LateRows(max(found, key=lambda one: one.back_us), len(found)))
            found = []
        jumps += _with_overlaps(found, part, doubled_times(samples, part, JUMP_US))
    return jumps, late


def _with_overlaps(found: Sequence[Jump], part: int, doubled: Sequence[Span]) -> list[Jump]:
    """Of what the rows and the users tell of one jump, that which is more."""
    kept = list(found)
    for span in doubled:
        same = [one for one in kept if one.doubled.overlaps(span)]
        if sum(one.back_us for one in same) < span.duration_us:
            kept = [one for one in kept if one not in same] + [Jump(part, span.from_us, span.duration_us)]
    return kept


def _jumps_of_log(samples: Requests, part: int) -> Iterator[Jump]:
    """Of one log. Most pieces need no look at each row: none lies farther back than the earliest of its group."""
    mine = f"FROM {{requests}} WHERE part = {part}"
    groups = samples.arrays(
        f"SELECT rowid // {GROUP} AS number, min(start_us) AS first_start, max(start_us) AS last_start, "
        f"min(end_us) AS first_end, max(end_us) AS last_end {mine} GROUP BY number ORDER BY number"
    )
    # The latest before each group; behind the last, of all.
    starts, ends = (np.maximum.accumulate(np.append(0, groups[name])) for name in ("last_start", "last_end"))
    farthest = np.minimum(starts[1:] - groups["first_start"], ends[1:] - groups["first_end"])
    before_us, before_number = 0, -1
    for piece in np.unique(groups["number"][farthest >= JUMP_US] // PIECE).tolist():
        begin = int(np.searchsorted(groups["number"], piece * PIECE))
        first, behind = piece * PIECE * GROUP, (piece + 1) * PIECE * GROUP
        rows = samples.arrays(
            f"SELECT start_us, end_us {mine} AND rowid >= {first} AND rowid < {behind} ORDER BY rowid"
        )
        back = np.minimum(_back(rows["start_us"], starts[begin]), _back(rows["end_us"], ends[begin]))
        before = np.append(before_us if before_number == piece - 1 else 0, back[:-1])
        before_us, before_number = int(back[-1]), piece
        # Behind a jump all rows lie back, until the time has caught up: only what comes on top is another.
        further = back - np.where(before >= JUMP_US, before, 0)
        for place in np.flatnonzero(further >= JUMP_US).tolist():
            yield Jump(part, int(rows["end_us"][place]), int(further[place]))


def _back(times: Integers, latest: int) -> Integers:
    """How far each lies behind the latest before it."""
    return np.maximum(np.maximum.accumulate(times), latest) - times


def missing_us(jumps: Sequence[Jump], stretch: Span, spacing_us: int) -> int:
    """How much time may be missing from a stretch of a log. `spacing_us`: what passed, perhaps, between the two rows
    of a jump; it is missing, too."""
    around = Span(stretch.from_us - spacing_us, stretch.to_us + spacing_us)
    return sum(one.back_us + spacing_us for one in jumps if one.doubled.overlaps(around))
