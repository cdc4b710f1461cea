"""A run that was fetched from a database, as it is shown and verified: its verdict as the run was given it."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from switchover.analysis.history.entry import entry_of
from switchover.analysis.history.history import time_text
from switchover.analysis.invariants import Violation
from switchover.analysis.run_files import seals_of
from switchover.analysis.word import Word
from switchover.model.errors import RunDirectoryError
from switchover.model.redaction import escape_controls
from switchover.report.history.text import NOTHING, run_texts
from switchover.report.markdown import figures_to_markdown
from switchover.report.page.fetched import fetched_page
from switchover.report.screen import print_json, screen_text
from switchover.report.stored_verdict import NOT_HERE, StoredRun
from switchover.report.tables import figures_table
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.journal import read_journal, read_record
from switchover.rundir.run_directory import (
    JOURNAL_FILE,
    PAGE_FILE,
    VERDICT_FILE,
    VERDICT_JOURNAL,
    Run,
    read_run,
    read_verdict,
    run_json,
)

FIGURES = ("target", "outage", "predicted", "failback", "failed", "split brain", "versions")
_UNITS = {"ms": (1.0, " ms"), "share": (100.0, " %"), "requests": (1.0, "")}


def read_fetched(directory: Path) -> tuple[Run, dict[str, Any]]:
    """The run and its verdict. RunDirectoryError where the run was not judged before it was fetched."""
    run, verdict = read_run(directory), read_verdict(directory)
    if verdict is None:
        raise RunDirectoryError(
            f"{directory} has no verdict: the database had none of {run.id}, and what it has is too little to judge"
        )
    if verdict.get("word") not in tuple(Word):
        raise RunDirectoryError(f"{directory / VERDICT_FILE} is no verdict")
    return run, verdict


def write_fetched_page(directory: Path) -> Path:
    """The page, in its directory. RunDirectoryError where it cannot be written."""
    run, verdict = read_fetched(directory)
    points = list(read_journal([directory / JOURNAL_FILE]))
    page = directory / PAGE_FILE
    write_whole(page, fetched_page(run, verdict, points, _rows(run, verdict), [_from(run), NOT_HERE]))
    return page


def show_fetched(directory: Path, *, as_json: bool = False, as_markdown: bool = False) -> int:
    """Prints it to standard output. Returns the exit code of the word that the run was given."""
    run, verdict = read_fetched(directory)
    word, rows = Word(verdict["word"]), _rows(run, verdict)
    if as_json:
        print_json(verdict)
    elif as_markdown:
        print(figures_to_markdown(word, run.id, rows, [_from(run), NOT_HERE]))
    else:
        console = Console()
        sys.stdout.write(screen_text(_screen(word, run, rows), console))
        place = escape_controls(f"Report: {write_fetched_page(directory)}")
        console.print(place, soft_wrap=True, highlight=False, markup=False)
    return word.exit_code


def fetched_violations(directory: Path, run: Run, kept: Mapping[str, Any] | None) -> Iterator[Violation]:
    """What must be true of it: its files are as they were fetched, and its verdict says what their points say."""
    stored = StoredRun(run.id)
    for name, seals in seals_of(run).items():
        record = read_record(directory / name, seals, Ignored())
        if record.damage is not None:
            yield Violation("files are as they were fetched", record.damage.text)
        for point in record.points:
            stored.take(point)
    try:
        judged = stored.judged()
    except ValueError as error:
        yield Violation("verdict.json says what the points say", str(error))
        return
    if judged != kept:
        yield Violation("verdict.json says what the points say", f"{VERDICT_FILE} differs from {VERDICT_JOURNAL}")


def _screen(word: Word, run: Run, rows: Sequence[tuple[str, str]]) -> RenderableType:
    heading = Text.assemble((word.value, "bold green" if word.exit_code == 0 else "bold red"), f"  {run.id}")
    return Group(heading, figures_table(rows), Text(_from(run), style="dim"), Text(NOT_HERE, style="dim"))


def _from(run: Run) -> str:
    assert run.fetched is not None
    return f"fetched from {run.fetched.database} on {time_text(run.fetched.at_us)} UTC, as the run was judged then"


def _rows(run: Run, verdict: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is known of it."""
    entry = entry_of(run.id, run_json(run), verdict)
    known = {
        "fault": entry.what or "none",
        **{name: text for name, text in run_texts(entry).items() if name in FIGURES},
    }
    share = verdict.get("failed_percent")
    if share is not None:
        known["failed"] = f"{share:,.4g} % in the switchover; {known['failed']} in the whole run"
    rows = [(name, text) for name, text in known.items() if text != NOTHING]
    unexplained = (verdict.get("reconciliation") or {}).get("unexplained")
    if unexplained is not None:
        rows.append(("unexplained", f"{unexplained:,} requests"))
    rows += [("budget", _budget(one)) for one in verdict.get("budgets") or ()]
    return rows


def _budget(budget: Mapping[str, Any]) -> str:
    """`outage 5,000 ms kept (3,411 to 3,412 ms)`."""
    scale, unit = _UNITS[budget["unit"]]
    limit, low, high = (
        None if budget.get(end) is None else f"{budget[end] * scale:,.10g}" for end in ("limit", "low", "high")
    )
    figure = "" if low is None else f" ({low} to {high}{unit})" if high is not None else f" (at least {low}{unit})"
    figure = f" ({low}{unit})" if low is not None and low == high else figure
    return f"{budget['name']} {'unknown' if limit is None else limit + unit} {budget['state']}{figure}"
