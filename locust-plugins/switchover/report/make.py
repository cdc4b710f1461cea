"""What a run directory is turned into: `verdict.json`, `junit.xml`, `report.html` and the summary."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from switchover.analysis import Verdict, judge, load
from switchover.analysis.budget import Budget
from switchover.analysis.verdict_json import to_json
from switchover.errors import RunDirectoryError
from switchover.foretold import foretell
from switchover.report.console import summary
from switchover.report.junit import to_junit
from switchover.report.page import report_page
from switchover.rundir import VERDICT_FILE, Run, write_json
from switchover.verdict_points import write_verdict_points

JUNIT_FILE = "junit.xml"
PAGE_FILE = "report.html"


def make_report(
    directory: Path, *parts: Path, budgets: Sequence[Budget] | None = None, run: Run | None = None
) -> Verdict:
    """Judge a run directory, with the other parts of its run, and write what comes of it into the directory.

    `run` is what run.json would say if it could have been written. What cannot be written is a reason of the verdict
    that is returned: it can be shown, but nobody will find it later.
    """
    data = load(directory, *parts)
    verdict = judge(replace(data, run=foretell(run or data.run, directory)), budgets)
    if run is not None:
        verdict = _unwritten(verdict, "run.json could not be written at the end: this is judged from memory")
    try:
        write_json(directory / VERDICT_FILE, to_json(verdict))
        write_verdict_points(directory, verdict.run, to_json(verdict))
        write_whole(directory / JUNIT_FILE, to_junit(verdict))
        write_whole(directory / PAGE_FILE, report_page(verdict, data, directory))
    except RunDirectoryError as error:
        return _unwritten(verdict, str(error))
    return verdict


def _unwritten(verdict: Verdict, why: str) -> Verdict:
    return replace(verdict, reasons=(*verdict.reasons, why))


def show(directory: Path, verdict: Verdict, *, as_json: bool = False, streamed: str = "") -> int:
    """Print the verdict to standard output; the last line says where the report is. Returns the exit code.

    `streamed`: what became of the points that went to a database, in one line.
    """
    if as_json:
        json.dump(to_json(verdict), sys.stdout, indent=2)
        print()
        return verdict.exit_code
    console = Console()
    console.print(summary(verdict))
    if streamed:
        console.print(streamed, soft_wrap=True, highlight=False, markup=False)
    page = directory / PAGE_FILE
    said = f"Report: {page}" if page.exists() else f"Report: none, {page} could not be written"
    console.print(said, soft_wrap=True, highlight=False, markup=False)
    return verdict.exit_code


def write_whole(path: Path, data: bytes) -> None:
    """Whole or not at all."""
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error
