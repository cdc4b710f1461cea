"""Requests side by side, phase by phase: shares, rates, latencies, and who answered.

A steady phase (baseline, on_backup, recovered) of two runs is compared over their seconds; a switchover is one event,
of which the seconds say nothing about the next. Of folders of repeats each drill is one value.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from switchover.analysis.compare.bootstrap import Floats, Statistic, over_seconds
from switchover.analysis.compare.comparison import (
    Difference,
    Figure,
    FigureUnit,
    Finding,
    Side,
    Value,
    are_drills,
    by_drill,
)
from switchover.analysis.compare.seconds import PRECISION, Seconds, seconds_of
from switchover.analysis.latency import Percentiles
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts, Population
from switchover.analysis.verdict import Verdict

STEADY = (PhaseName.BASELINE, PhaseName.ON_BACKUP, PhaseName.RECOVERED)
BACKENDS = 8
"""Labels that are compared one by one: the most common of the first run."""
EDGES = 2
QUANTILES = (("p50", 50), ("p90", 90), ("p99", 99))


def compare_requests(sides: Sequence[Side], population: str, table: str) -> Iterator[Figure]:
    found = [[_population(verdict, table) for verdict in side.verdicts] for side in sides]
    if sum(any(side) for side in found) < 2:
        return
    scheduled = all(
        counts.latency is None or counts.latency.from_schedule is not None
        for side in found
        for one in side
        if one is not None
        for counts in (one.whole, *one.by_phase.values())
    )
    for phase in PhaseName:
        if not any(one is not None and phase in one.by_phase for side in found for one in side):
            continue
        is_over_seconds = not are_drills(sides) and phase in STEADY
        seconds = [_seconds(side, table, phase, scheduled) for side in sides] if is_over_seconds else None
        yield from _of_phase(sides, population, table, phase, scheduled, seconds)


def _of_phase(
    sides: Sequence[Side],
    population: str,
    table: str,
    phase: PhaseName,
    scheduled: bool,
    seconds: Sequence[Seconds | None] | None,
) -> Iterator[Figure]:
    """`seconds`: of each side; None where each drill, or each event, is one value."""

    def of(counted: Callable[[Counts], float | None]) -> Callable[[Verdict], float | None]:
        def measured(verdict: Verdict) -> float | None:
            whole = _population(verdict, table)
            counts = whole.by_phase.get(phase) if whole else None
            return counted(counts) if counts is not None and counts.total else None

        return measured

    def figure(
        name: str,
        unit: FigureUnit,
        measured: Callable[[Verdict], float | None],
        resampled: Callable[[Seconds], tuple[Statistic, Floats]],
        precision: float = 0.0,
        edges: Callable[[Seconds], float] = lambda seconds: 0.0,
    ) -> Figure:
        if seconds is None:
            return by_drill(f"{population}: {name}", phase, unit, sides, measured)
        values = tuple(Value(measured(side.verdicts[0])) for side in sides)
        differences = _over_seconds(f"{population} {name} {phase}", values, seconds, resampled, edges, precision)
        return Figure(f"{population}: {name}", phase, unit, values, tuple(differences))

    yield figure(
        "failed",
        FigureUnit.SHARE,
        of(lambda c: c.failed_share),
        lambda s: (s.share_of(s.failed), s.failed),
        edges=_of_share,
    )
    yield figure(
        "late", FigureUnit.SHARE, of(lambda c: c.late_share), lambda s: (s.share_of(s.late), s.late), edges=_of_share
    )
    yield figure("rate", FigureUnit.PER_SECOND, of(lambda c: c.rate), lambda s: (s.rate(), s.total), edges=_of_rate)
    for name, percent in QUANTILES:
        yield figure(
            name,
            FigureUnit.MILLISECONDS,
            of(partial(_quantile, name, scheduled)),
            partial(_quantiles, percent),
            PRECISION,
        )
    if seconds is not None:
        yield from _backends(population, phase, seconds)


def _backends(population: str, phase: PhaseName, seconds: Sequence[Seconds | None]) -> Iterator[Figure]:
    known = [one for one in seconds if one is not None and one.answered]
    if len(known) < 2:
        return
    names = dict.fromkeys(
        name for one in known for name in sorted(one.answered, key=lambda n: -one.answered[n].sum())
    )
    for name in list(names)[:BACKENDS]:
        values = tuple(Value(_whole(one, name)) for one in seconds)
        differences = _over_seconds(
            f"{population} {name} {phase}", values, seconds, partial(_shares, name), _of_share
        )
        yield Figure(f"{population}: answered by {name}", phase, FigureUnit.SHARE, values, tuple(differences))


def _whole(seconds: Seconds | None, name: str) -> float | None:
    if seconds is None or not seconds.answered:
        return None
    total = sum(float(counts.sum()) for counts in seconds.answered.values())
    mine = seconds.answered.get(name)
    return 0.0 if mine is None else float(mine.sum()) / total


def _over_seconds(
    name: str,
    values: Sequence[Value],
    seconds: Sequence[Seconds | None],
    resampled: Callable[[Seconds], tuple[Statistic, Floats]],
    edges: Callable[[Seconds], float],
    precision: float = 0.0,
) -> Iterator[Difference]:
    """Of each other side and the first."""
    before, first = values[0].value, seconds[0]
    for after, second in zip((one.value for one in values[1:]), seconds[1:], strict=True):
        if before is None or after is None or first is None or second is None:
            yield Difference(Finding.UNKNOWN, note="not measured in one of them")
            continue
        interval = over_seconds(name, resampled(first), resampled(second), after - before)
        if interval is None:
            yield Difference(Finding.UNKNOWN, after - before, note="too few seconds that are independent")
            continue
        interval = interval.widened(precision * (before + after) + edges(first) + edges(second))
        yield Difference(Finding.NONE if interval.holds(0) else Finding.DIFFERS, after - before, interval)


def _population(verdict: Verdict, table: str) -> Population | None:
    return verdict.figures.samples if table == "samples" else verdict.figures.probes


def _quantile(name: str, scheduled: bool, counts: Counts) -> float | None:
    if counts.latency is None:
        return None
    found: Percentiles = (scheduled and counts.latency.from_schedule) or counts.latency.from_send
    return float(getattr(found, f"{name}_us")) / 1000


def _seconds(side: Side, table: str, phase: PhaseName, scheduled: bool) -> Seconds | None:
    data, verdict = side.drills[0]
    phases = verdict.events.phases
    mine = [one for one in phases if one.name is phase]
    return seconds_of(data.tables(), table, mine[0], scheduled=scheduled) if mine else None


def _quantiles(percent: int, seconds: Seconds) -> tuple[Statistic, Floats]:
    return seconds.quantile(percent), seconds.mean_ms()


def _shares(name: str, seconds: Seconds) -> tuple[Statistic, Floats]:
    return seconds.share_of_backend(name), seconds.answered.get(name, np.zeros(len(seconds)))


def _of_share(seconds: Seconds) -> float:
    """A request at either edge of a phase may count in the next."""
    return EDGES / float(seconds.total.sum())


def _of_rate(seconds: Seconds) -> float:
    return EDGES / (len(seconds) * seconds.each)
