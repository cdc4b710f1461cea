"""Runs that are in a database, by the points of their verdicts."""

from collections.abc import Mapping
from dataclasses import replace

from switchover.analysis.history.entry import DAMAGED, Entry, Length, target_name, versions_of
from switchover.analysis.outage import OutageKind
from switchover.analysis.word import Word
from switchover.report.verdict_points import NO_NAME
from switchover.rundir.measurements import EVENT, VERDICT
from switchover.rundir.points import FieldValue, Point
from switchover.rundir.run_records import is_fit
from switchover.streaming.influx.database_client import DatabaseClient, quoted, text


def stored_runs(client: DatabaseClient) -> list[Entry]:
    """Of each the last verdict; the oldest first. The setting is not in the database."""
    began = _first_times(client)
    verdicts: dict[str, Point] = {}
    for series in client.query(f'SELECT * FROM {quoted(VERDICT)} GROUP BY "run", "fault"'):
        run = series.tags.get("run", "")
        for row in series.rows:
            fields = {name: value for name, value in row.items() if name != "time" and value is not None}
            if run not in verdicts or row["time"] >= verdicts[run].time_ns:
                verdicts[run] = Point(VERDICT, series.tags, fields, row["time"])
    entries = [_entry(run, verdicts.get(run), began.get(run)) for run in {**verdicts, **began}]
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


def _entry(run: str, verdict: Point | None, start_us: int | None) -> Entry:
    """A run whose points are none of ours is damaged, and hides no other."""
    if start_us is None and verdict is not None:
        start_us = verdict.time_ns // 1000
    entry = Entry(run=run, path=run, start_us=start_us)
    if verdict is None:
        return entry
    try:
        return _with_verdict(entry, verdict.tags, _PointFields(verdict.fields))
    except ValueError as error:
        return replace(entry, word=DAMAGED, damage=str(error))


def _with_verdict(entry: Entry, tags: Mapping[str, str], fields: "_PointFields") -> Entry:
    """ValueError where the point is no verdict of ours."""
    word, target, fault = fields.text("word"), fields.text("target"), tags.get("fault", NO_NAME)
    if word and word not in tuple(Word):
        raise ValueError(f"its word is {word[:40]!r}, and that is none")
    low_ms, high_ms = fields.number("predicted_low_ms"), fields.number("predicted_high_ms")
    is_predicted = low_ms is not None or high_ms is not None
    total, failed = fields.count("samples"), fields.count("failed")
    if total is None or failed is None:
        total, failed = fields.count("probes"), fields.count("probes_failed")
    is_counted = total is not None and failed is not None
    return replace(
        entry,
        word=word or entry.word,
        trusted=fields.flag("trusted") is True,
        # An address names the target, or else its file.
        target=target_name({"url" if "://" in target else "file": target}),
        what=fields.text("change") or ("" if fault == NO_NAME else fault),
        versions=versions_of(fields.text("versions")),
        outage=_length(fields, "outage", "failback"),
        failback=_length(fields, "failback", "outage"),
        failed=failed if is_counted else None,
        total=total if is_counted else None,
        split_brain_ms=fields.number("split_brain_ms"),
        predicted_low_ms=low_ms,
        predicted_high_ms=high_ms,
        keepalived={"predicted window in ms": f"{low_ms} to {high_ms}"} if is_predicted else {},
    )


def _length(fields: "_PointFields", name: str, other: str) -> Length | None:
    low_ms, high_ms = fields.number(f"{name}_low_ms"), fields.number(f"{name}_high_ms")
    if low_ms is None:
        return None
    if high_ms is not None and high_ms < low_ms:
        raise ValueError(f"its {name} goes from {low_ms} to {high_ms} ms")
    # Nothing was seen where the low end is 0: then the high end is how long one may have been unseen.
    is_none = low_ms == 0 and high_ms is not None
    # The point says it of outage and failback together.
    is_over = is_none or fields.flag("recovered") is not False or fields.number(f"{other}_low_ms") is not None
    return Length(
        OutageKind.NONE if is_none else "",
        low_ms,
        high_ms,
        high_ms if is_none and high_ms is not None else 0.0,
        censored=high_ms is None,
        recovered=high_ms is not None and is_over,
    )


class _PointFields:
    """The fields of a point, each None, or empty, where it is not there or of another type."""

    def __init__(self, fields: Mapping[str, FieldValue]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool | None:
        value = self._fields.get(name)
        return value if isinstance(value, bool) else None

    def number(self, name: str) -> float | None:
        value = self._fields.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not is_fit(value):
            return None
        return float(value)

    def count(self, name: str) -> int | None:
        value = self._fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and is_fit(value) else None
