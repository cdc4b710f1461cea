"""Write the verdict as points to `journal-verdict.lp`. Java writes the same bytes (contract/verdict_points.json)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from switchover.report.history.entry import target_name, versions_text
from switchover.report.tables import value_at
from switchover.rundir.atomic_file import whole_file
from switchover.rundir.measurements import EVENT, LIMIT, VERDICT
from switchover.rundir.points import FieldValue, format_point
from switchover.rundir.run_directory import VERDICT_JOURNAL, Run
from switchover.rundir.sent_offset import SENT_SUFFIX
from switchover.verdict.record import PhaseName

NO_NAME = "none"
"""The value of `fault` in a run without a fault, and the value of `generator` in a run without a load."""
PLACES = {
    "verdict": "verdict",
    "valid": "valid",
    "exit_code": "exit_code",
    "outage_low_ms": "outage/low_ms",
    "outage_high_ms": "outage/high_ms",
    "failback_low_ms": "failback/low_ms",
    "failback_high_ms": "failback/high_ms",
    "recovered": "",
    "split_brain_ms": "split_brain_ms",
    "failed_percent": "",
    "failed": "samples/failed",
    "samples": "samples/total",
    "probes": "probes/total",
    "probes_failed": "probes/failed",
    "unaccounted": "accounting/unaccounted",
    "predicted_low_ms": "prediction/low_ms",
    "predicted_high_ms": "prediction/high_ms",
}
"""The fields of the verdict's point, each with its place in verdict.json; empty: the field is computed."""
UNITS = {"ms": "ms", "share": "percent", "requests": "count"}
"""The unit of a limit in the database, for each unit in `verdict.json`."""


def write_verdict_points(directory: Path, run: Run, verdict: Mapping[str, Any]) -> None:
    path = directory / VERDICT_JOURNAL
    with whole_file(path) as file:
        file.writelines(f"{line}\n" for line in verdict_lines(run, verdict))
    # The file is new, so no part of it was sent to the database.
    with suppress(OSError):
        path.with_name(path.name + SENT_SUFFIX).unlink(missing_ok=True)


def verdict_lines(run: Run, verdict: Mapping[str, Any]) -> list[str]:
    """Return points of the verdict, its limits and its events. If the run did not begin, the list is empty."""
    end_us = run.plan.end_us if run.plan.end_us is not None else run.plan.start_us
    if end_us is None:
        return []
    time_ns = end_us * 1000
    fault = run.fault.name if run.fault is not None else NO_NAME
    generator = run.settings.generator or NO_NAME
    known = {**_fields(verdict), **_setting(run)}
    fields = {name: value for name, value in known.items() if value is not None}
    lines = [format_point(VERDICT, {"run": run.id, "fault": fault, "generator": generator}, fields, time_ns)]
    lines += [
        format_point(LIMIT, {"run": run.id, "name": limit["name"]}, _limit(limit), time_ns)
        for limit in verdict.get("limits") or ()
    ]
    lines += _event_lines(run, verdict)
    return [line for line in lines if line]


def _event_lines(run: Run, verdict: Mapping[str, Any]) -> Iterator[str]:
    """Yield an event for the first bad probe and for the end of the outage and of the failback."""
    for name, end in (("outage", "first_success"), ("failback", "failback")):
        outage = verdict.get(name) or {}
        if outage.get("first_bad_us") is None:
            continue
        text = f"{(outage['to_us'] - outage['from_us']) / 1000:.3f} ms without a lasting good response"
        moments = {"first_failure": outage["first_bad_us"], end: None if outage["censored"] else outage["to_us"]}
        for kind, at_us in moments.items():
            if at_us is not None:
                yield format_point(EVENT, {"run": run.id, "kind": kind}, {"text": text}, at_us * 1000)


def _fields(verdict: Mapping[str, Any]) -> dict[str, FieldValue | None]:
    """Return the fields of the verdict's point in the order in which they are written. None: unknown."""
    recovered = [value_at(verdict, f"{name}/recovered") for name in ("outage", "failback")]
    known = [is_recovered for is_recovered in recovered if is_recovered is not None]
    switchover = value_at(verdict.get("samples") or verdict.get("probes"), f"by_phase/{PhaseName.SWITCHOVER}") or {}
    sent = switchover.get("total")
    fields = {name: value_at(verdict, place) for name, place in PLACES.items()}
    fields["recovered"] = all(known) if known else None
    fields["failed_percent"] = switchover["failed"] * 100.0 / sent if sent else None
    for name, value in fields.items():
        if name.endswith("_ms") and value is not None:
            fields[name] = float(value)  # the type of a field must not change
    return fields


def _setting(run: Run) -> dict[str, FieldValue | None]:
    """Return target, change and versions as fields. If they were tags, a new report could not replace the point of an
    earlier report."""
    return {
        "target": target_name(run.target) or None,
        "change": run.change.name if run.change is not None else None,
        "versions": versions_text(run.versions) or None,
    }


def _limit(limit: Mapping[str, Any]) -> dict[str, FieldValue]:
    scale = 100.0 if limit["unit"] == "share" else 1.0
    fields: dict[str, FieldValue] = {
        name: limit[name] * scale for name in ("limit", "low", "high") if limit[name] is not None
    }
    return {**fields, "state": limit["state"], "unit": UNITS[limit["unit"]]}
