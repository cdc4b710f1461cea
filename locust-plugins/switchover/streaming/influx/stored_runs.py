"""Runs that are in a database, by the points of their verdicts and of their first events."""

from dataclasses import dataclass
from typing import Any

from switchover.report.history.entry import NOT_JUDGED
from switchover.report.verdict_points import NO_NAME
from switchover.rundir.measurements import EVENT, VERDICT
from switchover.streaming.influx.database_client import DatabaseClient, quoted, text


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run of the database; `what` is its fault or change."""

    run: str
    start_us: int
    what: str = ""
    status: str = NOT_JUDGED


def stored_runs(client: DatabaseClient) -> list[StoredRun]:
    """Of each the last verdict; the oldest first."""
    began: dict[str, int] = {}
    for series in client.query(f'SELECT first("text") FROM {quoted(EVENT)} GROUP BY "run"'):
        began |= {series.tags.get("run", ""): row["time"] // 1000 for row in series.rows}
    judged: dict[str, tuple[str, dict[str, Any]]] = {}
    for series in client.query(f'SELECT * FROM {quoted(VERDICT)} GROUP BY "run", "fault"'):
        run, fault = series.tags.get("run", ""), series.tags.get("fault", NO_NAME)
        for row in series.rows:
            if run not in judged or row["time"] >= judged[run][1]["time"]:
                judged[run] = fault, dict(row)
    found = []
    for run in {**judged, **began}:
        fault, row = judged.get(run, (NO_NAME, {}))
        start_us = began.get(run, row.get("time", 0) // 1000)
        what = str(row.get("change") or "") or ("" if fault == NO_NAME else fault)
        found.append(StoredRun(run, start_us, what, str(row.get("verdict") or NOT_JUDGED)))
    return sorted(found, key=lambda one: (one.start_us, one.run))


def count_points(client: DatabaseClient, run: str) -> int:
    """Of a run, in all measurements: as many as the field has that most of a measurement's points have."""
    counted = client.query(f'SELECT count(*) FROM /^switchover_/ WHERE "run" = {text(run)}')
    rows = [row for one in counted for row in one.rows]
    return sum(max(count or 0 for name, count in row.items() if name != "time") for row in rows)
