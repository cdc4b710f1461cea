"""Why the samples of a load must not be believed."""

from collections.abc import Iterator

from switchover.analysis.run_data import RunData
from switchover.load_facts import LOST, RUNNING
from switchover.rundir import Run


def load_reasons(data: RunData) -> Iterator[str]:
    """Everybody who made it was there until its end, and what they recorded is here."""
    load = data.run.settings.get("load")
    if not isinstance(load, dict):
        return
    if load.get("state") == RUNNING:
        yield "the load did not end in order: what it had not written down is missing"
    for worker in data.run.workers:
        name = f"{worker.get('worker') or 'the load'} on {worker.get('host') or 'an unknown host'}"
        if worker.get("ended") == LOST:
            yield f"{name} was lost: nobody knows what else it had sent"
        lost = worker.get("lost")
        if isinstance(lost, int) and lost > 0:
            yield f"{lost:,} samples of {name} could not be written down: is the disk full?"
    if not data.samples:
        yield "the load left no sample"
        return
    written = recorded(data.run)
    if written is not None and written != len(data.samples):
        yield f"the load recorded {written:,} samples, and {len(data.samples):,} are here"


def recorded(run: Run) -> int | None:
    """What the processes of a load say they wrote, in lines of the sample log; None where not all of them said it."""
    told = [(worker.get("samples"), worker.get("lost") or 0) for worker in run.workers]
    numbers = [samples - lost for samples, lost in told if isinstance(samples, int) and isinstance(lost, int)]
    return sum(numbers) if numbers and len(numbers) == len(told) else None
