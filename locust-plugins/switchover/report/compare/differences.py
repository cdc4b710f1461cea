"""Runs side by side: every figure of their verdicts, and the differences that exceed chance or a bound.

One run is one event: its seconds show nothing about the next run. Only folders of repeats separate chance from a
difference. Two single runs allow only a comparison of their outages: the intervals, and the largest difference that
theory explains by chance.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import sha256
from typing import Any
from zlib import crc32

import numpy as np
from msgspec import Struct

from switchover.report.documents import Judged, Tree
from switchover.verdict.reasons import word_of
from switchover.verdict.record import Counts, PhaseName, Population, Status, Verdict

ONE_EVENT = "one event each"
LEVEL = 0.95
RESAMPLES = 1000
FEWEST_DRILLS = 5
"""The minimum number of drills. With fewer drills, resampled means vary less than the real mean."""
BACKENDS = 8
"""The number of backends whose shares are compared, the first by name."""


class Finding(StrEnum):
    DIFFERS = "differs"
    NONE = "none"
    UNKNOWN = "unknown"


class FigureUnit(StrEnum):
    MILLISECONDS = "ms"
    SHARE = "share"
    PER_SECOND = "/s"


@dataclass(frozen=True, slots=True)
class Side:
    """A run, or the drills of one folder of repeats."""

    name: str
    drills: Sequence[Judged]

    @property
    def verdicts(self) -> list[Verdict]:
        return [drill.verdict for drill in self.drills]

    @property
    def reasons(self) -> list[str]:
        """The reasons that make the side invalid."""
        several = len(self.drills) > 1
        return [
            f"{verdict.run}: {reason.text}" if several else reason.text
            for verdict in self.verdicts
            for reason in verdict.reasons
            if (status := word_of(reason)).exit_code == 2 and status is not Status.INCONCLUSIVE
        ]


class Value(Struct, frozen=True):
    """A figure of one side. `low` and `high`: the ends of its interval. None: unknown."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Difference(Struct, frozen=True):
    """The difference of a side from the first side, with its interval. None: unknown."""

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
    """Differences of the other sides from the first."""


def compare(sides: Sequence[Side]) -> list[Figure]:
    """Compare every figure that at least two sides have with the first side."""
    figures = [
        _event(sides, "outage"),
        _event(sides, "failback"),
        _by_drill("split brain", None, FigureUnit.MILLISECONDS, sides, lambda verdict: verdict.split_brain_ms),
        *_requests(sides, "probes", lambda verdict: verdict.probes),
        *_requests(sides, "load", lambda verdict: verdict.samples),
        *_backends(sides),
    ]
    return [figure for figure in figures if sum(value.value is not None for value in figure.values) > 1]


def _event(sides: Sequence[Side], name: str) -> Figure:
    """Compare outages or failbacks: the means of folders of repeats, or the bounds of single runs."""
    found = [[_outage(verdict, name) for verdict in side.verdicts] for side in sides]
    values = tuple(_mean([one for one in outages if one is not None]) for outages in found)
    spread = _spread(sides) if name == "outage" else None
    if any(len(side.drills) > 1 for side in sides):
        first, *others = ([one.value for one in side if one is not None and one.value is not None] for side in found)
        note = "without drills that did not recover" if any(None in side for side in found) else ""
        differences = [_drills_differ(name, first, other, note) for other in others]
    else:
        differences = [_bounds_differ(values[0], value, spread) for value in values[1:]]
    return Figure(name, None, FigureUnit.MILLISECONDS, values, tuple(differences))


def _outage(verdict: Verdict, name: str) -> Value | None:
    """Return the longest possible outage; 0 without a bad probe, None if it was not measured or has no end."""
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
    """Return the largest difference between two drills that theory explains by chance, in ms; None: unknown."""
    fits = [verdict.prediction for side in sides for verdict in side.verdicts]
    widths = [fit.high_ms - fit.low_ms for fit in fits if fit and fit.high_ms is not None and fit.low_ms is not None]
    return max(widths) if len(widths) == len(fits) and widths else None


def _bounds_differ(first: Value, other: Value, spread: float | None) -> Difference:
    known = [number for one in (first, other) for number in (one.value, one.low, one.high) if number is not None]
    if len(known) < 6:
        return Difference(Finding.UNKNOWN, note="not measured, or not recovered, in one of them")
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
    name: str, phase: str | None, unit: FigureUnit, sides: Sequence[Side], measured: Callable[[Verdict], float | None]
) -> Figure:
    found = [[value for verdict in side.verdicts if (value := measured(verdict)) is not None] for side in sides]
    values = tuple(Value(sum(known) / len(known)) if known else Value(None) for known in found)
    differences = [_drills_differ(f"{name} {phase or ''}", found[0], other) for other in found[1:]]
    return Figure(name, phase, unit, values, tuple(differences))


def _drills_differ(name: str, first: Sequence[float], other: Sequence[float], note: str = "") -> Difference:
    if not first or not other:
        return Difference(Finding.UNKNOWN, note="not measured in one of them")
    value = sum(other) / len(other) - sum(first) / len(first)
    if min(len(first), len(other)) < FEWEST_DRILLS:
        few = ONE_EVENT if len(first) == len(other) == 1 else f"fewer than {FEWEST_DRILLS} drills"
        return Difference(Finding.UNKNOWN, value, note=f"{few}: compare folders of repeats")
    low, high = over_drills(name, first, other)
    return Difference(Finding.NONE if low <= 0 <= high else Finding.DIFFERS, value, low, high, note)


def over_drills(name: str, first: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two means, by resampling the drills. It is reproducible.

    Each `name` has its own random source, so that no figure changes another.
    """
    rng = np.random.default_rng(crc32(name.encode()))
    means = []
    for side in (first, other):
        places = rng.integers(len(side), size=(RESAMPLES, len(side)))
        means.append(np.asarray(side, float)[places].mean(axis=1))
    difference = sum(other) / len(other) - sum(first) / len(first)
    # Widen the spread to that of the mean of n values whose variance is divided by n - 1.
    grown = math.sqrt(max(n / (n - 1) for n in (len(first), len(other))))
    moved = (means[1] - means[0] - difference) * grown
    low, high = np.quantile(moved, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # Values that are equal in every resample must not differ by the last digit of a sum.
    near = 1e-12 * max(abs(difference), 1.0)
    return difference + float(low) - near, difference + float(high) + near


def _requests(
    sides: Sequence[Side], name: str, population_of: Callable[[Verdict], Population | None]
) -> Iterator[Figure]:
    """Compare shares, rates and latencies of each phase. Latencies are from the schedule if every side has them."""
    found = [population_of(verdict) for side in sides for verdict in side.verdicts]
    scheduled = all(
        counts.latency_ms is None or counts.latency_ms.from_schedule is not None
        for one in found
        if one is not None
        for counts in (one, *one.by_phase.values())
    )

    def measured(verdict: Verdict, phase: PhaseName, of: Callable[[Counts], float | None]) -> float | None:
        population = population_of(verdict)
        counts = population.by_phase.get(phase) if population else None
        return of(counts) if counts is not None and counts.total else None

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
        for measure, unit, of in measures:
            yield _by_drill(f"{name}: {measure}", phase, unit, sides, partial(measured, phase=phase, of=of))


def _percentile(name: str, scheduled: bool, counts: Counts) -> float | None:
    if counts.latency_ms is None:
        return None
    found = (scheduled and counts.latency_ms.from_schedule) or counts.latency_ms.from_send
    return float(getattr(found, name))


def _backends(sides: Sequence[Side]) -> Iterator[Figure]:
    def share(verdict: Verdict, phase: PhaseName, name: str) -> float | None:
        answers = verdict.distribution.by_phase.get(phase)
        if answers is None or not answers.backends:
            return None
        return answers.backends[name].share if name in answers.backends else 0.0

    for phase in PhaseName:
        names = {
            name
            for side in sides
            for verdict in side.verdicts
            if phase in verdict.distribution.by_phase
            for name in verdict.distribution.by_phase[phase].backends
        }
        for name in sorted(names)[:BACKENDS]:
            measured = partial(share, phase=phase, name=name)
            yield _by_drill(f"answered by {name}", phase, FigureUnit.SHARE, sides, measured)


LEFT_OUT = frozenset(
    {"limits", "kill_delay_s", "baseline_s", "hold_s", "recover_s", "load.state", "armed", "fault_planned"}
)
"""Settings that are not compared: each drill chooses them, they repeat another setting, or they have no effect."""


TARGET = "target.toml"
"""A configuration file whose content is in run.json."""
DIGEST = 12
"""The number of characters of a file's digest that are shown."""
_LAB = re.compile(r"/[^\s\"']*?switchover-\d+/[0-9a-f]+/?")
"""The folder of a built-in lab, which differs each time."""


class Differing(Struct, frozen=True):
    """A setting that differs, with a text for each run. The text is empty if the run has no such setting."""

    name: str
    values: tuple[str, ...]


def setting_of(run: Tree) -> dict[str, str]:
    """Return fault, probes, timeouts, balancers, load and a digest of each configuration file of a run by name."""
    found = {"fault": run.fault.name if run.fault else "none"}
    found |= dict(_flat(run.settings))
    found |= dict(_flat({key: run.target.get(key) for key in ("url", "expect", "dedicated")}, "target"))
    for node in run.target.nodes or ():
        kinds = [kind for kind in ("haproxy", "nginx") if node.get(kind)]
        found[f"node {node.name}"] = " ".join([node.role or "", *kinds])
    found |= {f"version of {name}": version for name, version in run.versions.items()}
    for file in run.config or ():
        if file.name != TARGET:
            content = _LAB.sub("", file.text).encode("utf-8", "replace")
            found[f"file {file.name}"] = sha256(content).hexdigest()[:DIGEST]
    return {name: value for name, value in found.items() if name not in LEFT_OUT}


def differing(settings: Sequence[Mapping[str, str]]) -> list[Differing]:
    names = dict.fromkeys(name for setting in settings for name in setting)
    every = [Differing(name, tuple(setting.get(name, "") for setting in settings)) for name in names]
    return [one for one in every if len(set(one.values)) > 1]


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        elif isinstance(value, float) and value.is_integer():
            yield name, str(int(value))
        else:
            yield name, "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
