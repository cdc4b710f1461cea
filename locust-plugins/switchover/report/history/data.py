"""Many runs as JSON and as CSV; docs/history.md says what the fields are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from switchover.analysis.history.entry import BALANCERS, Entry, Length
from switchover.analysis.history.history import Group, grouped, time_text
from switchover.report.csv_table import write_table

SCHEMA = 1
LENGTH_COLUMNS = ("low_ms", "high_ms", "kind", "recovered")
COLUMNS = (
    *("run", "path", "began", "start_us", "target", "fault", "word", "trusted"),
    *(f"{name}_{column}" for name in ("outage", "failback") for column in LENGTH_COLUMNS),
    *("failed", "total", "split_brain_ms", "predicted_low_ms", "predicted_high_ms", "inside"),
    *BALANCERS,
    *("damage", "reason"),
)


def to_json(entries: Sequence[Entry], notes: Sequence[str]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "notes": list(notes),
        "groups": [_group(group) for group in grouped(entries)],
        "runs": [_run(entry) for entry in entries],
    }


def to_csv(entries: Iterable[Entry]) -> str:
    rows = []
    for entry in entries:
        values = {
            **_run(entry),
            **_columns("outage", entry.outage),
            **_columns("failback", entry.failback),
            **entry.versions,
        }
        cells = (values.get(name) for name in COLUMNS)
        rows.append(["" if cell is None else int(cell) if isinstance(cell, bool) else cell for cell in cells])
    return write_table(COLUMNS, rows)


def _run(entry: Entry) -> dict[str, Any]:
    return {
        "run": entry.run,
        "path": entry.path,
        "began": time_text(entry.start_us),
        "start_us": entry.start_us,
        "target": entry.target,
        "fault": entry.what,
        "word": entry.word,
        "trusted": entry.trusted,
        "outage": None if entry.outage is None else asdict(entry.outage),
        "failback": None if entry.failback is None else asdict(entry.failback),
        "failed": entry.failed,
        "total": entry.total,
        "split_brain_ms": entry.split_brain_ms,
        "predicted_low_ms": entry.predicted_low_ms,
        "predicted_high_ms": entry.predicted_high_ms,
        "inside": entry.inside,
        "versions": dict(entry.versions),
        "damage": entry.damage,
        "reason": entry.reason,
    }


def _columns(name: str, length: Length | None) -> Mapping[str, Any]:
    return {} if length is None else {f"{name}_{column}": getattr(length, column) for column in LENGTH_COLUMNS}


def _group(group: Group) -> dict[str, Any]:
    outages, (inside, predicted) = group.outages_ms, group.insides
    return {
        "target": group.target,
        "fault": group.what,
        "runs": len(group.runs),
        "words": dict(group.words),
        "outages": len(outages),
        "median_ms": group.median_ms,
        "shortest_ms": outages[0] if outages else None,
        "longest_ms": outages[-1] if outages else None,
        "inside": inside,
        "predicted": predicted,
        "last_us": group.runs[-1].start_us if group.runs else None,
    }
