"""What changes of one server on HAProxy's runtime socket have in common."""

from typing import ClassVar

from switchover.faults.change import ALL_KEPT, PlannedChange
from switchover.faults.fault import MASTER, VICTIM, LabCommands, LabNeed, needs_haproxy
from switchover.target.model import FaultRecipe

SERVER = f"web/{VICTIM}"
"""As the lab's HAProxy calls it."""


class ServerChange(PlannedChange):
    """A command to the runtime socket of the master, the status that proves it, and the one that takes it back."""

    kind = "backend"
    victim = VICTIM
    witnesses = ("server",)
    promises = ALL_KEPT
    command: ClassVar[str]
    column: ClassVar[str] = "status"
    status: ClassVar[str]
    """What that column of `show stat` begins with."""
    undo: ClassVar[str]
    needs: ClassVar[tuple[LabNeed, ...]] = (needs_haproxy,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.runtime(MASTER, "--send", self.command),
            heal=lab.runtime(MASTER, "--send", self.undo),
            verify_down=lab.runtime(MASTER, f"--server-{self.column}", f"{SERVER}={self.status}"),
        )
