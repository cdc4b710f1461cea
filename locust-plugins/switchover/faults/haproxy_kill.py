"""SIGKILL to the balancer: the crash that health checks are for."""

from typing import ClassVar

from switchover.faults.fault import STOPPED, LabCommands, PairFault, needs_proxy
from switchover.faults.prediction import START_S, Pair, Prediction, proxy_back, proxy_silent
from switchover.target.model import FaultRecipe


class HaproxyKill(PairFault):
    name = "haproxy-kill"
    summary = "the master's HAProxy crashes"
    mechanism = "SIGKILL to every HAProxy process of the master; Keepalived lives on"
    proof = "no HAProxy process is left on the master, seen twice"
    heals = "HAProxy is started again"
    witnesses = ("epoch",)
    expectation = (
        "refused connections until the check script has failed often enough and the backup has taken over; "
        "without a check script, until the heal. A supervisor that restarts HAProxy makes the run untrusted"
    )
    needs = (needs_proxy,)
    verb: ClassVar[str] = "kill"

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.service_recipe(lab, "balancer", verb=self.verb, undo="start", down=STOPPED)

    def predict_pair(self, pair: Pair) -> Prediction:
        return proxy_silent(pair, hanging=False, process_remains=False)

    def failback_pair(self, pair: Pair) -> Prediction:
        return proxy_back(pair, moved=self.predict_pair(pair).moves, start_s=START_S)
