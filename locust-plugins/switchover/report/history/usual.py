"""The usual outage: an order statistic of the latest runs with the same target, fault and settings."""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.model.statistics import binomial_at_most
from switchover.report.history.entry import Entry, entry_of, read_history
from switchover.report.history.groups import counted_once
from switchover.rundir.run_directory import Run
from switchover.verdict.limit import Limit
from switchover.verdict.record import LimitName

NEEDED = 8
"""The minimum number of runs from which a usual limit is computed."""
LAST = 100
"""The maximum number of runs from which a usual limit is computed. The latest runs are used."""
COVERED, CONFIDENCE = 0.9, 0.95
"""With 29 or more runs, the limit is above the 90th percentile of the outages, with a confidence of 95 %."""


@cache
def rank_of_limit(runs: int) -> int:
    """Return the position (from 1) of the limit among the sorted outages. It is the first position whose outage
    exceeds the 90th percentile with 95 % confidence (David and Nagaraja, Order Statistics, 7.1). If no position does,
    return the last position."""
    ranks = range(1, runs + 1)
    return next((rank for rank in ranks if binomial_at_most(rank - 1, runs, COVERED) >= CONFIDENCE), runs)


def usual_of(lengths_ms: Sequence[float], margin: float = 0.0) -> tuple[float | None, str]:
    """Return the limit in whole milliseconds, and a text that explains the limit. The limit is None if there are too
    few runs. `lengths_ms`: the outages or failbacks, the oldest run first. `margin`: the share by which the limit is
    increased."""
    counted = sorted(lengths_ms[-LAST:])
    runs = len(counted)
    if runs < NEEDED:
        return None, f"usual needs {NEEDED} comparable earlier runs, but there are {runs}"
    rank = rank_of_limit(runs)
    place = f"the longest of {runs} runs" if rank == runs else f"outage {rank} of {runs} in ascending order"
    more = f" and {margin * 100:.0f} %" if margin else ""
    limit_ms = float(math.ceil(round(counted[rank - 1] * (1 + margin), 6)))
    return limit_ms, f"usual: {place}{more}; a single run above the limit may be chance"


def comparable(entry: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """Return the valid earlier runs that have the same target, fault and settings. The oldest run is first."""
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


def lengths_of(entries: Iterable[Entry], name: LimitName) -> list[float]:
    """Return the upper end of each run's outage or failback, in milliseconds, for the runs in which the service
    recovered."""
    outages = [entry.failback if name is LimitName.FAILBACK else entry.outage for entry in entries]
    ended = [outage for outage in outages if outage is not None and outage.recovered]
    return [outage.high_ms for outage in ended if outage.high_ms is not None]


_REPEATS = re.compile(r".*-x\d{1,6}")
"""The name of a folder of repeated runs. The parent folder contains the earlier runs."""


def history_folder(directory: Path) -> Path:
    parent = directory.resolve().parent
    return parent.parent if _REPEATS.fullmatch(parent.name) else parent


def with_usual_limits(limits: Sequence[Limit], run: Run, directory: Path) -> list[Limit]:
    """Replace each limit `usual` with a limit that is computed from earlier runs. Earlier runs are read only if a
    limit is `usual`."""
    if not any(limit.is_to_be_looked_up for limit in limits):
        return list(limits)
    entry = entry_of(directory.name, run, None)
    try:
        past, _ = counted_once(read_history(history_folder(directory))[0])
    except RunDirectoryError as error:
        return [limit.known(None, str(error)) if limit.is_to_be_looked_up else limit for limit in limits]
    earlier = comparable(entry, past)
    return [
        limit.known(*usual_of(lengths_of(earlier, limit.name), limit.margin)) if limit.is_to_be_looked_up else limit
        for limit in limits
    ]
