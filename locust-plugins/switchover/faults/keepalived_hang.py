"""SIGSTOP to Keepalived: the address stays, the adverts stop."""

from switchover.faults.fault import FROZEN, LabCommands, PairFault
from switchover.faults.prediction import HANDOVER_S, Pair, Prediction, two_owners
from switchover.target.model import FaultRecipe


class KeepalivedHang(PairFault):
    name = "keepalived-hang"
    summary = "the master's Keepalived hangs"
    mechanism = "SIGSTOP to every Keepalived process of the master"
    proof = "every Keepalived process of the master is stopped (state T), seen twice"
    heals = "SIGCONT to all of them"
    witnesses = ("owner",)
    expectation = (
        "no failed request and a split brain, as with keepalived-kill. When it wakes up it still believes that it is "
        "the master and says so, also with nopreempt"
    )

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.service_recipe(lab, "keepalived", verb="freeze", undo="thaw", down=FROZEN)

    def predict_pair(self, pair: Pair) -> Prediction:
        return two_owners(pair, "adverts stop while the address stays")

    def failback_pair(self, pair: Pair) -> Prediction:
        return Prediction(
            0.0,
            HANDOVER_S,
            "the old master wakes up as master, hears the backup's lower adverts and announces the address again; "
            "the backup gives in to its next advert",
            over_s=2 * pair.advert_s + HANDOVER_S,
        )
