"""Several drills of one fault: each a run of its own, and together a distribution that theory can be held against."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from switchover.analysis.prediction_fit import REJECTED_BELOW, Series, fit_series
from switchover.analysis.verdict import Verdict
from switchover.analysis.word import Word, loudest
from switchover.report.console import repeat_table
from switchover.report.make_report import Form
from switchover.report.markdown import repeats_to_markdown
from switchover.report.page import repeats_page
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import PAGE_FILE, write_json

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
    """Write `summary.json` and a page, show the table; the exit code is that of the worst drill."""
    series = _series(repeats)
    word = word_of_repeats([repeat.verdict.word for repeat in repeats], series, asked)
    exit_code = word.exit_code
    summary = {
        "schema": 2,
        "word": word.value,
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
    page = repeats_page(parent.resolve().name, drills, series, asked, word, PAGE_FILE)
    write_whole(parent / PAGE_FILE, page)
    if form is Form.MARKDOWN:
        print(repeats_to_markdown(parent.resolve().name, drills, series, asked, word))
    elif form is Form.JSON:
        json.dump(summary, sys.stdout, indent=2)
        print()
    else:
        console = Console()
        console.print(Text(word.value, style="bold green" if exit_code == 0 else "bold red"))
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
    fitted = [
        (v.figures.prediction, v.course.outage)
        for v in trusted
        if v.figures.prediction is not None and v.course.outage is not None
    ]
    uniform = all(verdict.run.fault is not None and verdict.run.fault.uniform for verdict in trusted)
    return fit_series(
        [fit for fit, _ in fitted],
        [outage for _, outage in fitted],
        uniform=uniform,
        not_trusted=len(repeats) - len(trusted),
    )


def word_of_repeats(words: Iterable[Word], series: Series, asked: int) -> Word:
    """That of the worst drill; a series with fewer drills than asked for was stopped, and one may be refuted."""
    found = list(words)
    if len(found) < asked or not found:
        found.append(Word.STOPPED)
    if series.refuted:
        found.append(Word.REFUTED)
    worst = max(word.exit_code for word in found)
    return loudest({word for word in found if word.exit_code == worst}, Word.MEASURED)


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
    outage = repeat.verdict.course.outage
    return {
        "run": repeat.directory.name,
        "word": repeat.verdict.word.value,
        "exit_code": repeat.verdict.exit_code,
        "trusted": repeat.verdict.trusted,
        "outage_low_ms": None if outage is None else outage.length.low / 1000,
        "outage_high_ms": None if outage is None or outage.length.high is None else outage.length.high / 1000,
        "censored": None if outage is None else outage.censored,
        "split_brain_ms": repeat.verdict.figures.split_brain.total_us / 1000
        if repeat.verdict.figures.split_brain
        else None,
    }
