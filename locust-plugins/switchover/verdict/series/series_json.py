"""`series.json`: the data of a run's charts, and the description of the run. Times are seconds after the fault; in a
run without a fault, seconds after the start. The charts (`report/page/assets/*.js`) read the keys of the file."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from switchover.evidence.run_data import RunData
from switchover.figures.probes import why_unprobed
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.measurements import EVENT
from switchover.rundir.run_directory import Run
from switchover.verdict.judge import Verdict
from switchover.verdict.series.requests import grid_of, series_of, span_of

SCHEMA = 2
SERIES_FILE = "series.json"
POPULATIONS = (("load", "samples"), ("probes", "probes"))
EVENTS_LIMIT = 300


class TimeAxis(NamedTuple):
    zero_us: int
    from_us: int
    to_us: int

    def at(self, time_us: int) -> float:
        """Convert microseconds since the epoch to seconds on the time axis, rounded to 0.1 ms."""
        return round((time_us - self.zero_us) / 1e6, 4)


def write_series(directory: Path, series: Mapping[str, Any]) -> None:
    write_whole(directory / SERIES_FILE, json.dumps(series, separators=(",", ":"), allow_nan=False).encode() + b"\n")


def series_json(verdict: Verdict, data: RunData) -> dict[str, Any]:
    run, tables, plan = verdict.events.run, data.tables(), verdict.events.run.plan
    axis = _time_axis(run, span_of(tables))
    grid = grid_of(axis.from_us, axis.to_us)
    requests = {name: series_of(tables, table, grid) for name, table in POPULATIONS}
    return {
        "schema": SCHEMA,
        "run": describe_run(run),
        "zero_is": "the fault" if plan.fired_from_us is not None else "the start",
        "from": axis.at(axis.from_us),
        "to": axis.at(axis.to_us),
        "marks": [
            {"name": name, "at": axis.at(at_us)}
            for name, at_us in (("fault", plan.fired_from_us), ("heal", plan.heal_from_us))
            if at_us is not None and axis.from_us <= at_us <= axis.to_us
        ],
        "phases": [
            {"name": p.name.value, "from": axis.at(p.from_us), "to": axis.at(p.to_us)} for p in verdict.events.phases
        ],
        "starts": [axis.at(grid.from_us + number * grid.width_us) for number in range(grid.size)],
        "width": grid.width_us / 1e6,
        "populations": [{"name": name, **series} for name, series in requests.items() if series],
        "events": [
            {
                "at": axis.at(point.time_ns // 1000),
                "kind": point.tags.get("kind", ""),
                "node": point.tags.get("node", ""),
                "text": str(point.fields["text"]),
            }
            for point in data.points
            if point.measurement == EVENT and "text" in point.fields
        ][:EVENTS_LIMIT],
    }


def describe_run(run: Run) -> dict[str, Any]:
    """Describe the run. Times are microseconds since the epoch; None: unknown, or the event did not happen."""
    return {
        "id": run.id,
        "name": run.name,
        "fault": None if run.fault is None else asdict(run.fault),
        "change": None if run.change is None else asdict(run.change),
        "plan": {name: value for name, value in asdict(run.plan).items() if name != "changes"},
        "is_fired": run.fired_fault is not None,
        "no_outage_because": why_unprobed(run),
        "timeout_read_ms": run.settings.timeout_read_ms,
        "command": run.command,
        "seed": run.seed,
        "versions": run.versions,
        "settings": dict(run.settings.written),
        "target": dict(run.target.written),
        "workers": [dict(worker.written) for worker in run.workers],
    }


def _time_axis(run: Run, span: tuple[int, int] | None) -> TimeAxis:
    plan = run.plan
    times = [at_us for at_us in (plan.start_us, plan.end_us, *(span or ())) if at_us is not None] or [0]
    zero_us = plan.fired_from_us if plan.fired_from_us is not None else min(times)
    return TimeAxis(zero_us, min(times), max(*times, min(times) + 1))
