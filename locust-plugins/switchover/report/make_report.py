"""Write the report of a run directory (verdict.json, series.json, junit.xml and report.html), and print it."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from msgspec import to_builtins

from switchover.evidence.log_run import load_logs
from switchover.evidence.requests.files import FORMS, text_bytes
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.requests.table import COUNTED
from switchover.evidence.run_data import RunData, load
from switchover.faults.recorded_prediction import add_prediction
from switchover.model.errors import RunDirectoryError
from switchover.model.redaction import escape_controls
from switchover.report.console import details, summary
from switchover.report.documents import judged_of, tree_of
from switchover.report.history.usual import with_usual_limits
from switchover.report.junit import to_junit
from switchover.report.markdown import to_markdown
from switchover.report.page.report import report_page
from switchover.report.screen import print_json, screen_text
from switchover.report.verdict_points import write_verdict_points
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import JUNIT_FILE, PAGE_FILE, VERDICT_FILE, Run, write_json
from switchover.verdict.judge import Verdict as Verdict
from switchover.verdict.judge import judge
from switchover.verdict.limit import Limit, limits_of
from switchover.verdict.reasons import make_reason
from switchover.verdict.series.series_json import series_json, write_series

LARGE_BYTES = 64 << 20
"""If the logs have at least this size in bytes, a note about their size is printed."""


def _report_large_logs(logs: Iterable[Path]) -> None:
    nbytes = text_bytes(log for log in logs if log.is_file())
    if nbytes >= LARGE_BYTES:
        print(f"reading {nbytes / 1e9:,.1f} GB of sample logs", file=sys.stderr, flush=True)


def make_report(
    directory: Path,
    *parts: Path,
    limits: Sequence[Limit] | None = None,
    run: Run | None = None,
    out: Path | None = None,
) -> Verdict:
    """Judge a run directory and the parts of the run from other hosts, and write the report to `out` or to the
    directory. `run` replaces a run.json that could not be written. If a file cannot be written, the verdict has a
    reason that names the file."""
    _report_large_logs(log for path in (directory, *parts) for form in FORMS for log in path.glob(f"*{form}"))
    data = load(directory, *parts, columns=COUNTED)
    judged = replace(data, run=add_prediction(run or data.run, directory))
    chosen = limits_of(judged.run) if limits is None else limits
    verdict = judge(judged, with_usual_limits(chosen, judged.run, directory))
    if run is not None:
        verdict = _unwritten(verdict, "run.json could not be written at the end: the verdict uses data in memory")
    return _write(directory if out is None else _created(out), judged, verdict)


def make_log_report(logs: Sequence[Path], directory: Path, how: HowToRead, limits: Sequence[Limit] = ()) -> Verdict:
    """Judge sample logs as one load, and write the report into a directory."""
    _report_large_logs(logs)
    data = load_logs(logs, how, COUNTED)
    return _write(_created(directory), data, judge(data, limits))


def _created(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunDirectoryError(
            f"cannot create {directory}: {error.strerror}; set another directory with --out"
        ) from error
    return directory


def _write(directory: Path, data: RunData, verdict: Verdict) -> Verdict:
    try:
        judged, series = judged_of(verdict), tree_of(series_json(verdict, data))
        values = to_builtins(judged.verdict)
        write_json(directory / VERDICT_FILE, values)
        write_series(directory, series)
        write_verdict_points(directory, verdict.events.run, values)
        write_whole(directory / JUNIT_FILE, to_junit(judged))
        write_whole(directory / PAGE_FILE, report_page(judged.verdict, series))
    except RunDirectoryError as error:
        return _unwritten(verdict, f"{error} (write the report to another directory with --out)")
    return verdict


def _unwritten(verdict: Verdict, why: str) -> Verdict:
    return verdict.with_reason(make_reason("not_written", why=why))


class Form(StrEnum):
    SCREEN = "screen"
    DETAILS = "details"
    JSON = "json"
    MARKDOWN = "markdown"


def show(directory: Path, verdict: Verdict, form: Form = Form.SCREEN, *, streamed: str = "") -> int:
    """Print the verdict and the path of the report, and return the exit code. `streamed`: the result of the
    streaming."""
    judged = judged_of(verdict)
    if form is Form.MARKDOWN:
        print(to_markdown(judged))
    elif form is Form.JSON:
        print_json(to_builtins(judged.verdict))
    else:
        sys.stdout.write(screen_text(details(judged) if form is Form.DETAILS else summary(judged, "--details")))
        page = directory / PAGE_FILE
        place = str(page) if page.exists() else f"none: {page} could not be written"
        print("\n".join(filter(None, (streamed, escape_controls(f"  Report      {place}")))))
    return verdict.record.exit_code
