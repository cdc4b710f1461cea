"""The report of several drills of one fault: `summary.json`, Markdown, and a table for the screen."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Group
from rich.text import Text

from switchover.model.statistics import kolmogorov_uniform
from switchover.report import figures_text as text
from switchover.report.documents import Judged, Tree, judged_of, tree_of
from switchover.report.make_report import Form
from switchover.report.markdown import code_block, escaped
from switchover.report.screen import page_table, print_json, print_shown
from switchover.report.tables import Cell, Table, make_table, number
from switchover.rundir.atomic_file import read_whole
from switchover.rundir.run_directory import write_json
from switchover.verdict import record
from switchover.verdict.judge import Verdict
from switchover.verdict.record import Status, loudest

SUMMARY_FILE = "summary.json"
ROWS = 50
"""The maximum number of drills that are listed in Markdown. GitHub accepts comments of up to 65,536 characters."""
COLUMNS = ("drill", "outage", "interval", "failback", "predicted", "split brain", "verdict")
REJECTED_BELOW = 0.001
"""If the p value is below this value, the outages refute the prediction."""
OUTSIDE_LIMIT = 2
"""The number of outages outside of the predicted window that refutes the prediction. A single outage may be outside
for another reason."""
_REPEATS = re.compile(r"-x(\d{1,4})(?:-\d{1,3})?$", re.ASCII)
"""The end of the name of a folder of drills: `<time>-<fault>-xN`, followed by a number if the name already exists."""


def report_repeats(
    parent: Path, drills: Sequence[tuple[str, Verdict]], *, asked: int, form: Form = Form.SCREEN
) -> int:
    """Write a summary.json about the drills to `parent`, print it in the given form, and return the exit code."""
    judged = [(name, judged_of(verdict)) for name, verdict in drills]
    summary = tree_of(summary_json(judged, asked))
    title, table = parent.resolve().name, drills_table([drill for _, drill in judged])
    write_json(parent / SUMMARY_FILE, summary)
    if form is Form.MARKDOWN:
        print(repeats_markdown(title, summary, table))
    elif form is Form.JSON:
        print_json(summary)
    else:
        style = "bold red" if summary.exit_code else "bold green"
        heading = Text.assemble((summary.verdict, style), f" {title}")
        print_shown(Group(heading, repeats_text(summary, table)), parent / SUMMARY_FILE)
    return int(summary.exit_code)


def asked_of(parent: Path) -> int | None:
    """Return the requested number of drills, from the summary or the name of the folder; None: unknown."""
    try:
        asked = json.loads(read_whole(parent / SUMMARY_FILE))["asked"]
    except (OSError, ValueError, TypeError, KeyError):
        asked = None
    if isinstance(asked, int):
        return asked
    match = _REPEATS.search(parent.resolve().name)
    return int(match[1]) if match else None


def repeats_text(summary: Tree, table: Table) -> Group:
    return Group(*(Text(f"  {line}") for line in series_lines(summary)), page_table(table))


def repeats_markdown(title: str, summary: Tree, table: Table) -> str:
    shown = Table("", table.columns, table.rows[:ROWS])
    mark = "❌" if summary.exit_code else "✅"
    more = f"\nand {len(table.rows) - ROWS} more, in summary.json\n" if len(table.rows) > ROWS else ""
    return f"### {mark} {summary.verdict}: {escaped(title)}\n\n{code_block(repeats_text(summary, shown))}\n{more}"


def series_lines(summary: Tree) -> list[str]:
    names = {"not_recovered": "not recovered", "invalid": "invalid"}
    left_out = [f"{summary[key]} {name}" for key, name in names.items() if summary[key]]
    lines = ["; ".join([f"{summary.done} of {summary.asked} drills", *left_out])]
    series = summary.series
    if not series.outages_ms:
        return [*lines, "no valid drill recovered: there is no distribution"]
    ranked = sorted(series.outages_ms)
    ends = f"{text.duration(ranked[0])} to {text.duration(ranked[-1])}"
    lines.append(f"Outage {ends}, median {text.duration(median(ranked))}, {text.counted(len(ranked), 'drill')}")
    if series.low_ms is not None:
        outside = "" if series.outside is None else f": {series.outside} outside"
        refuted = ", REFUTED" if series.refuted_by_window else ""
        lines.append(f"Predicted {text.window(series.low_ms, series.high_ms)}{outside}{refuted}")
    if series.p is not None and series.ks_distance is not None:
        fits = f"REFUTED (p < {series.rejected_below:g})" if series.refuted_by_fit else "agrees"
        lines.append(f"Uniform over this window: {fits}, Kolmogorov D = {series.ks_distance:.3f}, p = {series.p:.3g}")
    return lines


def drills_table(drills: Sequence[Judged]) -> Table:
    rows = []
    for place, (verdict, _) in enumerate(drills, start=1):
        outage, failback = verdict.outage, verdict.failback
        inside = verdict.prediction.inside if verdict.prediction else None
        rows.append(
            (
                str(place),
                number(text.length(outage) if outage else text.UNKNOWN),
                number(text.length_bounds(outage) if outage else ""),
                number(text.length(failback) if failback else text.NOTHING),
                Cell({True: "✓", False: "✗", None: "-"}[inside], tone={True: "good", False: "bad", None: ""}[inside]),
                number(text.split_brain(verdict)[0]),
                Cell(verdict.status, tone="bad" if verdict.exit_code else "good"),
            )
        )
    return make_table("", COLUMNS, rows)


def summary_json(drills: Sequence[tuple[str, Judged]], asked: int) -> dict[str, Any]:
    verdicts = [judged.verdict for _, judged in drills]
    series = series_json([judged for _, judged in drills])
    valid = [verdict for verdict in verdicts if verdict.valid]
    status = status_of_repeats([verdict.status for verdict in verdicts], asked, refuted=series["refuted"])
    return {
        "schema": 2,
        "verdict": status.value,
        "asked": asked,
        "done": len(drills),
        "not_recovered": sum(verdict.outage is not None and verdict.outage.censored for verdict in fitted(valid)),
        "invalid": len(verdicts) - len(valid),
        "exit_code": status.exit_code,
        "series": series,
        "runs": [
            {
                "run": run,
                "verdict": verdict.status.value,
                "exit_code": verdict.exit_code,
                "valid": verdict.valid,
                "outage_low_ms": verdict.outage and verdict.outage.low_ms,
                "outage_high_ms": verdict.outage and verdict.outage.high_ms,
                "censored": verdict.outage and verdict.outage.censored,
                "split_brain_ms": verdict.split_brain_ms,
            }
            for run, (verdict, _) in drills
        ],
    }


def fitted(verdicts: Iterable[record.Verdict]) -> list[record.Verdict]:
    return [verdict for verdict in verdicts if verdict.prediction is not None and verdict.outage is not None]


def series_json(drills: Sequence[Judged]) -> dict[str, Any]:
    """Compare outages (middles of intervals) with the predicted window. Only valid drills in which the service
    recovered are counted."""
    valid = [drill for drill in drills if drill.verdict.valid]
    verdicts = fitted(drill.verdict for drill in valid)
    fits = [verdict.prediction for verdict in verdicts if verdict.prediction is not None]
    outages = [verdict.outage for verdict in verdicts if verdict.outage is not None and not verdict.outage.censored]
    middles = [round((outage.low_ms + (outage.high_ms or 0)) / 2, 3) for outage in outages]
    windows = {(fit.low_ms, fit.high_ms) for fit in fits}
    low, high = windows.pop() if len(windows) == 1 else (None, None)
    inside = [fit.inside for fit in fits]
    outside = inside.count(False) if {True, False} & {*inside} else None
    distance = p = None
    # In theory, kills at random times cause outages that are uniformly distributed over the window.
    uniform = all(drill.run.fault is not None and drill.run.fault.uniform for drill in valid)
    if uniform and middles and low is not None and high is not None and high > low:
        distance, p = kolmogorov_uniform(middles, low, high)
    by_window, by_fit = outside is not None and outside >= OUTSIDE_LIMIT, p is not None and p < REJECTED_BELOW
    return {
        "outages_ms": middles,
        "low_ms": low,
        "high_ms": high,
        "outside": outside,
        "ks_distance": distance,
        "p": p,
        "rejected_below": REJECTED_BELOW,
        "refuted": by_window or by_fit,
        "refuted_by_window": by_window,
        "refuted_by_fit": by_fit,
    }


def status_of_repeats(statuses: Iterable[Status], asked: int, *, refuted: bool) -> Status:
    """Return the worst status of the drills. A refuted prediction counts as a further status (REFUTED), and so do
    missing drills (STOPPED)."""
    reached = [*statuses, *([Status.REFUTED] if refuted else [])]
    if len(reached) - refuted < asked or not reached:
        reached.append(Status.STOPPED)
    worst = max(status.exit_code for status in reached)
    return loudest({status for status in reached if status.exit_code == worst}, Status.MEASURED)
