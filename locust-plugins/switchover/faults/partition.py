"""The balancers no longer hear each other, while the clients reach both."""

from switchover.faults.fault import BACKUP, MASTER, LabCommands, PairFault
from switchover.faults.prediction import NEIGHBOUR_S, Pair, Prediction, two_owners
from switchover.target.model import FaultRecipe

_BOTH = ("sh", f"br-{MASTER}", f"br-{BACKUP}")


class Partition(PairFault):
    name = "partition"
    summary = "the balancers lose sight of each other"
    mechanism = (
        "both balancers' switch ports become `isolated`: the bridge forwards nothing between the two, multicast or "
        "unicast, and everything else as before"
    )
    proof = "both ports are isolated, seen twice"
    heals = "both ports forward to each other again"
    witnesses = ("owner",)
    expectation = (
        "no failed request and a split brain. At the heal the backup gives in to the master's next advert; if that "
        "comes before its own, the master never learns that there was another one, announces nothing, and a client "
        "goes on sending to the backup until its neighbour entry is renewed"
    )
    cuts_the_way = True

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        def isolated(word: str) -> tuple[str, ...]:
            each = f'bridge link set dev "$1" isolated {word} && bridge link set dev "$2" isolated {word}'
            return lab.bridge("sh", "-c", each, *_BOTH)

        def both_are(word: str) -> tuple[str, ...]:
            one = f'bridge -d link show dev "%s" | grep -q "isolated {word}"'
            return lab.bridge("sh", "-c", f"{one % '$1'} && {one % '$2'}", *_BOTH)

        return self.recipe_of(
            lab,
            kill=isolated("on"),
            heal=isolated("off"),
            verify_down=both_are("on"),
            verify_healed=both_are("off"),
        )

    def predict_pair(self, pair: Pair) -> Prediction:
        return two_owners(pair, "neither hears the other")

    def failback_pair(self, pair: Pair) -> Prediction:
        return Prediction(
            0.0,
            NEIGHBOUR_S,
            "nothing if the old master hears the backup once more and announces the address again; if the backup "
            "gives in first, until the client's neighbour entry is renewed",
            over_s=pair.advert_s + NEIGHBOUR_S,
        )
