"""Runs that are in a database, by the points of their verdicts."""

from collections.abc import Mapping
from typing import Any

from switchover.analysis.history.entry import NOT_JUDGED, Entry, Length
from switchover.analysis.outage import OutageKind
from switchover.report.verdict_points import NO_NAME
from switchover.rundir.measurements import EVENT, VERDICT
from switchover.streaming.influx.database_client import DatabaseClient, quoted, text


def stored_runs(client: DatabaseClient) -> list[Entry]:
    """Of each the last verdict; the oldest first. Target, setting and versions are not in the database."""
    began = _first_times(client)
    found = {}
    for series in client.query(f'SELECT * FROM {quoted(VERDICT)} GROUP BY "run", "fault"'):
        run, fault = series.tags.get("run", ""), series.tags.get("fault", "")
        for row in series.rows:
            found[run] = _entry(run, "" if fault == NO_NAME else fault, row, began.get(run, row["time"] // 1000))
    for run, at_us in began.items():
        found.setdefault(run, Entry(run=run, path=run, start_us=at_us))
    return sorted(found.values(), key=lambda entry: (entry.start_us or 0, entry.run))


def count_points(client: DatabaseClient, run: str) -> int:
    """Of a run, in all measurements: as many as the field has that most of a measurement's points have."""
    counted = client.query(f'SELECT count(*) FROM /^switchover_/ WHERE "run" = {text(run)}')
    rows = [row for one in counted for row in one.rows]
    return sum(max(count or 0 for name, count in row.items() if name != "time") for row in rows)


def _first_times(client: DatabaseClient) -> dict[str, int]:
    """When each run began, by its first event, in epoch microseconds."""
    found: dict[str, int] = {}
    for series in client.query(f'SELECT first("text") FROM {quoted(EVENT)} GROUP BY "run"'):
        for row in series.rows:
            found[series.tags.get("run", "")] = row["time"] // 1000
    return found


def _entry(run: str, fault: str, row: Mapping[str, Any], start_us: int) -> Entry:
    recovered = row.get("recovered") is not False
    samples, probes = row.get("samples"), row.get("probes")
    return Entry(
        run=run,
        path=run,
        start_us=start_us,
        what=fault,
        word=str(row.get("word") or NOT_JUDGED),
        trusted=row.get("trusted") is True,
        outage=_length(row, "outage", recovered),
        failback=_length(row, "failback", recovered),
        failed=row.get("failed") if samples is not None else row.get("probes_failed"),
        total=samples if samples is not None else probes,
        split_brain_ms=row.get("split_brain_ms"),
        predicted_low_ms=row.get("predicted_low_ms"),
        predicted_high_ms=row.get("predicted_high_ms"),
    )


def _length(row: Mapping[str, Any], name: str, recovered: bool) -> Length | None:
    """Where the low end is 0 nothing was seen, and the high end says how long that may have been."""
    low_ms, high_ms = row.get(f"{name}_low_ms"), row.get(f"{name}_high_ms")
    if low_ms is None:
        return None
    kind = OutageKind.NONE if low_ms == 0 and high_ms is not None else OutageKind.OUTAGE
    return Length(kind, low_ms, high_ms, high_ms or 0.0, censored=high_ms is None, recovered=recovered)
