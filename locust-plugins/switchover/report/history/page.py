"""Many runs as one page that needs no network: outage over time, its distribution by fault, and words by month."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from switchover.analysis.history.entry import DAMAGED, NOT_JUDGED, Entry
from switchover.analysis.history.history import Group, grouped, time_text, valid_outage_ms
from switchover.analysis.status import Status
from switchover.report.history.text import NOTHING, counted, fault_text, group_texts, run_texts, runs_counted
from switchover.report.page.document import HISTORY, document
from switchover.report.page.table import Cell, Table, number, word_tone

RUNS = 1000
"""Rows of the table; more take a browser seconds, and --csv has them all."""
MARKS = 30
"""Changes of a version that are marked in a chart; more would hide the outages."""
NUMBERS = {"outage", "failback", "predicted", "failed", "split brain", "runs", "median outage", "shortest to longest"}
SERIES = 8
"""Faults with a colour of their own, the commonest first; the others are grey."""


def history_page(entries: Sequence[Entry], notes: Sequence[str], folders: Sequence[str]) -> bytes:
    groups = grouped(entries)
    shown = list(reversed(entries[-RUNS:]))
    left = f"the latest {RUNS:,} of {len(entries):,} runs: --csv and --json have them all"
    return document(
        "history.html.j2",
        HISTORY,
        {"series": _series(groups), "marks": _marks(groups), "months": _months(entries)},
        title="History: " + ", ".join(folders),
        counted=f"{runs_counted(entries)} of {counted(len({one.target for one in groups}), 'target')}",
        notes=notes,
        groups=_table("Faults", [group_texts(group) for group in groups]),
        runs=_table("Runs, the latest first", _rows(shown), left if len(shown) < len(entries) else ""),
    )


def _rows(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """Without the column of reasons where there is none."""
    rows = [dict(run_texts(entry)) for entry in entries]
    if all(row["why"] == NOTHING for row in rows):
        for row in rows:
            del row["why"]
    return rows


def _table(caption: str, rows: Sequence[Any], note: str = "") -> Table:
    columns = tuple(rows[0]) if rows else ()
    cells = [
        [number(text) if name in NUMBERS else Cell(text, tone=_tone(name, text)) for name, text in row.items()]
        for row in rows
    ]
    return Table(caption, columns, cells, note)


def _tone(column: str, text: str) -> str:
    if column != "verdict" or text == NOT_JUDGED:
        return ""
    return word_tone(text)


def _series(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Of each fault of each target that has outages; the commonest first. Columns, so that the page stays small."""
    targets = {group.target for group in groups}
    found = []
    for place, group in enumerate(sorted(groups, key=lambda one: -len(one.outages_ms))):
        runs = [entry for entry in group.entries if valid_outage_ms(entry) is not None and entry.start_us is not None]
        if not runs:
            continue
        found.append(
            {
                "name": fault_text(group, "no fault") + (f", {group.target}" if len(targets) > 1 else ""),
                "colour": f"web-{place}" if place < SERIES else "grey",
                "at": [(entry.start_us or 0) // 1000 for entry in runs],
                "low": [entry.outage.low_ms if entry.outage else None for entry in runs],
                "high": [valid_outage_ms(entry) for entry in runs],
                "predicted_low": [entry.predicted_low_ms for entry in runs],
                "predicted_high": [entry.predicted_high_ms for entry in runs],
                "run": [entry.run for entry in runs],
                "verdict": [entry.status for entry in runs],
            }
        )
    return found


def _marks(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Where the versions of a target's balancers changed from one run to the next; the latest."""
    by_target: dict[str, list[tuple[int, str]]] = {}
    for group in groups:
        known = ((entry.start_us, entry.versions_text) for entry in group.entries)
        by_target.setdefault(group.target, []).extend((at_us, text) for at_us, text in known if text and at_us)
    marks = []
    for seen in by_target.values():
        before = ""
        for at_us, text in sorted(seen):
            if text != before:
                marks.append((at_us, text))
            before = text
    return [{"at": at_us // 1000, "text": text} for at_us, text in sorted(marks)[-MARKS:]]


def _months(entries: Sequence[Entry]) -> dict[str, Any]:
    """How many runs had which word in each month."""
    counts = Counter((time_text(entry.start_us)[:7], entry.status) for entry in entries if entry.start_us is not None)
    months = sorted({month for month, _ in counts if month})
    order = [*reversed(Status), NOT_JUDGED, DAMAGED]
    statuses = [status for status in order if any(found == status for _, found in counts)]
    return {
        "months": months,
        "statuses": [
            {
                "name": str(status),
                "counts": [counts[month, str(status)] for month in months],
                "colour": _colour(str(status)),
            }
            for status in statuses
        ],
    }


def _colour(status: str) -> str:
    """Of words that say the same of a build one hue: what is well, what is not, and what cannot be told."""
    if status in (NOT_JUDGED, DAMAGED):
        return "grey"
    return {0: "good", 1: "failed", 2: "late"}[Status(status).exit_code]
