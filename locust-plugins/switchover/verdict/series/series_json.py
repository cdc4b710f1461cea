"""`series.json`: the data of a run's charts, and the description of the run.

Times are seconds after the fault, or after the start if no fault was fired. Requests are counted in time intervals.
The charts (`report/page/assets/*.js`) read these keys.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from switchover.evidence.generations import generations_of
from switchover.evidence.machine import machine_seconds
from switchover.evidence.ownership import ownership_of
from switchover.evidence.run_data import RunData
from switchover.figures.distribution import weights_of
from switchover.figures.outage import Gap, Outage
from switchover.figures.probes import why_unprobed
from switchover.model.interval import Interval, Span
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.verdict.judge import Verdict
from switchover.verdict.record import Changes, Felt, OutageKind, PhaseName
from switchover.verdict.series.grid import grid_of
from switchover.verdict.series.requests import series_of, span_of
from switchover.verdict.series.telemetry import LIMIT, Line, counters_of

SCHEMA = 1
SERIES_FILE = "series.json"
EVENTS = (PhaseName.SWITCHOVER, PhaseName.FAILBACK)
NEAR_US = 5_000_000
"""Microseconds before and after an event with finer intervals: the length of a stability window."""
POPULATIONS = (("load", "samples"), ("probes", "probes"))
SPANS_LIMIT = 200
EVENTS_LIMIT = 300
CONFIG = "config"
FILE_LIMIT = 64 * 1024
"""The maximum number of bytes that are shown of a configuration file."""
FILES_LIMIT = 40


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The time axis of all charts."""

    zero_us: int
    from_us: int
    to_us: int

    def at(self, time_us: int) -> float:
        """Convert microseconds since the epoch to seconds on the axis, rounded to 0.1 ms."""
        return round((time_us - self.zero_us) / 1e6, 4)


def write_series(directory: Path, series: Mapping[str, Any]) -> None:
    """Write series.json. Raise RunDirectoryError if this fails."""
    write_whole(directory / SERIES_FILE, json.dumps(series, separators=(",", ":"), allow_nan=False).encode() + b"\n")


def series_json(verdict: Verdict, data: RunData, directory: Path) -> dict[str, Any]:
    """Return the content of series.json. `directory`: the run directory, with the configuration that the lab
    wrote."""
    run, tables, plan = verdict.run, data.tables(), verdict.run.plan
    clock = _clock(run, span_of(tables))
    near = [Span(p.from_us - NEAR_US, p.to_us + NEAR_US) for p in verdict.events.phases if p.name in EVENTS]
    grid = grid_of(clock.from_us, clock.to_us, near)
    has_users = {"samples": "users" in data.samples.columns}
    requests = {
        name: series_of(tables, table, grid, with_users=has_users.get(table, False)) for name, table in POPULATIONS
    }
    stretches, ownership = grid.stretches(), ownership_of(data.points)
    return {
        "schema": SCHEMA,
        "run": describe_run(run) | {"config": config_files(directory)},
        "zero_us": clock.zero_us,
        "zero_is": "the fault" if plan.fired_from_us is not None else "the start",
        "from": clock.at(clock.from_us),
        "to": clock.at(clock.to_us),
        "marks": [
            {"name": name, "at": clock.at(at_us)}
            for name, at_us in (("fault", plan.fired_from_us), ("heal", plan.heal_from_us))
            if at_us is not None and clock.from_us <= at_us <= clock.to_us
        ],
        "phases": [
            {"name": p.name.value, "from": clock.at(p.from_us), "to": clock.at(p.to_us)}
            for p in verdict.events.phases
        ],
        "starts": [clock.at(from_us) for from_us, _ in stretches],
        "widths": [round(width_us / 1e6, 4) for _, width_us in stretches],
        "populations": [{"name": name, **series} for name, series in requests.items() if series],
        "counters": [
            {"node": node} | {name: _line(line, clock) for name, line in lines.items()}
            for node, lines in counters_of(data.points).items()
        ],
        "generations": _generations(run, data.points),
        "machine": _machine(data.points, clock),
        "shares": _shares(verdict, data.points),
        "owners": [
            {"node": node, "from": clock.at(span.from_us), "to": clock.at(span.to_us)}
            for node in sorted(ownership.nodes)
            for span in ownership.held_by(node, clock.to_us)
        ][:SPANS_LIMIT],
        "away": [
            *_away("outage", verdict.events.outage, clock),
            *_away("failback", verdict.events.failback, clock),
        ],
        "events": [
            {
                "at": clock.at(point.time_ns // 1000),
                "kind": point.tags.get("kind", ""),
                "node": point.tags.get("node", ""),
                "text": str(point.fields["text"]),
            }
            for point in data.points
            if point.measurement == EVENT and "text" in point.fields
        ][:EVENTS_LIMIT],
        "changes": _changes(verdict.record.changes, clock),
    }


def describe_run(run: Run) -> dict[str, Any]:
    """Describe the run. Times are microseconds since the epoch. None: unknown, or the event did not happen."""
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


def config_files(directory: Path) -> list[dict[str, str]]:
    """Return the name and the text of each configuration file that the lab wrote into the run directory."""
    root = directory / CONFIG
    files = sorted(path for path in root.rglob("*") if path.is_file())[:FILES_LIMIT]
    return [{"name": path.relative_to(root).as_posix(), "text": _read(path)} for path in files]


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return data[:FILE_LIMIT].decode("utf-8", "replace") + ("\n…" if len(data) > FILE_LIMIT else "")


def _clock(run: Run, span: tuple[int, int] | None) -> TimeAxis:
    """Return the axis from the first to the last known time of the run."""
    plan = run.plan
    times = [at_us for at_us in (plan.start_us, plan.end_us, *(span or ())) if at_us is not None] or [0]
    zero_us = plan.fired_from_us if plan.fired_from_us is not None else min(times)
    return TimeAxis(zero_us, min(times), max(*times, min(times) + 1))


def _away(name: str, outage: Outage | None, clock: TimeAxis) -> list[dict[str, Any]]:
    """List the outage, or the gaps of a partial outage, and the later gaps. `high_ms` is None without a recovery."""
    if outage is None or outage.from_us is None or outage.to_us is None:
        return []
    spans: list[tuple[str, int, int, Interval | None]] = [(name, outage.from_us, outage.to_us, outage.length)]
    if outage.kind is OutageKind.PARTIAL:
        spans = [(name, from_us, to_us, None) for from_us, to_us in drawn_gaps(outage.gaps)]
    spans += [(f"later gap, {name}", gap.from_us, gap.to_us, gap.length) for gap in outage.later_gaps[:SPANS_LIMIT]]
    return [
        {
            "name": what,
            "from": clock.at(from_us),
            "to": clock.at(to_us),
            "low_ms": None if length is None else length.low / 1000,
            "high_ms": None if length is None or length.high is None else length.high / 1000,
        }
        for what, from_us, to_us, length in spans
    ]


def drawn_gaps(gaps: Sequence[Gap]) -> list[tuple[int, int]]:
    """Return at most about `SPANS_LIMIT` gaps for a chart: if there are more, gaps close to each other are merged."""
    close_us = (gaps[-1].to_us - gaps[0].from_us) // SPANS_LIMIT if len(gaps) > SPANS_LIMIT else 0
    drawn: list[tuple[int, int]] = []
    for gap in gaps:
        if drawn and gap.from_us - drawn[-1][1] < close_us:
            drawn[-1] = (drawn[-1][0], max(drawn[-1][1], gap.to_us))
        else:
            drawn.append((gap.from_us, gap.to_us))
    return drawn


def _line(line: Line, clock: TimeAxis) -> dict[str, list[float | None]]:
    return {"x": [clock.at(at_us) for at_us, _ in line], "y": [value for _, value in line]}


def _machine(points: Sequence[Point], clock: TimeAxis) -> list[dict[str, float | int | None]]:
    seconds = machine_seconds(points)
    return [
        {
            "from": clock.at(second.from_us),
            "to": clock.at(second.to_us),
            "stolen_ms": second.stolen_ms,
            "waited_ms": second.waited_ms,
            "softirq_ms": second.softirq_ms,
            "running": second.running,
        }
        for second in seconds[:: -(-len(seconds) // LIMIT) or 1]
    ]


def _generations(run: Run, points: Sequence[Point]) -> list[dict[str, Any]]:
    """List, for each balancer process, how much its counters rose."""
    return [
        {
            "node": node,
            "process": generation.name,
            "requests": generation.last.requests - generation.first.requests,
            "by_server": {
                name: generation.last.by_server[name] - generation.first.by_server.get(name, 0)
                for name in sorted(generation.last.by_server)
            },
            "by_balancer": generation.last.made_by_balancer - generation.first.made_by_balancer,
            "retries": generation.last.retries - generation.first.retries,
        }
        for node, generations in generations_of(points, run.plan.start_us or 0).items()
        for generation in generations
    ]


def _shares(verdict: Verdict, points: Sequence[Point]) -> list[dict[str, Any]]:
    """List responses by phase; for round robin on a dedicated target, with the expected share of each backend."""
    distribution, expected = verdict.figures.distribution, {}
    if verdict.figures.accounting.dedicated:
        weights = weights_of(verdict.run, points)
        for turns in distribution.turns or ():
            names = distribution.by_phase[turns.phase].backends
            total = sum(weights.get(name, 1.0) for name in names)
            if total > 0:
                expected[turns.phase] = {name: weights.get(name, 1.0) / total for name in names}
    return [
        {
            "phase": phase.value,
            "backends": {name: one.count for name, one in counts.backends.items()},
            "balancers": {name: one.count for name, one in counts.balancers.items()},
            "expected": expected.get(phase, {}),
        }
        for phase, counts in distribution.by_phase.items()
    ]


def _changes(changes: Changes | None, clock: TimeAxis) -> dict[str, Any] | None:
    """Return the losses and delays of each change, for each kind of connection."""
    if changes is None:
        return None
    kinds = [kind.kind for kind in changes.kinds]
    return {
        "kinds": kinds,
        "numbers": [change.number for change in changes.by_change],
        "at": [clock.at(change.from_us or 0) for change in changes.by_change],
        "felt": {kind: [_felt(change.felt.get(kind)) for change in changes.by_change] for kind in kinds},
    }


def _felt(felt: Felt | None) -> Sequence[float | None]:
    """Return the numbers of lost and gracefully closed connections, and the longest wait in milliseconds.

    The wait is None if the change caused no delay.
    """
    if felt is None:
        return 0, 0, None
    return felt.lost, felt.closed_politely, felt.longest_ms if felt.delayed else None
