"""What keeps a scheduled drill from being begun, kept for the history."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.options import DrillSettings
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.rundir.run_facts import target_facts
from switchover.rundir.run_records import TargetFacts
from switchover.rundir.skipped_drill import keep_skipped_drill
from switchover.target.model import Target


@contextmanager
def kept_if_skipped(settings: DrillSettings, target: Target | None = None) -> Iterator[None]:
    """Keep a scheduled drill as skipped where this block, which ends before there is a run directory, refuses it.

    `target`: None before its file is read. The refusal goes on to the caller, also where it cannot be kept.
    """
    try:
        yield
    except SwitchoverError as error:
        if settings.scheduled:
            keep_skipped(settings, str(error), target)
        raise


def keep_skipped(settings: DrillSettings, reason: str, target: Target | None = None) -> None:
    """Write the skipped drill where its run would have been; nothing is said where that cannot be done."""
    name, is_change = settings.what or NO_FAULT, settings.change is not None
    facts = _facts(settings.target, target)
    with suppress(RunDirectoryError):
        keep_skipped_drill(settings.out, name, facts.written, reason, settings.command, is_change=is_change)


def _facts(file: Path | None, target: Target | None) -> TargetFacts:
    if target is None:
        facts = TargetFacts.of({"lab": file is None})
    else:
        facts = target_facts(target)
        file = target.source or file
    return facts if file is None else facts | {"file": str(file.absolute())}
