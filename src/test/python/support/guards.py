"""Guards of faults that a test makes of files and of commands of its own."""

from pathlib import Path
from typing import Any

from switchover.faults.guard import Guard
from switchover.model.clock import Clock
from switchover.target.model import FaultRecipe


def guard_of(what: FaultRecipe, place: Path, **options: Any) -> Guard:
    """Armed, of a master lb1 and its backup lb2, and what it keeps is in `place`; `options` say otherwise."""
    names = {"master": "lb1", "backup": "lb2"}
    usual: dict[str, Any] = {"clock": Clock.of_process(), "armed": True, "names": names, "directory": place}
    return Guard(what, **(usual | options))
