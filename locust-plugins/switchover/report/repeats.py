"""The report of several drills of one fault: `summary.json`, a page, and the table."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from switchover.analysis.prediction_fit import REJECTED_BELOW, Series
from switchover.analysis.repeats import Repeats, judge_repeats
from switchover.analysis.verdict import Verdict
from switchover.report.console import repeat_table
from switchover.report.make_report import Form
from switchover.report.markdown import repeats_to_markdown
from switchover.report.page.repeats import repeats_page
from switchover.report.screen import print_json
from switchover.rundir.atomic_file import read_whole, write_whole
from switchover.rundir.run_directory import PAGE_FILE, write_json

SUMMARY_FILE = "summary.json"
_REPEATS = re.compile(r"-x(\d{1,4})(?:-\d{1,3})?$", re.ASCII)
"""How the folder of N repeats is named: `<time>-<fault>-xN`, with a number behind it if there are several."""


def report_repeats(
    parent: Path, drills: Sequence[tuple[str, Verdict]], *, asked: int, form: Form = Form.SCREEN
) -> int:
    """Write what there is to say of the drills whose directories are in `parent`, and show it. The exit code is that
    of the worst drill."""
    repeats = judge_repeats(drills, asked)
    title, summary, exit_code = parent.resolve().name, _summary(repeats), repeats.status.exit_code
    write_json(parent / SUMMARY_FILE, summary)
    write_whole(parent / PAGE_FILE, repeats_page(title, repeats, PAGE_FILE))
    if form is Form.MARKDOWN:
        print(repeats_to_markdown(title, repeats))
    elif form is Form.JSON:
        print_json(summary)
    else:
        console = Console()
        console.print(Text(repeats.status.value, style="bold green" if exit_code == 0 else "bold red"))
        console.print(repeat_table(repeats))
        console.print(f"Report: {parent / PAGE_FILE}", soft_wrap=True, highlight=False, markup=False)
    return exit_code


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


def _summary(repeats: Repeats) -> dict[str, Any]:
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
    }


def _row(run: str, verdict: Verdict) -> dict[str, Any]:
    outage, split_brain = verdict.events.outage, verdict.figures.split_brain
    return {
        "run": run,
        "verdict": verdict.status.value,
        "exit_code": verdict.exit_code,
        "valid": verdict.valid,
        "outage_low_ms": None if outage is None else outage.length.low / 1000,
        "outage_high_ms": None if outage is None or outage.length.high is None else outage.length.high / 1000,
        "censored": None if outage is None else outage.censored,
        "split_brain_ms": split_brain.total_us / 1000 if split_brain else None,
    }
