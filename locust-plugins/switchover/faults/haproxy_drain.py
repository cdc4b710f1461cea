"""The node is taken out gently: its health page goes, its service stays until the address has moved."""

from switchover.faults.change import ALL_KEPT
from switchover.faults.fault import MASTER, LabCommands, PairFault, needs_haproxy
from switchover.faults.prediction import Pair, Prediction, drained, nothing, proxy_back
from switchover.target.model import FaultRecipe

FRONTEND = "control"
"""The frontend with the page that Keepalived's HTTP check asks for."""


class HaproxyDrain(PairFault):
    name = "haproxy-drain"
    summary = "the master is drained"
    mechanism = (
        f"`disable frontend {FRONTEND}` on the master's runtime socket: the health page is refused, the service "
        "itself goes on"
    )
    proof = f"`show stat` says that the frontend {FRONTEND} is not OPEN, seen twice"
    heals = f"`enable frontend {FRONTEND}`"
    witnesses = ("frontend",)
    promises = ALL_KEPT
    expectation = (
        "no failed request: the old master serves until the backup has the address. It moves only where Keepalived "
        "checks that page and lowers the priority by enough; with weight 0 the master gives the address up before "
        "anybody has it. (Disabling the frontend of the service itself refuses connections like a crash)"
    )
    needs = (needs_haproxy,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.runtime(MASTER, "--send", f"disable frontend {FRONTEND}"),
            heal=lab.runtime(MASTER, "--send", f"enable frontend {FRONTEND}"),
            verify_down=lab.runtime(MASTER, "--frontend-closed", FRONTEND),
            verify_healed=lab.runtime(MASTER, "--frontend-open", FRONTEND),
        )

    def predict_pair(self, pair: Pair) -> Prediction:
        return drained(pair)

    def failback_pair(self, pair: Pair) -> Prediction:
        if not drained(pair).moves:
            return nothing("the address has not moved, and the service never stopped")
        return proxy_back(pair, moved=True, start_s=0.0)
