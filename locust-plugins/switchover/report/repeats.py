"""The report of several drills of one fault: `summary.json`, a page, Markdown, and the table on the screen."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from rich.console import Console, Group
from rich.text import Text

from switchover.figures.prediction_fit import REJECTED_BELOW, Series, fit_series
from switchover.figures.probes import tolerated_us
from switchover.report import figures_text as text
from switchover.report.documents import Judged, Tree, judged_of, tree_of
from switchover.report.make_report import Form
from switchover.report.markdown import code_block, escaped
from switchover.report.page.document import REPEATS, document
from switchover.report.screen import page_table, print_json
from switchover.report.tables import Cell, Table, number
from switchover.rundir.atomic_file import read_whole, write_whole
from switchover.rundir.run_directory import PAGE_FILE, write_json
from switchover.verdict import record
from switchover.verdict.judge import Verdict
from switchover.verdict.record import Status, loudest

SUMMARY_FILE = "summary.json"
ROWS = 50
"""Drills in Markdown. GitHub takes comments of 65,536 characters."""
COLUMNS = ("drill", "outage", "interval", "failback", "predicted", "split brain", "accounting", "verdict", "run")
_REPEATS = re.compile(r"-x(\d{1,4})(?:-\d{1,3})?$", re.ASCII)
"""How the folder of N repeats is named: `<time>-<fault>-xN`, with a number behind it if there are several."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """What the drills say together."""

    drills: Sequence[tuple[str, Verdict]]
    """The run directory of each by its name, and its verdict."""
    asked: int
    series: Series
    status: Status

    @property
    def less_sharp(self) -> int:
        """Drills that can be trusted, in which the probes stood still for longer than is usual."""
        return sum(verdict.valid and _is_less_sharp(verdict) for _, verdict in self.drills)


def _is_less_sharp(verdict: Verdict) -> bool:
    """Whether a probe gap was longer than usual, so that the outage is known less exactly."""
    outages = [one.outage for one in verdict.events.watched]
    return any(outage.detection_limit_us > tolerated_us(outage.interval_us) for outage in outages)


def judge_repeats(drills: Sequence[tuple[str, Verdict]], asked: int) -> Repeats:
    """`asked`: how many drills there were to be."""
    verdicts = [verdict for _, verdict in drills]
    series = series_of(verdicts)
    return Repeats(drills, asked, series, status_of_repeats([verdict.status for verdict in verdicts], series, asked))


def series_of(verdicts: Sequence[Verdict]) -> Series:
    """Only of what can be believed."""
    valid = [verdict for verdict in verdicts if verdict.valid]
    fitted = [
        (v.figures.prediction, v.events.outage)
        for v in valid
        if v.figures.prediction is not None and v.events.outage is not None
    ]
    uniform = all(verdict.run.fault is not None and verdict.run.fault.uniform for verdict in valid)
    return fit_series(
        [fit for fit, _ in fitted],
        [outage for _, outage in fitted],
        uniform=uniform,
        invalid=len(verdicts) - len(valid),
    )


def status_of_repeats(statuses: Iterable[Status], series: Series, asked: int) -> Status:
    """That of the worst drill; a series with fewer drills than asked for was stopped, and one may be refuted."""
    found = list(statuses)
    if len(found) < asked or not found:
        found.append(Status.STOPPED)
    if series.refuted:
        found.append(Status.REFUTED)
    worst = max(status.exit_code for status in found)
    return loudest({status for status in found if status.exit_code == worst}, Status.MEASURED)


def report_repeats(
    parent: Path, drills: Sequence[tuple[str, Verdict]], *, asked: int, form: Form = Form.SCREEN
) -> int:
    """Write the forms of the drills whose directories are in `parent`, and print one. Returns the exit code."""
    summary = tree_of(summary_json(judge_repeats(drills, asked)))
    judged = [(name, judged_of(verdict)) for name, verdict in drills]
    title, table = parent.resolve().name, drills_table(judged)
    write_json(parent / SUMMARY_FILE, summary)
    write_whole(parent / PAGE_FILE, repeats_page(title, summary, judged, table))
    if form is Form.MARKDOWN:
        print(repeats_markdown(title, summary, table))
    elif form is Form.JSON:
        print_json(summary)
    else:
        console = Console()
        console.print(Text(summary.verdict, style="bold red" if summary.exit_code else "bold green"), Text(title))
        console.print(repeats_text(summary, table))
        console.print(f"  Report      {parent / PAGE_FILE}", soft_wrap=True, highlight=False, markup=False)
    return int(summary.exit_code)


def asked_of(parent: Path) -> int | None:
    """How many drills a folder of repeats was made for, by its summary or its name; None if it is none."""
    try:
        asked = json.loads(read_whole(parent / SUMMARY_FILE))["asked"]
    except (OSError, ValueError, TypeError, KeyError):
        asked = None
    if isinstance(asked, int):
        return asked
    match = _REPEATS.search(parent.resolve().name)
    return int(match[1]) if match else None


def repeats_text(summary: Tree, table: Table) -> Group:
    kept = [place for place, name in enumerate(table.columns) if name not in ("accounting", "run")]
    narrow = Table("", [table.columns[at] for at in kept], [[row[at] for at in kept] for row in table.rows])
    return Group(*(Text(f"  {line}") for line in series_lines(summary)), page_table(narrow))


def repeats_markdown(title: str, summary: Tree, table: Table) -> str:
    shown = Table("", table.columns, table.rows[:ROWS])
    mark = "❌" if summary.exit_code else "✅"
    more = f"\nand {len(table.rows) - ROWS} more, in summary.json\n" if len(table.rows) > ROWS else ""
    return f"### {mark} {summary.verdict}: {escaped(title)}\n\n{code_block(repeats_text(summary, shown))}\n{more}"


def series_lines(summary: Tree) -> list[str]:
    """The drills together."""
    left_out = [
        f"{number} {name}"
        for number, name in (
            (summary.not_recovered, "not recovered"),
            (summary.invalid, "invalid"),
            (summary.less_sharp, "with a coarser detection limit"),
        )
        if number
    ]
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
        lines.append(f"Uniform over the window: {fits}, Kolmogorov D = {series.ks_distance:.3f}, p = {series.p:.3g}")
    return lines


def drills_table(drills: Sequence[tuple[str, Judged]]) -> Table:
    rows = []
    for place, (folder, (verdict, _)) in enumerate(drills, start=1):
        outage, failback = verdict.outage, verdict.failback
        inside = verdict.prediction.inside if verdict.prediction else None
        unaccounted = verdict.accounting.unaccounted if verdict.accounting else None
        rows.append(
            (
                Cell(str(place), link=f"./{quote(folder)}/{PAGE_FILE}"),
                number(text.length(outage) if outage else text.UNKNOWN),
                number(text.length_bounds(outage) if outage else ""),
                number(text.length(failback) if failback else text.NOTHING),
                Cell({True: "✓", False: "✗", None: "-"}[inside], tone={True: "good", False: "bad", None: ""}[inside]),
                number(text.split_brain(verdict)[0]),
                number(text.count(unaccounted)),
                Cell(verdict.status, tone="bad" if verdict.exit_code else "good"),
                Cell(folder),
            )
        )
    return Table("Drills", COLUMNS, rows)


def repeats_page(title: str, summary: Tree, drills: Sequence[tuple[str, Judged]], table: Table) -> bytes:
    """The folder of each drill is beside this page."""
    series, lines = summary.series, series_lines(summary)
    return document(
        "repeats.html.j2",
        REPEATS,
        {
            "drills": [_drawn(place, folder, judged.verdict) for place, (folder, judged) in enumerate(drills, 1)],
            "series": {
                "outages": sorted(series.outages_ms),
                "low": series.low_ms,
                "high": series.high_ms,
                "uniform": series.p is not None,
            },
        },
        title=title,
        status=summary.verdict,
        well=not summary.exit_code,
        lines=lines,
        drills=table,
    )


def _drawn(place: int, folder: str, verdict: record.Verdict) -> dict[str, Any]:
    """An outage stands at the middle of its interval, as in the test of fit."""
    outage = verdict.outage
    known = outage if outage and verdict.valid and not outage.censored else None
    return {
        "number": place,
        "run": folder,
        "low": known.low_ms if known else None,
        "high": known.high_ms if known else None,
    }


def summary_json(repeats: Repeats) -> dict[str, Any]:
    return {
        "schema": 2,
        "verdict": repeats.status.value,
        "asked": repeats.asked,
        "done": len(repeats.drills),
        "not_recovered": repeats.series.not_recovered,
        "invalid": repeats.series.invalid,
        "less_sharp": repeats.less_sharp,
        "exit_code": repeats.status.exit_code,
        "series": _series_json(repeats.series),
        "runs": [_row(*drill) for drill in repeats.drills],
    }


def _series_json(series: Series) -> dict[str, Any]:
    return {
        "outages_ms": [round(value, 3) for value in series.outages_ms],
        "low_ms": series.low_ms,
        "high_ms": series.high_ms,
        "outside": series.outside,
        "ks_distance": series.distance,
        "p": series.p,
        "rejected_below": REJECTED_BELOW,
        "refuted": series.refuted,
        "refuted_by_window": series.is_refuted_by_window,
        "refuted_by_fit": series.is_refuted_by_fit,
    }


def _row(run: str, verdict: Verdict) -> dict[str, Any]:
    outage = verdict.record.outage
    return {
        "run": run,
        "verdict": verdict.status.value,
        "exit_code": verdict.exit_code,
        "valid": verdict.valid,
        "outage_low_ms": outage and outage.low_ms,
        "outage_high_ms": outage and outage.high_ms,
        "censored": outage and outage.censored,
        "split_brain_ms": verdict.record.split_brain_ms,
    }
