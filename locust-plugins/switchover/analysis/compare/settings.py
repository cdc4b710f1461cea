"""The conditions of two runs: each that differs may be why their figures differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.rundir.run_directory import Run

LEFT_OUT = frozenset(
    {"budgets", "kill_delay_s", "baseline_s", "hold_s", "recover_s", "load.state", "armed", "fault_planned"}
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
    found |= dict(_flat("", run.settings))
    target = {key: run.target.get(key) for key in ("url", "expect", "exclusive")}
    found |= dict(_flat("target", target))
    nodes = run.target.get("nodes")
    for node in nodes if isinstance(nodes, list) else []:
        if isinstance(node, Mapping):
            kinds = [kind for kind in ("haproxy", "nginx") if node.get(kind) is True]
            found[f"node {node.get('name')}"] = " ".join(map(str, [node.get("role"), *kinds]))
    found |= {f"version of {name}": version for name, version in run.versions.items()}
    found |= {f"file {name}": digest for name, digest in (configuration or {}).items()}
    return {name: value for name, value in found.items() if name not in LEFT_OUT}


def differing(settings: Sequence[Mapping[str, str]]) -> list[Differing]:
    names = dict.fromkeys(name for setting in settings for name in setting)
    every = [Differing(name, tuple(setting.get(name, "") for setting in settings)) for name in names]
    return [one for one in every if len(set(one.values)) > 1]


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _flat(name, value)
        elif isinstance(value, float) and value.is_integer():
            yield name, str(int(value))
        else:
            yield name, "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
