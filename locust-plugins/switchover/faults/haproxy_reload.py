"""A reload of HAProxy: the change that operators make every day, and that should cost nothing."""

from switchover.faults.change import RELOADED_BY_HAPROXY
from switchover.faults.fault import MASTER, LabCommands, PairFault, needs_haproxy
from switchover.faults.prediction import Pair, Prediction, nothing
from switchover.target.model import FaultRecipe


class HaproxyReload(PairFault):
    name = "haproxy-reload"
    summary = "the master's HAProxy is reloaded"
    mechanism = "a new HAProxy process takes the listening sockets over (-x, -sf), the old one finishes and goes"
    proof = "another process answers on the runtime socket than before, seen twice"
    heals = "there is nothing to heal"
    heals_itself = True
    witnesses = ("epoch",)
    expectation = (
        "no failed request on fresh connections. Idle kept connections are closed, and a request that crosses the "
        "close fails. The counters start again from 0"
    )

    promises = RELOADED_BY_HAPROXY
    needs = (needs_haproxy,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        note = f"{lab.directory}/{MASTER}/pid-before-reload"
        return self.recipe_of(
            lab,
            kill=lab.runtime(MASTER, "--note-pid", note, *lab.service(MASTER, "balancer", "reload")),
            heal=("rm", "-f", note),
            verify_down=lab.runtime(MASTER, "--other-pid", note),
        )

    def predict_pair(self, pair: Pair) -> Prediction:
        return nothing("the new process inherits the listening sockets: no connection is refused")

    def failback_pair(self, pair: Pair) -> Prediction:
        return nothing("there is nothing to heal")
