"""The master's link goes down: what the rest of the network sees of a power cut."""

from switchover.faults.fault import MASTER, LabCommands, PairFault
from switchover.faults.prediction import Pair, Prediction, after_silence, comes_back
from switchover.target.model import FaultRecipe

PORT = f"br-{MASTER}"


class NodeDown(PairFault):
    name = "node-down"
    summary = "the master falls off the network"
    mechanism = (
        "the switch port of the master goes down (`ip link set … down` on the bridge's side): no packet leaves the "
        "node, and none that says goodbye. The node itself sees its carrier go, so its Keepalived enters FAULT and "
        "drops the address, which no other node can hear"
    )
    proof = "the port's state is DOWN, seen twice"
    heals = "the port goes up again"
    witnesses = ("owner",)
    expectation = (
        "connect time-outs for the backup's master down interval less the time since the last advert: evenly spread "
        "over one advert interval"
    )
    cuts_the_way = True

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        def state(word: str) -> tuple[str, ...]:
            return lab.bridge("sh", "-c", f'ip link show dev "$1" | grep -q " state {word} "', "sh", PORT)

        return self.recipe_of(
            lab,
            kill=lab.bridge("ip", "link", "set", PORT, "down"),
            heal=lab.bridge("ip", "link", "set", PORT, "up"),
            verify_down=state("DOWN"),
            verify_healed=state("UP"),
        )

    def predict_pair(self, pair: Pair) -> Prediction:
        return after_silence(pair)

    def failback_pair(self, pair: Pair) -> Prediction:
        return comes_back(pair, ready_s=0.0, moved=True)
