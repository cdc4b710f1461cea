"""The history of runs for the screen, as a page and as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import to_builtins
from rich.console import Group as Lines
from rich.console import RenderableType
from rich.text import Text

from switchover.report import figures_text as text
from switchover.report.figures_text import NOTHING, counted, shortened
from switchover.report.history.entry import NOT_JUDGED, Entry, versions_text
from switchover.report.history.groups import Group, grouped, time_text, valid_outage_ms
from switchover.report.page.document import HISTORY, document
from switchover.report.screen import first_notes, page_table
from switchover.report.tables import Cell, Table, number
from switchover.verdict.record import Outage, OutageKind, Status

SCHEMA = 1
SETTINGS_LENGTH = 80
COLUMNS = (
    ("target", "fault", "runs", "verdicts", "median outage", "shortest to longest", "as predicted"),
    ("began (UTC)", "target", "fault", "verdict", "outage", "predicted"),
)
"""The columns of the console's tables, which fit 80 characters: the faults, and the latest runs."""
FIELDS = (
    *("run", "path", "began", "start_us", "target", "fault", "verdict", "valid", "outage", "failback"),
    *("failed", "total", "split_brain_ms", "predicted_low_ms", "predicted_high_ms", "inside", "versions"),
    *("damage", "reason"),
)
RUNS = 1000
"""The maximum number of rows in the page's table. A browser needs seconds for a longer table."""
SERIES = 8
"""The number of groups with a separate colour in the charts: the largest groups. All other groups are grey."""
NUMBERS = {
    "outage",
    "failback",
    "predicted",
    "failed",
    "split brain",
    "runs",
    "median outage",
    "shortest to longest",
    "as predicted",
}


def history(entries: Sequence[Entry], notes: Sequence[str], last: int) -> RenderableType:
    parts: list[RenderableType] = [*first_notes(notes)]
    if not entries:
        return Lines(*parts, Text("no runs"))
    shown = entries[-last:] if last else []
    single = len({entry.target for entry in entries}) == 1
    faults, runs = ([name for name in names if name != "target" or not single] for names in COLUMNS)
    tables = (
        _table("Faults", [group_texts(group) for group in grouped(entries)], faults),
        _table("Latest runs", [run_texts(entry) for entry in shown], runs),
    )
    parts += [page_table(table) for table in tables if table.rows]
    parts += [
        Text(f"{time_text(entry.start_us)} {entry.what} of {entry.target}, {entry.status}: {entry.reason}")
        for entry in shown
        if entry.reason
    ]
    listed = f", the last {len(shown):,} runs are listed" if len(shown) < len(entries) else ""
    return Lines(*parts, Text(counted(len(entries), "run") + listed))


def last_drills(pairs: Iterable[tuple[str, Entry | None, float | None]], notes: Sequence[str]) -> RenderableType:
    """Return a table with a row for each HA pair: its last drill, and the usual outage of its earlier drills."""
    rows = []
    for pair, last, usual_ms in pairs:
        texts = run_texts(last) if last else {}
        rows.append(
            {
                "pair": pair,
                "last drill (UTC)": f"{texts['began (UTC)']} {texts['fault']}" if texts else "never",
                "verdict": texts.get("verdict", NOTHING),
                "outage": texts.get("outage", NOTHING),
                "usual": NOTHING if usual_ms is None else text.duration(usual_ms),
            }
        )
    return Lines(*first_notes(notes), page_table(_table("", rows)))


def run_texts(entry: Entry) -> Mapping[str, str]:
    """Return the texts of a run's row in the table; the key is the title of the column. The console and the page use
    the same texts."""
    predicted = ""
    if entry.predicted_low_ms is not None:
        predicted = text.window(entry.predicted_low_ms, entry.predicted_high_ms)
    if entry.inside is False:
        predicted += " ✗"
    return {
        "began (UTC)": time_text(entry.start_us) or NOTHING,
        "target": entry.target or NOTHING,
        "fault": entry.what or NOTHING,
        "verdict": entry.status,
        "outage": length_shown(entry.outage),
        "failback": length_shown(entry.failback),
        "predicted": predicted or NOTHING,
        "failed": NOTHING if entry.total is None else text.of_total(entry.failed or 0, entry.total),
        "split brain": NOTHING if entry.split_brain_ms is None else text.duration(entry.split_brain_ms),
        "versions": versions_text(entry.versions) or NOTHING,
        "run": entry.path,
        "why": entry.reason or NOTHING,
    }


def length_shown(outage: Outage | None) -> str:
    """Format the outage with its interval, and a note if some requests were answered."""
    if outage is None:
        return NOTHING
    bounds = text.length_bounds(outage)
    shown = text.length(outage) + (f" ({bounds})" if bounds else "")
    return shown + (", partial" if outage.kind is OutageKind.PARTIAL else "")


def group_texts(group: Group) -> Mapping[str, str]:
    outages, (inside, predicted) = group.outages_ms, group.insides
    has_outage = any(entry.outage and entry.outage.kind is not OutageKind.NONE for entry in group.entries)
    shown = text.duration if has_outage else text.at_most
    ends = " to ".join(dict.fromkeys(map(shown, outages[:1] + outages[-1:]))) or NOTHING
    return {
        "target": group.target or NOTHING,
        "fault": fault_text(group, NOTHING),
        "runs": f"{len(group.entries):,}",
        "verdicts": ", ".join(f"{count:,} {status}" for status, count in group.statuses),
        "median outage": NOTHING if group.median_ms is None else shown(group.median_ms),
        "shortest to longest": ends,
        "as predicted": text.of_total(inside, predicted) if predicted else NOTHING,
        "last": (time_text(group.entries[-1].start_us) if group.entries else "") or NOTHING,
    }


def fault_text(group: Group, nothing: str) -> str:
    """Return the fault of a group, and the settings that differ from other groups with this fault."""
    settings = shortened(group.settings, SETTINGS_LENGTH)
    return (group.what or nothing) + (f" ({settings})" if settings else "")


def to_json(entries: Sequence[Entry], notes: Sequence[str]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "notes": list(notes),
        "groups": [_group(group) for group in grouped(entries)],
        "runs": [_run(entry) for entry in entries],
    }


def _run(entry: Entry) -> dict[str, Any]:
    known = {"began": time_text(entry.start_us), "fault": entry.what, "verdict": entry.status}
    return {name: known[name] if name in known else to_builtins(getattr(entry, name)) for name in FIELDS}


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


def history_page(entries: Sequence[Entry], notes: Sequence[str], folders: Sequence[str]) -> bytes:
    """Return the page with the outages over time, and with the distribution of the outages by fault."""
    groups = grouped(entries)
    shown = list(reversed(entries[-RUNS:]))
    left = f"the latest {RUNS:,} of {len(entries):,} runs; --json has all runs"
    rows = [dict(run_texts(entry)) for entry in shown]
    if all(row["why"] == NOTHING for row in rows):
        rows = [{name: value for name, value in row.items() if name != "why"} for row in rows]
    return document(
        "history.html.j2",
        HISTORY,
        {"series": _series(groups)},
        title="History: " + ", ".join(folders),
        counted=f"{counted(len(entries), 'run')} of {counted(len({group.target for group in groups}), 'target')}",
        notes=notes,
        groups=_table("Faults", [group_texts(group) for group in groups]),
        runs=_table("Runs, the latest first", rows, note=left if len(shown) < len(entries) else ""),
    )


def _table(
    caption: str, rows: Sequence[Mapping[str, str]], columns: Sequence[str] | None = None, note: str = ""
) -> Table:
    columns = columns or tuple(rows[0] if rows else ())
    cells = [
        [number(row[name]) if name in NUMBERS else Cell(row[name], tone=_tone(name, row[name])) for name in columns]
        for row in rows
    ]
    return Table(caption, columns, cells, note)


def _tone(column: str, shown: str) -> str:
    if column != "verdict" or shown == NOT_JUDGED:
        return ""
    return "good" if shown in set(Status) and Status(shown).exit_code == 0 else "bad"


def _series(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """List the outages of each group in columns, so that the page is small. The largest group is first."""
    targets = {group.target for group in groups}
    series = []
    for place, group in enumerate(sorted(groups, key=lambda group: -len(group.outages_ms))):
        runs = [run for run in group.entries if valid_outage_ms(run) is not None and run.start_us is not None]
        if runs:
            series.append(
                {
                    "name": fault_text(group, "no fault") + (f", {group.target}" if len(targets) > 1 else ""),
                    "colour": f"web-{place}" if place < SERIES else "grey",
                    "at": [(entry.start_us or 0) // 1000 for entry in runs],
                    "low": [entry.outage.low_ms if entry.outage else None for entry in runs],
                    "high": [valid_outage_ms(entry) for entry in runs],
                    "predicted_low": [entry.predicted_low_ms for entry in runs],
                    "predicted_high": [entry.predicted_high_ms for entry in runs],
                    "run": [entry.run for entry in runs],
                    "status": [entry.status for entry in runs],
                }
            )
    return series
