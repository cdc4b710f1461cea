"""A planned move: the master's priority is lowered by a file that Keepalived tracks, and raised again."""

from switchover.faults.change import MOVED, PlannedChange, needs_balancers
from switchover.faults.fault import BACKUP, MASTER, LabCommands
from switchover.target.model import FaultRecipe

MOVE_FILE = "move"
"""In the node's directory: Keepalived adds its number, times a weight, to the priority."""
MOVE_WEIGHT = -50
"""More than the difference of the lab's priorities, and than a failed check takes away."""


class PriorityMove(PlannedChange):
    name = "priority-move"
    summary = "the address is moved to the backup on purpose, and back"
    mechanism = f"1 is written into a file that Keepalived tracks with the weight {MOVE_WEIGHT}"
    proof = "the backup has the address, seen twice"
    heals = "0 is written into that file"
    witnesses = ("owner",)
    expectation = (
        "hardly a fresh connection is lost: the backup sees the lower priority and takes over. What is open on "
        "the old master is lost, for no balancer knows the connections of another"
    )
    promises = MOVED
    needs = (needs_balancers,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.on(MASTER, "sh", "-c", f"echo 1 > {lab.directory}/{MASTER}/{MOVE_FILE}"),
            heal=lab.on(MASTER, "sh", "-c", f"echo 0 > {lab.directory}/{MASTER}/{MOVE_FILE}"),
            verify_down=lab.on(BACKUP, "sh", "-c", f"ip -o -4 address show | grep -qF ' {lab.address}/'"),
        )
