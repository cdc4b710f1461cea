"""SIGTERM to the balancer: `systemctl stop haproxy` at a bad moment."""

from switchover.faults.fault import MASTER, STOPPED, LabCommands, PairFault, needs_proxy, service_recipe
from switchover.faults.prediction import START_S, Pair, Prediction, proxy_back, proxy_silent
from switchover.target.model import FaultRecipe


class HaproxyStop(PairFault):
    name = "haproxy-stop"
    summary = "the master's HAProxy is stopped in order"
    mechanism = "SIGTERM to the master's HAProxy (a hard stop: it closes its connections and exits)"
    proof = "no HAProxy process is left on the master, seen twice"
    heals = "HAProxy is started again"
    witnesses = ("epoch",)
    expectation = (
        "the same as haproxy-kill: an orderly stop of HAProxy tells Keepalived nothing, only the check script does. "
        "To hand over without loss, stop Keepalived first"
    )

    def applies(self, lab: LabCommands) -> str | None:
        return needs_proxy(lab)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return service_recipe(self.name, lab, MASTER, "balancer", verb="stop", undo="start", down=STOPPED)

    def predict_pair(self, pair: Pair) -> Prediction:
        return proxy_silent(pair, hanging=False, process_remains=False)

    def failback_pair(self, pair: Pair) -> Prediction:
        return proxy_back(pair, moved=self.predict_pair(pair).moves, start_s=START_S)
