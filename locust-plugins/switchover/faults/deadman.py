"""The dead-man: a timer on the node that heals the node if nothing else can reach it.

A fault may cut the network path that its heal needs. So a command arms a heal on the node before the kill. The timer
heals the node after a fixed time, also if this process is gone:

    [fault.node-down]
    deadman = ["ssh", "{master}", "systemd-run", "--unit=switchover-heal", "--on-active=60",
               "ip", "link", "set", "eth0", "up"]
    disarm = ["ssh", "{master}", "systemctl stop switchover-heal.timer; ! systemctl is-active switchover-heal.timer"]

After the heal is proved, `disarm` stops the timer. Otherwise it would heal in the middle of the next drill.
"""

from switchover.faults.catalogue import fault_named
from switchover.model.errors import FaultError
from switchover.process.command import CommandResult, run_command
from switchover.target.model import FaultRecipe

RECIPE = 'deadman = ["ssh", "{master}", "systemd-run", "--unit=switchover-heal", "--on-active=60", …the heal…]'


def require_deadman(recipe: FaultRecipe) -> None:
    """Refuse a fault that cuts the path to a real node and has no dead-man there."""
    if recipe.deadman is None and fault_named(recipe.name).cuts_the_way:
        raise FaultError(
            f"{recipe.name} can cut the way to the node, and nothing on the node would heal it then: add {RECIPE}"
        )


def arm_deadman(recipe: FaultRecipe) -> None:
    """Arm the dead-man, if the fault has one. Raises FaultError if arming failed: then nothing may be fired."""
    if recipe.deadman is None:
        return
    outcome = run_command(recipe.deadman, variables=recipe.variables)
    if not outcome.ok:
        raise FaultError(
            f"{recipe.name} does not fire: its dead-man could not be armed: {recipe.table} deadman: {outcome}"
        )


def disarm_deadman(recipe: FaultRecipe) -> None:
    """Disarm the dead-man, if the recipe has a `disarm`. Raises FaultError if that failed."""
    if recipe.deadman is None or recipe.disarm is None:
        return
    result = run_command(recipe.disarm, variables=recipe.variables)
    if not result.ok:
        raise FaultError(not_disarmed(recipe, result))


def not_disarmed(recipe: FaultRecipe, result: CommandResult) -> str:
    return f"the dead-man of {recipe.name} is not disarmed and goes off by itself: {recipe.table} disarm: {result}"
