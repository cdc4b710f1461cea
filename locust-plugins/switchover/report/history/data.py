"""Many runs as JSON and as CSV; docs/history.md says what the fields are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from switchover.analysis.history.entry import BALANCERS, Entry
from switchover.analysis.history.history import Group, grouped, time_text
from switchover.report.csv_table import write_table

SCHEMA = 1
FIELDS = (
    *("run", "path", "began", "start_us", "target", "fault", "verdict", "valid", "outage", "failback"),
    *("failed", "total", "split_brain_ms", "predicted_low_ms", "predicted_high_ms", "inside", "versions"),
    *("damage", "reason"),
)
PARTS: Mapping[str, Mapping[str, str]] = {
    name: {f"{name}_{part}": part for part in ("low_ms", "high_ms", "kind", "recovered")}
    for name in ("outage", "failback")
} | {"versions": {name: name for name in BALANCERS}}
"""Of fields that hold several values: by column of the table, the part that stands in it."""
COLUMNS = tuple(column for field in FIELDS for column in PARTS.get(field, (field,)))


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
        values = _run(entry)
        for field, columns in PARTS.items():
            values |= {column: (values[field] or {}).get(part) for column, part in columns.items()}
        cells = (values[name] for name in COLUMNS)
        rows.append(["" if cell is None else int(cell) if isinstance(cell, bool) else cell for cell in cells])
    return write_table(COLUMNS, rows)


def _run(entry: Entry) -> dict[str, Any]:
    values = asdict(entry) | {"began": time_text(entry.start_us), "fault": entry.what}
    return {name: values[name] for name in FIELDS}


def _group(group: Group) -> dict[str, Any]:
    outages, (inside, predicted) = group.outages_ms, group.insides
    return {
        "target": group.target,
        "fault": group.what,
        "settings": group.settings,
        "runs": len(group.entries),
        "statuses": dict(group.statuses),
        "outages": len(outages),
        "median_ms": group.median_ms,
        "shortest_ms": outages[0] if outages else None,
        "longest_ms": outages[-1] if outages else None,
        "inside": inside,
        "predicted": predicted,
        "last_us": group.entries[-1].start_us if group.entries else None,
    }
