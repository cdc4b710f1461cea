"""A backend is restarted the hard way: its web server is stopped under its connections, and started again."""

from switchover.faults.backend_restart import BackendRestart
from switchover.faults.change import MAY_CROSS
from switchover.faults.fault import VICTIM
from switchover.model.patient_kind import PatientKind

CUT = "cut where it is on that backend"


PROMISES = {
    **dict.fromkeys(PatientKind, CUT),
    PatientKind.TCP: "kept: plain TCP is served beside it",
    PatientKind.POOLED: MAY_CROSS,
    PatientKind.IDLE: MAY_CROSS,
}


class BackendRestartHard(BackendRestart):
    name = "backend-restart-hard"
    summary = "a backend is stopped under its connections, and started again"
    mechanism = f"SIGTERM to the Nginx of {VICTIM}, which closes all its connections at once"
    proof = "no process of it is left, seen twice"
    heals = "it is started again"
    expectation = "what is under way on it is lost: a third of all with three backends"
    promises = PROMISES
    verb = "stop"
