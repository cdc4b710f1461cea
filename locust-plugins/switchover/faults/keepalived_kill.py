"""SIGKILL to all of Keepalived: no process is left to remove the address, and two nodes answer for it."""

from switchover.faults.fault import STOPPED, LabCommands, PairFault
from switchover.faults.prediction import HANDOVER_S, START_S, Pair, Prediction, comes_back, two_owners
from switchover.target.model import FaultRecipe


class KeepalivedKill(PairFault):
    name = "keepalived-kill"
    summary = "the master's Keepalived crashes"
    mechanism = (
        "SIGKILL to every Keepalived process of the master at once. (Of the parent alone it is no crash: the child "
        "then gets SIGTERM and resigns in order)"
    )
    proof = "no Keepalived process is left on the master, seen twice"
    heals = "Keepalived is started again"
    witnesses = ("owner",)
    expectation = (
        "no failed request and a split brain: the address stays on the dead node's interface while the backup takes "
        "it too. Only a witness of ownership on both nodes shows it"
    )

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.service_recipe(lab, "keepalived", verb="kill", undo="start", down=STOPPED)

    def predict_pair(self, pair: Pair) -> Prediction:
        return two_owners(pair, "no process is left to remove the address")

    def failback_pair(self, pair: Pair) -> Prediction:
        back = comes_back(pair, ready_s=START_S, moved=True)
        if back.high_s:
            return back
        return Prediction(
            0.0, HANDOVER_S, f"starting again removes the left-over address; {back.reason}", over_s=back.over_s
        )
