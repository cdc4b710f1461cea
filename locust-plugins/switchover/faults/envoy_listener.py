"""Envoy's listeners are replaced by the file that it watches; the old ones are drained."""

from switchover.faults.change import LISTENER_CHANGED_BY_ENVOY, PlannedChange, needs_balancer
from switchover.faults.fault import MASTER, LabCommands
from switchover.target.model import FaultRecipe

FILE = "listeners.yaml"


class EnvoyListener(PlannedChange):
    name = "envoy-listener"
    summary = "the listeners of the master's Envoy are replaced by the file that it watches"
    mechanism = "the file is replaced by one with a changed header: Envoy makes new listeners and drains the old ones"
    proof = "its health page answers by the configuration that was written, seen twice"
    heals = "there is nothing to undo"
    heals_itself = True
    witnesses = ("worker",)
    expectation = "nothing is lost before --drain-time-s is over; then all that is still on the old listener is cut"
    promises = LISTENER_CHANGED_BY_ENVOY
    needs = (needs_balancer("Envoy"),)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.with_next_configuration(MASTER, FILE, "--next"),
            heal=("rm", "-f", f"{lab.directory}/{MASTER}/{FILE}.written"),
            verify_down=lab.serves_next_configuration(MASTER, FILE),
        )
