"""A backend is restarted the hard way: its web server is stopped under its connections, and started again."""

from switchover.faults.change import MAY_CROSS, PlannedChange, needs_nginx_backends
from switchover.faults.fault import STAND_IN, STOPPED, VICTIM, LabCommands
from switchover.model.patient_kind import PatientKind
from switchover.target.model import FaultRecipe

CUT = "cut where it is on that backend"


PROMISES = {
    **dict.fromkeys(PatientKind, CUT),
    PatientKind.TCP: "kept: plain TCP is served beside it",
    PatientKind.POOLED: MAY_CROSS,
    PatientKind.IDLE: MAY_CROSS,
}


class BackendRestartHard(PlannedChange):
    name = "backend-restart-hard"
    kind = "backend"
    victim = VICTIM
    summary = "a backend is stopped under its connections, and started again"
    mechanism = f"SIGTERM to the Nginx of {VICTIM}, which closes all its connections at once"
    proof = "no process of it is left, seen twice"
    heals = "it is started again"
    witnesses = ("server",)
    expectation = "what is under way on it is lost: a third of all with three backends"
    promises = PROMISES

    def applies(self, lab: LabCommands) -> str | None:
        return needs_nginx_backends(lab)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return FaultRecipe(
            name=self.name,
            ready=lab.service(*STAND_IN, "status"),
            kill=lab.service(VICTIM, "backend", "stop"),
            heal=lab.service(VICTIM, "backend", "start"),
            verify_down=lab.service_is(VICTIM, "backend", STOPPED),
        )
