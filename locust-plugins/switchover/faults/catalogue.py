"""All mechanisms by name, and the mechanism of a fault that only a target file defines."""

from collections.abc import Mapping

from switchover.faults.mechanism import Commands, Mechanism
from switchover.faults.mechanisms.changes import CHANGES as ONLY_CHANGES
from switchover.faults.mechanisms.faults import FAULTS
from switchover.model.errors import FaultError
from switchover.predict.prediction import unknown
from switchover.target.model import FaultRecipe

CATALOGUE: Mapping[str, Mechanism] = {fault.name: fault for fault in FAULTS}
"""The mechanisms that the lab can run. A fault of a target file is predicted like the mechanism with the same
name."""

CHANGES: Mapping[str, Mechanism] = {
    mechanism.name: mechanism for mechanism in (*FAULTS, *ONLY_CHANGES) if mechanism.is_change
}
"""The mechanisms that the lab can run as a change."""


EXEC = Mechanism.of(
    name="exec",
    needs=(lambda _lab: "the commands of this fault are in a target file: add --target FILE",),
    commands=lambda _lab: Commands((), (), ()),
    outage=unknown(
        "only faults with a name from 'switchover faults' are predicted: use the name of a fault with the "
        "same action, or add predict = {low = …, high = …}"
    ),
    heal_outage=unknown("the failback of this fault is not predicted"),
)
"""The mechanism of a `[fault.NAME]` of a target file if the catalogue has no mechanism NAME."""


def fault_named(name: str) -> Mechanism:
    return CATALOGUE.get(name) or CHANGES.get(name, EXEC)


def has_effect_until_healed(recipe: FaultRecipe) -> bool:
    return recipe.heal is not None and not fault_named(recipe.name).heals_itself


DEADMAN = 'deadman = ["ssh", "{master}", "systemd-run", "--unit=switchover-heal", "--on-active=60", …the heal…]'
"""An example of a dead-man: a timer that runs on the node. The timer heals the fault even if the path to the node is
cut, or this process has ended."""


def require_deadman(recipe: FaultRecipe) -> None:
    """Raise an error if a fault cuts the path to a real node, but has no dead-man."""
    if recipe.deadman is None and fault_named(recipe.name).cuts_the_way:
        raise FaultError(
            f"{recipe.name} can cut the path to the node, and then nothing on the node would heal the fault: "
            f"add {DEADMAN}"
        )
