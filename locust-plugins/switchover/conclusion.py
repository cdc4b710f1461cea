"""What follows a drill, whoever ran it: the verdict, the files that say it, and the lab's configuration beside it."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from switchover.analysis import Verdict
from switchover.drill import Drill
from switchover.errors import SwitchoverError
from switchover.findings import write_findings
from switchover.influx.parent import Streaming
from switchover.lab.directory import LabDirectory
from switchover.report.make import make_report
from switchover.rundir import Run, write_run
from switchover.target import Target


def conclude(
    drill: Drill,
    directory: Path,
    run: Run,
    target: Target,
    note: Callable[[str], None],
    streaming: Streaming | None = None,
) -> Verdict:
    """`run.streaming` says afterwards what became of the points that went to a database."""
    verdict = make_report(directory, run=run if drill.unsaved else None)
    write_findings(directory, verdict)
    if target.lab is not None:
        keep_config(LabDirectory(target.lab), directory / "config", note)
    if streaming is not None:
        run.streaming = asdict(streaming.finish())
        try:
            write_run(directory, run)
        except SwitchoverError as error:
            note(str(error))
    return verdict


def keep_config(lab: LabDirectory, destination: Path, note: Callable[[str], None]) -> None:
    """A convenience for the reader, for which no run is given up."""
    try:
        lab.copy_config(destination)
    except (OSError, SwitchoverError) as error:
        note(f"the lab's configuration is not kept in {destination}: {error}")
