"""Runs that are in a database, by the points of their verdicts."""

from switchover.analysis.history.entry import DAMAGED, Entry, entry_of
from switchover.report.stored_verdict import StoredRun
from switchover.rundir.measurements import EVENT, VERDICT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import run_json
from switchover.streaming.influx.database_client import DatabaseClient, quoted, text


def stored_runs(client: DatabaseClient) -> list[Entry]:
    """Of each the last verdict; the oldest first. The setting is not in the database."""
    began = _first_times(client)
    found: dict[str, StoredRun] = {}
    for series in client.query(f'SELECT * FROM {quoted(VERDICT)} GROUP BY "run", "fault"'):
        run = series.tags.get("run", "")
        for row in series.rows:
            fields = {name: value for name, value in row.items() if name != "time" and value is not None}
            found.setdefault(run, StoredRun(run)).take(Point(VERDICT, series.tags, fields, row["time"]))
    for run in began:
        found.setdefault(run, StoredRun(run))
    entries = [_entry(stored, began.get(run)) for run, stored in found.items()]
    return sorted(entries, key=lambda entry: (entry.start_us or 0, entry.run))


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


def _entry(stored: StoredRun, start_us: int | None) -> Entry:
    """A run whose points are none of ours is damaged, and hides no other."""
    run = stored.identifier
    if start_us is None and stored.verdict is not None:
        start_us = stored.verdict.time_ns // 1000
    try:
        return entry_of(run, {**run_json(stored.described(start_us)), "fetched": True}, stored.judged())
    except ValueError as error:
        return Entry(run=run, path=run, start_us=start_us, word=DAMAGED, damage=str(error))
