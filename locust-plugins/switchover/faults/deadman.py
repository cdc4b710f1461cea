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
from switchover.target.model import FaultRecipe

RECIPE = 'deadman = ["ssh", "{master}", "systemd-run", "--unit=switchover-heal", "--on-active=60", …the heal…]'


def require_deadman(recipe: FaultRecipe) -> None:
    """Refuse a fault that cuts the path to a real node and has no dead-man there."""
    if recipe.deadman is None and fault_named(recipe.name).cuts_the_way:
        raise FaultError(
            f"{recipe.name} can cut the way to the node, and nothing on the node would heal it then: add {RECIPE}"
        )
