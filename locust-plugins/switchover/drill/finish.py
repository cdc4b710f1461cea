"""What follows every drill: the verdict, the files that say it, and the lab's configuration beside it."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from switchover.analysis.outage import Outage
from switchover.analysis.verdict import Verdict
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.report.make_report import make_report
from switchover.rundir.current_run import CurrentRun
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import JOURNAL_FILE
from switchover.rundir.seal import Seals
from switchover.streaming.influx.parent import Streaming
from switchover.target.lab_directory import LabDirectory


def write_findings(directory: Path, verdict: Verdict) -> Seals:
    """Add the first failure and the first lasting success of switchover and failback to the journal; returns its
    seal.

    Where that is not possible they are left out: the verdict says the same.
    """
    try:
        journal = Journal(directory / JOURNAL_FILE, {"run": verdict.run.id})
    except RunDirectoryError:
        return {}
    try:
        if verdict.events.outage is not None:
            _write(journal, verdict.events.outage, "first_success")
        if verdict.events.failback is not None:
            _write(journal, verdict.events.failback, "failback")
    finally:
        journal.close()
    return journal.seals


def _write(journal: Journal, outage: Outage, over: str) -> None:
    if outage.first_impaired_us is None:
        return
    text = f"{outage.duration_us / 1000:.3f} ms without a lasting answer"
    journal.event("first_failure", text, time_ns=outage.first_impaired_us * 1000)
    if outage.to_us is not None and not outage.censored:
        journal.event(over, text, time_ns=outage.to_us * 1000)


def conclude(current: CurrentRun, streaming: Streaming | None = None) -> Verdict:
    """Judge the run and write its report; run.json then says what became of the points that went to a database."""
    directory, run = current.directory, current.run
    verdict = make_report(directory, run=run if current.unsaved else None)
    asked = [result.budget for result in verdict.budgets if not result.budget.default]
    if any(budget.note for budget in asked):
        # What was usual at the time, so that each later report has the same limit.
        run.settings |= {"budgets": [budget.written for budget in asked]}
    run.add_seals(write_findings(directory, verdict))
    if streaming is not None:
        run.streaming = asdict(streaming.finish())
    current.save()
    return verdict


def keep_config(lab: Path, directory: Path, note: Callable[[str], None]) -> None:
    """Copy the lab's configuration into the run directory, before the report, which shows it. That it cannot be
    copied is only noted."""
    try:
        LabDirectory(lab).copy_config(directory / "config")
    except (OSError, SwitchoverError) as error:
        note(f"the lab's configuration is not kept in {directory / 'config'}: {error}")
