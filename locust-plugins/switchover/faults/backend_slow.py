"""One backend answers, but late: what a failure count does not show and a percentile does."""

from switchover.faults.fault import VICTIM, Fault, LabCommands
from switchover.faults.prediction import Prediction
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import FaultRecipe

LATER_S = 0.3
"""How long the lab's `slow` stops a service at a time: less than a health check's time-out of 1 s."""


class BackendSlow(Fault):
    name = "backend-slow"
    kind = "backend"
    summary = f"one backend ({VICTIM}) answers late"
    mechanism = f"every process of the web server on {VICTIM} is stopped and continued in turns (SIGSTOP, SIGCONT)"
    proof = "the web server's state is `slowed`, seen twice"
    heals = "the turns end, with SIGCONT"
    witnesses = ("server",)
    expectation = (
        f"no failure: most of the victim's answers come up to {LATER_S:g} s later, health checks pass, and round "
        "robin goes on sending the victim its share (least connections sends less)"
    )
    victim = VICTIM

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        status = lab.service(VICTIM, "backend", "status")
        return self.recipe_of(
            lab,
            kill=lab.service(VICTIM, "backend", "slow"),
            heal=lab.service(VICTIM, "backend", "thaw"),
            verify_down=("sh", "-c", 'case $("$@") in *slowed*) ;; *) exit 1 ;; esac', "sh", *status),
            verify_healed=("sh", "-c", 'said=$("$@") || exit; case $said in *slowed*) exit 1 ;; esac', "sh", *status),
        )

    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return Prediction(0.0, 0.0, f"no outage: the victim's answers come up to {LATER_S:g} s later", partial=True)

    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return Prediction(0.0, 0.0, "the victim answers as before", partial=True)
