"""A reload of HAProxy: the change that operators make every day, and that should cost nothing."""

from switchover.faults.fault import MASTER, LabCommands, PairFault, needs_haproxy
from switchover.faults.prediction import Pair, Prediction, nothing
from switchover.target import FaultRecipe

YOUNG_S = 3
"""A process younger than this was started by the reload: a baseline takes longer than that."""


class HaproxyReload(PairFault):
    name = "haproxy-reload"
    summary = "the master's HAProxy is reloaded"
    mechanism = "a new HAProxy process takes the listening sockets over (-x, -sf), the old one finishes and goes"
    proof = f"the process behind the runtime socket is younger than {YOUNG_S} s, seen twice"
    heals = "nothing to heal"
    expectation = (
        "no failed request on fresh connections. Idle kept connections are closed, and a request that crosses the "
        "close fails. The counters start again from 0"
    )

    def applies(self, lab: LabCommands) -> str | None:
        return needs_haproxy(lab)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return FaultRecipe(
            name=self.name,
            kill=lab.service(MASTER, "balancer", "reload"),
            verify_down=lab.runtime(MASTER, "--younger-than", str(YOUNG_S)),
            verify_healed=lab.service(MASTER, "balancer", "status"),
        )

    def predict_pair(self, pair: Pair) -> Prediction:
        return nothing("the new process inherits the listening sockets: no connection is refused")

    def failback_pair(self, pair: Pair) -> Prediction:
        return nothing("there is nothing to heal")
