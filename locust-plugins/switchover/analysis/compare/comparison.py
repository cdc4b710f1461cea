"""Runs side by side: what is compared, and what came of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from switchover.analysis.compare.bootstrap import FEWEST_DRILLS, ConfidenceInterval, over_drills
from switchover.analysis.run_data import RunData
from switchover.analysis.verdict import Verdict
from switchover.rundir.run_directory import Run

ONE_EVENT = "one event each"


class Finding(StrEnum):
    DIFFERS = "differs"
    NONE = "no difference that these runs can show"
    UNKNOWN = "cannot be told"


class FigureUnit(StrEnum):
    MILLISECONDS = "ms"
    SHARE = "share"
    PER_SECOND = "/s"


@dataclass(frozen=True, slots=True)
class Side:
    """A run, or the drills of one folder of repeats."""

    name: str
    drills: Sequence[tuple[RunData, Verdict]]

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict for _, verdict in self.drills]

    @property
    def reasons(self) -> list[str]:
        """Why it cannot be trusted."""
        several = len(self.drills) > 1
        return [
            f"{verdict.run.id}: {reason.text}" if several else reason.text
            for verdict in self.verdicts
            for reason in verdict.distrust
        ]


@dataclass(frozen=True, slots=True)
class Value:
    """A figure of one side. `low` and `high`: the ends that its bound leaves open. None: unknown."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Against the first side."""

    finding: Finding
    value: float | None = None
    interval: ConfidenceInterval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    phase: str
    unit: FigureUnit
    values: tuple[Value, ...]
    differences: tuple[Difference, ...]
    """How each side after the first differs from it."""


def are_drills(sides: Sequence[Side]) -> bool:
    return any(len(side.drills) > 1 for side in sides)


def by_drill(
    name: str, phase: str, unit: FigureUnit, sides: Sequence[Side], measured: Callable[[Verdict], float | None]
) -> Figure:
    found = [[value for verdict in side.verdicts if (value := measured(verdict)) is not None] for side in sides]
    values = tuple(Value(sum(known) / len(known)) if known else Value(None) for known in found)
    differences = [drills_differ(f"{name} {phase}", found[0], found[other]) for other in range(1, len(sides))]
    return Figure(name, phase, unit, values, tuple(differences))


def drills_differ(name: str, first: Sequence[float], other: Sequence[float], note: str = "") -> Difference:
    if not first or not other:
        return Difference(Finding.UNKNOWN, note="not measured in one of them")
    value = sum(other) / len(other) - sum(first) / len(first)
    interval = over_drills(name, first, other)
    if interval is None:
        few = ONE_EVENT if len(first) == len(other) == 1 else f"fewer than {FEWEST_DRILLS} drills"
        return Difference(Finding.UNKNOWN, value, note=f"{few}: compare folders of repeats")
    return Difference(Finding.NONE if interval.holds(0) else Finding.DIFFERS, value, interval, note)


LEFT_OUT = frozenset(
    {"limits", "kill_delay_s", "baseline_s", "hold_s", "recover_s", "load.state", "armed", "fault_planned"}
)
"""Chosen anew for each drill, without any effect on what is measured, or told by another name."""


@dataclass(frozen=True, slots=True)
class Differing:
    """One thing that differs; a text for each run, empty where it has none."""

    name: str
    values: tuple[str, ...]


def setting_of(run: Run, configuration: Mapping[str, str] | None = None) -> dict[str, str]:
    """Fault, probes, time-outs, balancers and load of a run, by name. `configuration`: a digest of each file that
    the run kept of its balancers and backends."""
    found = {"fault": run.fault.name if run.fault else "none"}
    found |= dict(_flat(run.settings.written))
    target = {key: run.target.written.get(key) for key in ("url", "expect", "dedicated")}
    found |= dict(_flat(target, "target"))
    for node in run.target.nodes:
        kinds = [kind for kind in ("haproxy", "nginx") if getattr(node, kind)]
        found[f"node {node.name}"] = " ".join([node.role, *kinds])
    found |= {f"version of {name}": version for name, version in run.versions.items()}
    found |= {f"file {name}": digest for name, digest in (configuration or {}).items()}
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
