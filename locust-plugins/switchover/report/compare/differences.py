"""Compare the figures of runs, and find the differences that chance does not explain. Only folders of repeated runs
show how much outages vary. For single runs, only the outage can differ: if the intervals are further apart than
chance alone can explain."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from msgspec import Struct

from switchover.report.documents import Judged, Tree
from switchover.verdict.reasons import status_of
from switchover.verdict.record import Counts, PhaseName, Population, Status, Verdict

ONE_EVENT = "one event each"
LEVEL = 0.95
RESAMPLES = 1000
FEWEST_DRILLS = 5
"""The minimum number of drills for resampling. With fewer drills, resampled means vary too little."""


class Finding(StrEnum):
    DIFFERS = "differs"
    NONE = "none"
    UNKNOWN = "unknown"


class FigureUnit(StrEnum):
    MILLISECONDS = "ms"
    SHARE = "share"
    PER_SECOND = "/s"


class Side(NamedTuple):
    name: str
    drills: Sequence[Judged]

    @property
    def verdicts(self) -> list[Verdict]:
        return [drill.verdict for drill in self.drills]

    @property
    def reasons(self) -> list[str]:
        """The reasons why this side of the comparison is invalid."""
        several = len(self.drills) > 1
        return [
            f"{verdict.run}: {reason.text}" if several else reason.text
            for verdict in self.verdicts
            for reason in verdict.reasons
            if (status := status_of(reason)).exit_code == 2 and status is not Status.INCONCLUSIVE
        ]


class Value(Struct, frozen=True):
    """The value of a figure on one side of the comparison. `low` and `high` are the ends of its interval. None:
    unknown."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Difference(Struct, frozen=True):
    """The difference of a figure between one side and the first side, and the interval of this difference. None:
    unknown."""

    finding: Finding
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


class Figure(Struct, frozen=True):
    name: str
    phase: str | None
    unit: FigureUnit
    values: tuple[Value, ...]
    differences: tuple[Difference, ...]
    """The differences between each further side and the first side."""


def compare(sides: Sequence[Side]) -> list[Figure]:
    """Return every figure that at least two sides have, with the differences from the first side."""
    figures = [
        _event(sides, "outage"),
        _event(sides, "failback"),
        _by_drill("split brain", None, FigureUnit.MILLISECONDS, sides, lambda verdict: verdict.split_brain_ms),
        *_requests(sides, "probes", lambda verdict: verdict.probes),
        *_requests(sides, "load", lambda verdict: verdict.samples),
    ]
    return [figure for figure in figures if sum(value.value is not None for value in figure.values) > 1]


def _event(sides: Sequence[Side], name: str) -> Figure:
    """Compare outages or failbacks: the means of repeated runs, or the bounds of single runs."""
    measured = [[_outage(verdict, name) for verdict in side.verdicts] for side in sides]
    ended = [[outage for outage in outages if outage is not None] for outages in measured]
    values = tuple(map(_mean, ended))
    spread = _spread(sides) if name == "outage" else None
    if any(len(side.drills) > 1 for side in sides):
        first, *others = ([outage.value or 0.0 for outage in outages] for outages in ended)
        note = "without drills that did not recover" if measured != ended else ""
        differences = [_drills_differ(name, first, other, note) for other in others]
    else:
        differences = [_bounds_differ(values[0], value, spread) for value in values[1:]]
    return Figure(name, None, FigureUnit.MILLISECONDS, values, tuple(differences))


def _outage(verdict: Verdict, name: str) -> Value | None:
    """Return the longest possible outage or failback; 0 if no probe was impaired. None: not measured, or the service
    did not recover."""
    outage = verdict.outage if name == "outage" else verdict.failback
    if outage is None or not outage.recovered:
        return None
    return Value(outage.high_ms if outage.gap_count else 0.0, outage.low_ms, outage.high_ms or 0.0)


def _mean(values: Sequence[Value]) -> Value:
    if not values:
        return Value(None)
    sums = [sum(getattr(value, name) or 0.0 for value in values) / len(values) for name in ("value", "low", "high")]
    return Value(*sums)


def _spread(sides: Sequence[Side]) -> float | None:
    """Return the largest difference in ms that chance can cause between two drills: the width of the predicted
    window. None: unknown."""
    fits = [verdict.prediction for side in sides for verdict in side.verdicts]
    widths = [fit.high_ms - fit.low_ms for fit in fits if fit and fit.high_ms is not None and fit.low_ms is not None]
    return max(widths) if len(widths) == len(fits) and widths else None


def _bounds_differ(first: Value, other: Value, spread: float | None) -> Difference:
    known = [number for side in (first, other) for number in (side.value, side.low, side.high) if number is not None]
    if len(known) < 6:
        return Difference(Finding.UNKNOWN, note="not measured or not recovered on one side")
    first_value, first_low, first_high, other_value, other_low, other_high = known
    low, high = other_low - first_high, other_high - first_low
    finding, nearest = Finding.UNKNOWN, max(low, -high)
    if nearest <= 0:
        note = f"{ONE_EVENT}: the intervals overlap"
    elif spread is None:
        note = f"{ONE_EVENT}: the difference that chance alone may cause is unknown"
    elif nearest <= spread:
        note = f"{ONE_EVENT}: by chance alone two drills may differ by up to {spread:,.0f} ms"
    else:
        finding, note = Finding.DIFFERS, "more than the largest difference that theory explains by chance"
    return Difference(finding, other_value - first_value, low, high, note)


def _by_drill(
    name: str, phase: str | None, unit: FigureUnit, sides: Sequence[Side], measure: Callable[[Verdict], float | None]
) -> Figure:
    measured = [[value for verdict in side.verdicts if (value := measure(verdict)) is not None] for side in sides]
    values = tuple(Value(sum(known) / len(known)) if known else Value(None) for known in measured)
    differences = [_drills_differ(f"{name} {phase or ''}", measured[0], other) for other in measured[1:]]
    return Figure(name, phase, unit, values, tuple(differences))


def _drills_differ(name: str, first: Sequence[float], other: Sequence[float], note: str = "") -> Difference:
    if not first or not other:
        return Difference(Finding.UNKNOWN, note="not measured on one side")
    value = sum(other) / len(other) - sum(first) / len(first)
    if min(len(first), len(other)) < FEWEST_DRILLS:
        few = ONE_EVENT if len(first) == len(other) == 1 else f"fewer than {FEWEST_DRILLS} drills"
        return Difference(Finding.UNKNOWN, value, note=f"{few}: compare folders of repeats")
    low, high = over_drills(name, first, other)
    return Difference(Finding.NONE if low <= 0 <= high else Finding.DIFFERS, value, low, high, note)


def over_drills(name: str, first: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Compute the 95 % interval of the difference of two means, by resampling the drills. The random seed is
    `name`."""
    rng = np.random.default_rng(crc32(name.encode()))
    means = []
    for side in (first, other):
        places = rng.integers(len(side), size=(RESAMPLES, len(side)))
        means.append(np.asarray(side, float)[places].mean(axis=1))
    difference = sum(other) / len(other) - sum(first) / len(first)
    # The variance of resampled means has the divisor n. This factor changes the divisor to n - 1.
    factor = math.sqrt(max(n / (n - 1) for n in (len(first), len(other))))
    deviations = (means[1] - means[0] - difference) * factor
    low, high = np.quantile(deviations, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # Without the margin, equal values could differ by a rounding error.
    margin = 1e-12 * max(abs(difference), 1.0)
    return difference + float(low) - margin, difference + float(high) + margin


def _requests(
    sides: Sequence[Side], name: str, population_of: Callable[[Verdict], Population | None]
) -> Iterator[Figure]:
    """Compare the shares, rates and latencies of requests for each phase. Latencies are measured from the scheduled
    times if every side has scheduled times."""
    populations = [population_of(verdict) for side in sides for verdict in side.verdicts]
    scheduled = all(
        counts.latency_ms is None or counts.latency_ms.from_schedule is not None
        for population in populations
        if population is not None
        for counts in (population, *population.by_phase.values())
    )

    def figure(verdict: Verdict, phase: PhaseName, measure: Callable[[Counts], float | None]) -> float | None:
        population = population_of(verdict)
        counts = population.by_phase.get(phase) if population else None
        return measure(counts) if counts is not None and counts.total else None

    measures: list[tuple[str, FigureUnit, Callable[[Counts], float | None]]] = [
        ("failed", FigureUnit.SHARE, lambda counts: counts.failed / counts.total),
        ("late", FigureUnit.SHARE, lambda counts: counts.late / counts.total),
        ("rate", FigureUnit.PER_SECOND, lambda counts: counts.rate),
        *(
            (percentile, FigureUnit.MILLISECONDS, partial(_percentile, percentile, scheduled))
            for percentile in ("p50", "p90", "p99")
        ),
    ]
    for phase in PhaseName:
        for title, unit, measure in measures:
            yield _by_drill(f"{name}: {title}", phase, unit, sides, partial(figure, phase=phase, measure=measure))


def _percentile(name: str, scheduled: bool, counts: Counts) -> float | None:
    if counts.latency_ms is None:
        return None
    percentiles = (scheduled and counts.latency_ms.from_schedule) or counts.latency_ms.from_send
    return float(getattr(percentiles, name))


LEFT_OUT = frozenset(
    {"limits", "kill_delay_s", "baseline_s", "hold_s", "recover_s", "load.state", "armed", "fault_planned"}
)
"""Settings that are not compared: they are random for each drill, derived from another setting, or have no effect."""


class Differing(Struct, frozen=True):
    """A setting that differs between runs, and its value in each run. Empty: the run has no such setting."""

    name: str
    values: tuple[str, ...]


def setting_of(run: Tree) -> dict[str, str]:
    """Return the settings of a run by name: fault, options, target, nodes and versions."""
    setting = {"fault": run.fault.name if run.fault else "none"}
    setting |= dict(_flat(run.settings))
    setting |= dict(
        _flat({key: run.target.get(key) for key in ("url", "expect", "dedicated", "keepalived")}, "target")
    )
    for node in run.target.nodes or ():
        kinds = [kind for kind in ("haproxy", "nginx") if node.get(kind)]
        setting[f"node {node.name}"] = " ".join([node.role or "", *kinds])
    setting |= {f"version of {name}": version for name, version in run.versions.items()}
    return {name: value for name, value in setting.items() if name not in LEFT_OUT}


def differing(settings: Sequence[Mapping[str, str]]) -> list[Differing]:
    names = dict.fromkeys(name for setting in settings for name in setting)
    rows = [Differing(name, tuple(setting.get(name, "") for setting in settings)) for name in names]
    return [row for row in rows if len(set(row.values)) > 1]


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        elif isinstance(value, float) and value.is_integer():
            yield name, str(int(value))
        else:
            yield name, "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
