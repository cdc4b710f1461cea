"""Reports of a run directory: `verdict.json`, `junit.xml`, `report.html` and the summary."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from msgspec import to_builtins
from rich.console import Console

from switchover.evidence.log_run import load_logs
from switchover.evidence.requests.files import FORMS, text_bytes
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.requests.table import COUNTED, OF_A_LOG
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
"""The size of logs in bytes from which progress is shown. Smaller logs are read quickly."""


class ReadingProgress:
    """The progress of a report with large logs, on stderr: a live line on a terminal, otherwise a line per step."""

    def __init__(self, paths: Iterable[Path], console: Console | None = None) -> None:
        self._bytes = text_bytes(log for path in paths for log in _logs(path))
        self._console = console or Console(stderr=True)

    def reading(self) -> AbstractContextManager[None]:
        return self._showing(f"reading {self._bytes / 1e9:,.1f} GB of sample logs")

    def judging(self, requests: int) -> AbstractContextManager[None]:
        return self._showing(f"judging {requests:,} requests")

    @contextmanager
    def _showing(self, what: str) -> Iterator[None]:
        if self._bytes < LARGE_BYTES:
            yield
        elif self._console.is_terminal:
            with self._console.status(what):
                yield
        else:
            self._console.print(what, soft_wrap=True, highlight=False)
            yield


def _logs(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.is_file() else []
    return [log for form in FORMS for log in path.glob(f"*{form}") if log.is_file()]


def make_report(
    directory: Path,
    *parts: Path,
    limits: Sequence[Limit] | None = None,
    run: Run | None = None,
    out: Path | None = None,
) -> Verdict:
    """Judge a run directory with the other parts of its run, and write the report.

    The report goes into the directory, or to `out` if the directory is not writable. `run` replaces a run.json that
    could not be written. A file that cannot be written becomes a reason of the returned verdict.
    """
    busy = ReadingProgress([directory, *parts])
    with busy.reading():
        data = load(directory, *parts, columns=COUNTED)
    judged = replace(data, run=add_prediction(run or data.run, directory))
    unwritten = "" if run is None else "run.json could not be written at the end: this is judged from memory"
    with busy.judging(len(data.samples) + len(data.probes)):
        asked = limits_of(judged.run) if limits is None else limits
        asked = with_usual_limits(asked, judged.run, directory)
        return _make(directory if out is None else _created(out), judged, asked, unwritten, source=directory)


def make_log_report(logs: Sequence[Path], directory: Path, how: HowToRead, limits: Sequence[Limit] = ()) -> Verdict:
    """Judge sample logs as one load, and write the report into a directory."""
    busy = ReadingProgress(logs)
    with busy.reading():
        data = load_logs(logs, how, OF_A_LOG)
    with busy.judging(len(data.samples)):
        return _make(_created(directory), data, limits)


def _created(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunDirectoryError(f"cannot create {directory}: {error.strerror}; --out names another place") from error
    return directory


def _make(
    directory: Path,
    data: RunData,
    limits: Sequence[Limit],
    unwritten: str = "",
    source: Path | None = None,
) -> Verdict:
    verdict = judge(data, limits)
    if unwritten:
        verdict = _unwritten(verdict, unwritten)
    try:
        judged, series = judged_of(verdict), tree_of(series_json(verdict, data, source or directory))
        values = to_builtins(judged.verdict)
        write_json(directory / VERDICT_FILE, values)
        write_series(directory, series)
        write_verdict_points(directory, verdict.run, values)
        write_whole(directory / JUNIT_FILE, to_junit(judged))
        write_whole(directory / PAGE_FILE, report_page(judged.verdict, series))
    except RunDirectoryError as error:
        return _unwritten(verdict, f"{error} (--out puts the report elsewhere)")
    return verdict


def _unwritten(verdict: Verdict, why: str) -> Verdict:
    return verdict.with_reason(make_reason("not_written", why=why))


class Form(StrEnum):
    """Form in which a verdict is printed."""

    SCREEN = "screen"
    DETAILS = "details"
    JSON = "json"
    MARKDOWN = "markdown"


def show(directory: Path, verdict: Verdict, form: Form = Form.SCREEN, *, streamed: str = "") -> int:
    """Print the verdict to standard output. The last line has the path of the report. Returns the exit code.

    `streamed`: one line with the result of the streaming to a database.
    """
    judged = judged_of(verdict)
    if form is Form.MARKDOWN:
        print(to_markdown(judged))
        return verdict.exit_code
    if form is Form.JSON:
        print_json(to_builtins(judged.verdict))
        return verdict.exit_code
    console = Console()
    shown = details(judged) if form is Form.DETAILS else summary(judged, "--details")
    sys.stdout.write(screen_text(shown, console))
    if streamed:
        console.print(streamed, soft_wrap=True, highlight=False, markup=False)
    page = directory / PAGE_FILE
    place = str(page) if page.exists() else f"none: {page} could not be written"
    console.print(escape_controls(f"  Report      {place}"), soft_wrap=True, highlight=False, markup=False)
    return verdict.exit_code
