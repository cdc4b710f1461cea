"""A backend is restarted the graceful way: its web server listens no more, finishes what it has, and starts again."""

from switchover.faults.change import ALL_KEPT, PlannedChange, needs_nginx_backends
from switchover.faults.fault import STAND_IN, STOPPED, VICTIM, LabCommands
from switchover.target.model import FaultRecipe


class BackendRestartGraceful(PlannedChange):
    name = "backend-restart-graceful"
    kind = "backend"
    victim = VICTIM
    summary = "a backend finishes what it has, and is started again"
    mechanism = (
        f"SIGQUIT to the Nginx of {VICTIM}: it listens no more, and its workers stay until their connections end"
    )
    proof = "nothing of it serves any more, seen twice"
    heals = "it is started again, beside what is left of the old one"
    witnesses = ("server",)
    expectation = "nothing is lost: what is under way ends, and requests that are refused go to another backend"
    promises = ALL_KEPT

    def applies(self, lab: LabCommands) -> str | None:
        return needs_nginx_backends(lab)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return FaultRecipe(
            name=self.name,
            ready=lab.service(*STAND_IN, "status"),
            kill=lab.service(VICTIM, "backend", "quit"),
            heal=lab.service(VICTIM, "backend", "start"),
            verify_down=lab.service_is(VICTIM, "backend", STOPPED),
        )
