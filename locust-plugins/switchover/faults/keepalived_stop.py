"""SIGTERM to Keepalived: the orderly way to give the address away."""

from switchover.faults.change import MOVED
from switchover.faults.fault import STOPPED, LabCommands, PairFault
from switchover.faults.prediction import START_S, Pair, Prediction, after_resignation, comes_back
from switchover.target.model import FaultRecipe


class KeepalivedStop(PairFault):
    name = "keepalived-stop"
    summary = "the master's Keepalived is stopped in order"
    mechanism = "SIGTERM to Keepalived: it sends an advert of priority 0 and removes the address"
    proof = "no Keepalived process is left on the master, seen twice"
    heals = "Keepalived is started again"
    witnesses = ("owner",)
    promises = MOVED
    expectation = "connect time-outs for the backup's skew time: the shortest outage that VRRP itself can give"

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.service_recipe(lab, "keepalived", verb="stop", undo="start", down=STOPPED)

    def predict_pair(self, pair: Pair) -> Prediction:
        return after_resignation(pair)

    def failback_pair(self, pair: Pair) -> Prediction:
        return comes_back(pair, ready_s=START_S, moved=True)
