"""Several drills of one fault: each a run of its own, and together a distribution that theory can be held against."""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from switchover.analysis.prediction_fit import REJECTED_BELOW, Series, fit_series
from switchover.analysis.verdict import Verdict
from switchover.report.console import repeat_table
from switchover.report.make_report import Form
from switchover.report.markdown import repeats_to_markdown
from switchover.report.page import repeats_page
from switchover.rundir.run_directory import PAGE_FILE, write_json
from switchover.rundir.whole_file import write_whole

SUMMARY_FILE = "summary.json"
_REPEATS = re.compile(r"-x(\d{1,4})(?:-\d{1,3})?$", re.ASCII)
"""How the folder of N repeats is named: `<time>-<fault>-xN`, with a number behind it if there are several."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """One drill of several."""

    directory: Path
    verdict: Verdict
    streamed: str = ""
    """What became of its points that went to a database, in one line."""


def report_repeats(parent: Path, repeats: Sequence[Repeat], *, asked: int, form: Form = Form.SCREEN) -> int:
    """Write `summary.json` and a page, show the table; the exit code is that of the worst drill, 2 outranks 1."""
    series = _series(repeats)
    exit_code = _exit_code(repeats, series, asked)
    summary = {
        "schema": 1,
        "asked": asked,
        "done": len(repeats),
        "not_recovered": series.not_recovered,
        "not_trusted": series.not_trusted,
        "exit_code": exit_code,
        "series": _series_json(series),
        "runs": [_row(repeat) for repeat in repeats],
    }
    write_json(parent / SUMMARY_FILE, summary)
    drills = [(repeat.directory.name, repeat.verdict) for repeat in repeats]
    page = repeats_page(parent.resolve().name, drills, series, asked, exit_code, PAGE_FILE)
    write_whole(parent / PAGE_FILE, page)
    if form is Form.MARKDOWN:
        print(repeats_to_markdown(parent.resolve().name, drills, series, asked, exit_code))
    elif form is Form.JSON:
        json.dump(summary, sys.stdout, indent=2)
        print()
    else:
        console = Console()
        console.print(repeat_table(drills, series, asked))
        console.print(f"Report: {parent / PAGE_FILE}", soft_wrap=True, highlight=False, markup=False)
    return exit_code


def asked_of(parent: Path) -> int | None:
    """How many drills a folder of repeats was made for, by its summary or its name; None if it is none."""
    try:
        asked = json.loads((parent / SUMMARY_FILE).read_text(encoding="utf-8"))["asked"]
    except (OSError, ValueError, TypeError, KeyError):
        asked = None
    if isinstance(asked, int):
        return asked
    match = _REPEATS.search(parent.resolve().name)
    return int(match[1]) if match else None


def _series(repeats: Sequence[Repeat]) -> Series:
    """Only of what can be believed."""
    trusted = [repeat.verdict for repeat in repeats if repeat.verdict.trusted]
    fitted = [(v.prediction, v.outage) for v in trusted if v.prediction is not None and v.outage is not None]
    uniform = all(verdict.run.fault is not None and verdict.run.fault.uniform for verdict in trusted)
    return fit_series(
        [fit for fit, _ in fitted],
        [outage for _, outage in fitted],
        uniform=uniform,
        not_trusted=len(repeats) - len(trusted),
    )


def _exit_code(repeats: Sequence[Repeat], series: Series, asked: int) -> int:
    codes = [repeat.verdict.exit_code for repeat in repeats]
    if len(repeats) < asked:
        codes.append(2)
    if series.refuted:
        codes.append(1)
    return max(codes, default=2)


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


def _row(repeat: Repeat) -> dict[str, Any]:
    outage = repeat.verdict.outage
    return {
        "run": repeat.directory.name,
        "exit_code": repeat.verdict.exit_code,
        "trusted": repeat.verdict.trusted,
        "outage_ms": None if outage is None else outage.duration_us / 1000,
        "early_ms": None if outage is None else outage.early_us / 1000,
        "censored": None if outage is None else outage.censored,
        "split_brain_ms": repeat.verdict.split_brain.total_us / 1000 if repeat.verdict.split_brain else None,
    }
