"""All mechanisms by name, and the mechanism of a fault that only a target file knows."""

from collections.abc import Mapping

from switchover.faults.mechanism import Commands, Mechanism, always
from switchover.faults.mechanisms import backends, changes, haproxy, keepalived, network
from switchover.model.errors import FaultError
from switchover.predict.prediction import unknown
from switchover.target.model import FaultRecipe

_FAULTS = (*haproxy.FAULTS, *keepalived.FAULTS, *network.FAULTS, *backends.FAULTS)

CATALOGUE: Mapping[str, Mechanism] = {fault.name: fault for fault in _FAULTS}
"""The mechanisms that the lab can run. A fault of the same name in a target file brings its own commands and gets our
prediction."""

CHANGES: Mapping[str, Mechanism] = {one.name: one for one in (*_FAULTS, *changes.CHANGES) if one.is_change}
"""The mechanisms that the lab can run as a change. A target file may define a change of the same name."""


EXEC = Mechanism.of(
    name="exec",
    needs=(lambda _lab: "its commands are in a target file, and the lab has none",),
    commands=lambda _lab: Commands((), (), ()),
    predict=always(
        unknown(
            "only faults named as in 'switchover faults' are predicted: call it [fault.haproxy-kill], say, if that "
            "is what it does, or add predict = {low = …, high = …} to it"
        )
    ),
    failback=always(unknown("nothing is known of how the target fails back")),
)
"""The mechanism of a `[fault.NAME]` that no entry of the catalogue names."""


def fault_named(name: str) -> Mechanism:
    return CATALOGUE.get(name) or CHANGES.get(name, EXEC)


DEADMAN = 'deadman = ["ssh", "{master}", "systemd-run", "--unit=switchover-heal", "--on-active=60", …the heal…]'
"""The dead-man: a timer on the node that heals the node after a fixed time, also if this process is gone.

A fault may cut the network path that its heal needs, so the dead-man is armed before the kill. After the heal is
proved, `disarm` stops the timer. Otherwise it would heal in the middle of the next drill.
"""


def require_deadman(recipe: FaultRecipe) -> None:
    """Refuse a fault that cuts the path to a real node and has no dead-man there."""
    if recipe.deadman is None and fault_named(recipe.name).cuts_the_way:
        raise FaultError(
            f"{recipe.name} can cut the way to the node, and nothing on the node would heal it then: add {DEADMAN}"
        )
