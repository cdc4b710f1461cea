"""SIGSTOP to the balancer: the process is there, accepts in the kernel, and answers nothing."""

from switchover.faults.fault import FROZEN, LabCommands, PairFault, needs_proxy
from switchover.faults.prediction import Pair, Prediction, proxy_back, proxy_silent
from switchover.target.model import FaultRecipe


class HaproxyHang(PairFault):
    name = "haproxy-hang"
    summary = "the master's HAProxy hangs"
    mechanism = "SIGSTOP to every HAProxy process of the master: the kernel goes on accepting, no answer comes"
    proof = "every HAProxy process of the master is stopped (state T), seen twice"
    heals = "SIGCONT to all of them"
    witnesses = ("scrapes",)
    expectation = (
        "requests that hang until the client's read time-out, and connect time-outs once the kernel's queue of "
        "unaccepted connections is full; none is refused. A check that looks for the process never notices; one that "
        "asks for an answer does, after its own time-out. Failure counts are smaller than the outage by about the "
        "client's time-out"
    )
    needs = (needs_proxy,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.service_recipe(lab, "balancer", verb="freeze", undo="thaw", down=FROZEN)

    def predict_pair(self, pair: Pair) -> Prediction:
        return proxy_silent(pair, hanging=True, process_remains=True)

    def failback_pair(self, pair: Pair) -> Prediction:
        return proxy_back(pair, moved=self.predict_pair(pair).moves, start_s=0.0)
