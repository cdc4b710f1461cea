"""What is usual: a limit from the last runs of the same target, fault and setting, by their order and nothing else.

No distribution is assumed, for outages have none that fits: within a window of theory they are even, and a fault that
costs nothing has only the probes' own resolution.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from switchover.figures.statistics import binomial_at_most
from switchover.model.errors import RunDirectoryError
from switchover.report.history.entry import Entry, Length, entry_of, read_history
from switchover.report.history.groups import counted_once
from switchover.rundir.run_directory import Run, run_json
from switchover.verdict.limit import Limit
from switchover.verdict.record import LimitName, Status

NEEDED = 8
"""Fewer runs say too little of what is usual."""
LAST = 100
"""So many of the latest runs count, so that what was usual years ago does not."""
COVERED, CONFIDENCE = 0.9, 0.95
"""The limit is above the 90th percentile of equal runs with this confidence, where there are enough of them."""
FALSE_ALARM = 0.01
"""How often equal runs may exceed a limit of what is usual."""
LATEST = (2, 3, 5, 8, 12)
"""So many of the latest runs together are held against those before them, each with its part of FALSE_ALARM."""


@dataclass(frozen=True, slots=True)
class Past:
    """One earlier run."""

    length_ms: float
    counts: bool = True
    """False: it was found to be above what was usual, so it does not say what is."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What the past says of the next run."""

    limit_ms: float | None
    """None: the past is too short to tell."""
    decides: bool = False
    """Whether a run above the limit breaks it: with those before it, it is longer than chance makes equal runs."""
    why: str = ""


@cache
def rank_of_limit(runs: int) -> int:
    """The place of the limit among so many runs in order, from 1: the first that is above the 90th percentile with
    95 % confidence (David and Nagaraja, Order Statistics, 7.1); the last where there are too few (under 29)."""
    ranks = range(1, runs + 1)
    return next((rank for rank in ranks if binomial_at_most(rank - 1, runs, COVERED) >= CONFIDENCE), runs)


@cache
def chance_of_longer(runs: int, more: int) -> tuple[float, ...]:
    """By how many of the pairs of one of `runs` and one of `more` runs have the longer one among the latter: the
    probability that equal runs reach that count (Mann and Whitney, 1947), exactly."""
    # The orders that have each count: the Gaussian binomial coefficient, a product of (1 - x^(runs+i)) / (1 - x^i).
    ways = [1] + [0] * (runs * more)
    for i in range(1, more + 1):
        for place in range(len(ways) - 1, runs + i - 1, -1):
            ways[place] -= ways[place - runs - i]
        for place in range(i, len(ways)):
            ways[place] += ways[place - i]
    every = math.comb(runs + more, more)
    return tuple(sum_of / every for sum_of in list(accumulate(reversed(ways)))[::-1])


def usual_of(past: Sequence[Past], margin: float = 0.0) -> Usual:
    """`past`: the oldest first. `margin`: how much more is still usual, 0.2 for 20 %.

    One run above the limit decides nothing: of few equal runs one is often the longest. It exceeds the limit if the
    latest runs and it are together longer than those before them by more than chance makes equal runs. Then the limit
    is that of the runs before them.
    """
    counted = [run.length_ms for run in past if run.counts][-LAST:]
    if len(counted) < NEEDED:
        return Usual(None, why=f"{len(counted)} earlier runs that can be compared; what is usual needs {NEEDED}")
    broken = [found for latest in LATEST if (found := _broken_above(past, latest - 1, margin)) is not None]
    if broken:
        limit_ms, before, place = min(broken)
        return Usual(limit_ms, True, f"usual: {place} before the last {before}, which were longer, too")
    limit_ms, place = _limit(counted, margin)
    return Usual(limit_ms, why=f"usual: {place}; one run above it may be chance")


def _broken_above(past: Sequence[Past], before: int, margin: float) -> tuple[float, int, str] | None:
    """What a run must be above so that it and so many `before` it are too long for chance, `before`, and which run
    has that length; None: no length is too long."""
    kept = [run.length_ms for run in past[: len(past) - before] if run.counts][-LAST:]
    if len(kept) < NEEDED or len(past) < before:
        return None
    latest = [run.length_ms / (1 + margin) for run in past[len(past) - before :]]
    longer = sum(one < other for one in kept for other in latest)
    # A run above the limit is longer than as many runs as the limit's rank says.
    if chance_of_longer(len(kept), before + 1)[longer + rank_of_limit(len(kept))] > FALSE_ALARM / len(LATEST):
        return None
    limit_ms, place = _limit(kept, margin)
    return limit_ms, before, place


def _limit(lengths_ms: Sequence[float], margin: float) -> tuple[float, str]:
    """A whole millisecond, as run.json keeps it; and which of the runs it is."""
    runs = len(lengths_ms)
    rank = rank_of_limit(runs)
    limit_ms = float(math.ceil(round(sorted(lengths_ms)[rank - 1] * (1 + margin), 6)))
    more = f" and {margin * 100:.0f} %" if margin else ""
    return limit_ms, (
        f"the longest of {runs} runs" if rank == runs else f"number {rank} of {runs} runs in order"
    ) + more


def comparable(entry: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """The trusted earlier runs of the same target, fault and setting, the oldest first."""
    began = entry.start_us
    same = [
        other
        for other in entries
        if other.valid
        and entry.setting
        and (other.target, other.what, other.setting) == (entry.target, entry.what, entry.setting)
        and other.run != entry.run
        and other.start_us is not None
        and began is not None
        and other.start_us < began
    ]
    return sorted(same, key=lambda other: other.start_us or 0)


def past_of(entries: Sequence[Entry], name: LimitName) -> list[Past]:
    """Outage or failback of each that recovered. What was broken does not count, and neither do the inconclusive runs
    right before it, which it has confirmed."""
    found: list[Past] = []
    confirmed = False
    for entry in reversed(entries):
        length = length_of(entry, name)
        if length is None or length.high_ms is None or not length.recovered:
            continue
        confirmed = entry.status == Status.FAILED or (confirmed and entry.status == Status.INCONCLUSIVE)
        found.append(Past(length.high_ms, counts=not confirmed))
    return found[::-1]


def length_of(entry: Entry, name: LimitName) -> Length | None:
    return entry.failback if name is LimitName.FAILBACK else entry.outage


def resolve(limit: Limit, entry: Entry, entries: Iterable[Entry]) -> Limit:
    """The limit with the limit that the runs before this one give; any other limit is left as it is."""
    if not limit.is_to_be_looked_up:
        return limit
    usual = usual_of(past_of(comparable(entry, entries), limit.name), limit.margin)
    return limit.known(usual.limit_ms, decides=usual.decides, note=usual.why)


_REPEATS = re.compile(r".*-x\d{1,6}")
"""The folder of a run that was repeated: its drills have their past beside it, too."""


def history_folder(directory: Path) -> Path:
    """Where the past of a run lies."""
    beside = directory.resolve().parent
    return beside.parent if _REPEATS.fullmatch(beside.name) else beside


def with_usual_limits(limits: Sequence[Limit], run: Run, directory: Path) -> list[Limit]:
    """The same, with the limits that are known now. Nothing is read where no limit asks for what is usual."""
    if not any(limit.is_to_be_looked_up for limit in limits):
        return list(limits)
    entry = entry_of(directory.name, run_json(run), None)
    try:
        past, _ = counted_once(read_history(history_folder(directory)).entries)
    except RunDirectoryError as error:
        return [
            limit.known(None, decides=False, note=str(error)) if limit.is_to_be_looked_up else limit
            for limit in limits
        ]
    return [resolve(limit, entry, past) for limit in limits]
