"""What restarts of a backend's web server have in common."""

from typing import ClassVar

from switchover.faults.change import PlannedChange, needs_nginx_backends
from switchover.faults.fault import STOPPED, VICTIM, LabCommands
from switchover.target.model import FaultRecipe


class BackendRestart(PlannedChange):
    """It is ended by a verb of the lab's service, and started again."""

    kind = "backend"
    victim = VICTIM
    witnesses = ("server",)
    verb: ClassVar[str]
    needs = (needs_nginx_backends,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.service(VICTIM, "backend", self.verb),
            heal=lab.service(VICTIM, "backend", "start"),
            verify_down=lab.service_is(VICTIM, "backend", STOPPED),
        )
