"""All mechanisms by name, and the mechanism of a fault that only a target file defines."""

from collections.abc import Mapping

from switchover.faults.mechanism import Commands, Mechanism, always
from switchover.faults.mechanisms import backends, changes, haproxy, keepalived, network
from switchover.model.errors import FaultError
from switchover.predict.prediction import unknown
from switchover.target.model import FaultRecipe

_FAULTS = (*haproxy.FAULTS, *keepalived.FAULTS, *network.FAULTS, *backends.FAULTS)

CATALOGUE: Mapping[str, Mechanism] = {fault.name: fault for fault in _FAULTS}
"""The mechanisms that the lab can run. If a target file defines a fault that has the name of a mechanism, the fault
gets the prediction of this mechanism."""

CHANGES: Mapping[str, Mechanism] = {
    mechanism.name: mechanism for mechanism in (*_FAULTS, *changes.CHANGES) if mechanism.is_change
}
"""The mechanisms that the lab can run as a change. A target file may define a change that has the name of a built-in
change."""


EXEC = Mechanism.of(
    name="exec",
    needs=(lambda _lab: "its commands are in a target file, and the lab has none",),
    commands=lambda _lab: Commands((), (), ()),
    predict=always(
        unknown(
            "only faults with a name from 'switchover faults' are predicted: use such a name if the fault does the "
            "same, or add predict = {low = …, high = …}"
        )
    ),
    failback=always(unknown("the failback of this fault is not predicted")),
)
"""The mechanism of each `[fault.NAME]` of a target file if the catalogue has no mechanism NAME."""


def fault_named(name: str) -> Mechanism:
    return CATALOGUE.get(name) or CHANGES.get(name, EXEC)


DEADMAN = 'deadman = ["ssh", "{master}", "systemd-run", "--unit=switchover-heal", "--on-active=60", …the heal…]'
"""The dead-man: a timer on the node that heals the node after a fixed time, even if this process has ended.

A fault may cut the network path that the heal command needs, so the dead-man is armed before the kill. After the heal
is proved, `disarm` stops the timer. Otherwise the timer would run the heal during the next drill.
"""


def require_deadman(recipe: FaultRecipe) -> None:
    """Raise an error if a fault cuts the path to a real node, but the fault has no dead-man."""
    if recipe.deadman is None and fault_named(recipe.name).cuts_the_way:
        raise FaultError(
            f"{recipe.name} can cut the path to the node, and then nothing on the node would heal it: add {DEADMAN}"
        )
