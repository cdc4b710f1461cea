"""The end of every drill: the verdict, its files, and the lab's configuration."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from switchover.model.errors import SwitchoverError
from switchover.report.history.usual import with_usual_limits
from switchover.report.make_report import Verdict, make_report
from switchover.rundir.current_run import CurrentRun
from switchover.streaming.parent import Streaming
from switchover.target.lab_directory import LabDirectory
from switchover.verdict.limit import limits_of


def conclude(current: CurrentRun, streaming: Streaming | None = None) -> Verdict:
    """Judge the run and write its report; run.json then says what became of the points that went to a database."""
    directory, run = current.directory, current.run
    asked = with_usual_limits(limits_of(run), run, directory)
    verdict = make_report(directory, run=run if current.unsaved else None, limits=asked)
    if any(limit.note for limit in asked):
        # What was usual at the time, so that each later report has the same limit.
        run.settings |= {"limits": [limit.written for limit in asked]}
    account = streaming.finish() if streaming is not None else None
    if account is not None:
        run.streaming = asdict(account)
    current.save()
    return verdict


def keep_config(lab: Path, directory: Path, note: Callable[[str], None]) -> None:
    """Copy the lab's configuration into the run directory, before the report, which shows it. That it cannot be
    copied is only noted."""
    try:
        LabDirectory(lab).copy_config(directory / "config")
    except (OSError, SwitchoverError) as error:
        note(f"the lab's configuration is not kept in {directory / 'config'}: {error}")
