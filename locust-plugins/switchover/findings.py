"""What the analysis found, as events in the journal, for those who follow that: a database, a dashboard."""

from pathlib import Path

from switchover.analysis.outage import Outage
from switchover.analysis.verdict import Verdict
from switchover.errors import RunDirectoryError
from switchover.journal import Journal


def write_findings(directory: Path, verdict: Verdict) -> None:
    """The first failure and the first lasting success of the switchover, and of the failback.

    No run is given up for them: the verdict says the same.
    """
    try:
        journal = Journal(directory / "journal.lp", {"run": verdict.run.id})
    except RunDirectoryError:
        return
    try:
        if verdict.outage is not None:
            _write(journal, verdict.outage, "first_success")
        if verdict.failback is not None:
            _write(journal, verdict.failback, "failback")
    finally:
        journal.close()


def _write(journal: Journal, outage: Outage, over: str) -> None:
    if outage.first_impaired_us is None:
        return
    text = f"{outage.duration_us / 1000:.3f} ms without a lasting answer"
    journal.event("first_failure", text, time_ns=outage.first_impaired_us * 1000)
    if outage.to_us is not None and not outage.censored:
        journal.event(over, text, time_ns=outage.to_us * 1000)
