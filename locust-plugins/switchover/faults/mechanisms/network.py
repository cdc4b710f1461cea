"""Faults of the balancers' network links."""

from switchover.faults.lab_commands import BACKUP, MASTER, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, pair_theory
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
        "nothing if the old master receives an advert of the backup and announces the address again; if the backup "
        "gives the address up first, until the client's neighbour entry is renewed",
        over_s=pair.advert_s + NEIGHBOUR_S,
    )


FAULTS = (
    Mechanism.of(
        name=NODE_DOWN,
        commands=_link_down,
        predict=pair_theory(after_silence),
        failback=pair_theory(lambda pair: comes_back(pair, ready_s=0.0, moved=True)),
    ),
    Mechanism.of(
        name="partition",
        commands=_isolate,
        predict=pair_theory(lambda pair: two_owners(pair, "neither node receives adverts")),
        failback=pair_theory(_joined),
    ),
)
