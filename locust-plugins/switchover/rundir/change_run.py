"""One of the changes of a run, as run.json's plan lists it. Times in microseconds of the run's clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.rundir.run_records import made_of


@dataclass(slots=True, kw_only=True)
class ChangeRun:
    number: int
    """From 1 on."""
    from_us: int | None = None
    """The command was started,"""
    to_us: int | None = None
    """and had returned."""
    confirmed_us: int | None = None
    """Its proof succeeded."""
    settled_us: int | None = None
    """Nothing of what was before it is left; None with `lingering`: it was not waited for any longer."""
    lingering: list[str] = field(default_factory=list)
    """Old processes that still had connections of ours when the next change was due."""
    exposed: dict[str, int] = field(default_factory=dict)
    """Connections that were open right before it, by kind."""
    undo_from_us: int | None = None
    undo_to_us: int | None = None
    undone_us: int | None = None
    """The change was taken back, where it can be."""
    error: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "ChangeRun":
        return made_of(cls, values)
