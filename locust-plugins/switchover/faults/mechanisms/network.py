"""Faults of the links of the balancers."""

from switchover.faults.lab_commands import BACKUP, MASTER, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, of_pair
from switchover.predict.prediction import NEIGHBOUR_S, Pair, Prediction, after_silence, comes_back, two_owners

NODE_DOWN = "node-down"
PORT = f"br-{MASTER}"
_BOTH = ("sh", PORT, f"br-{BACKUP}")


def _link_down(lab: LabCommands) -> Commands:
    def state(word: str) -> tuple[str, ...]:
        return lab.bridge("sh", "-c", f'ip link show dev "$1" | grep -q " state {word} "', "sh", PORT)

    return Commands(
        kill=lab.bridge("ip", "link", "set", PORT, "down"),
        heal=lab.bridge("ip", "link", "set", PORT, "up"),
        verify_down=state("DOWN"),
        verify_healed=state("UP"),
    )


def _isolate(lab: LabCommands) -> Commands:
    def isolated(word: str) -> tuple[str, ...]:
        each = f'bridge link set dev "$1" isolated {word} && bridge link set dev "$2" isolated {word}'
        return lab.bridge("sh", "-c", each, *_BOTH)

    def both_are(word: str) -> tuple[str, ...]:
        one = f'bridge -d link show dev "%s" | grep -q "isolated {word}"'
        return lab.bridge("sh", "-c", f"{one % '$1'} && {one % '$2'}", *_BOTH)

    return Commands(isolated("on"), isolated("off"), both_are("on"), both_are("off"))


def _joined(pair: Pair) -> Prediction:
    return Prediction(
        0.0,
        NEIGHBOUR_S,
        "nothing if the old master hears the backup once more and announces the address again; if the backup "
        "gives in first, until the client's neighbour entry is renewed",
        over_s=pair.advert_s + NEIGHBOUR_S,
    )


FAULTS = (
    Mechanism(
        name=NODE_DOWN,
        summary="the master falls off the network",
        does=(
            "the switch port of the master goes down (`ip link set … down` on the bridge's side): no packet leaves "
            "the node, and none that says goodbye. The node itself sees its carrier go, so its Keepalived enters "
            "FAULT and drops the address, which no other node can hear"
        ),
        proof="the port's state is DOWN, seen twice",
        heals="the port goes up again",
        expectation=(
            "connect time-outs for the backup's master down interval less the time since the last advert: evenly "
            "spread over one advert interval"
        ),
        sources=("owner",),
        cuts_the_way=True,
        commands=_link_down,
        predict=of_pair(after_silence),
        failback=of_pair(lambda pair: comes_back(pair, ready_s=0.0, moved=True)),
    ),
    Mechanism(
        name="partition",
        summary="the balancers lose sight of each other",
        does=(
            "both balancers' switch ports become `isolated`: the bridge forwards nothing between the two, multicast "
            "or unicast, and everything else as before"
        ),
        proof="both ports are isolated, seen twice",
        heals="both ports forward to each other again",
        expectation=(
            "no failed request and a split brain. At the heal the backup gives in to the master's next advert; if "
            "that comes before its own, the master never learns that there was another one, announces nothing, and a "
            "client goes on sending to the backup until its neighbour entry is renewed"
        ),
        sources=("owner",),
        cuts_the_way=True,
        commands=_isolate,
        predict=of_pair(lambda pair: two_owners(pair, "neither hears the other")),
        failback=of_pair(_joined),
    ),
)
