"""A hot restart of Envoy: a new process takes the listening sockets over, the old one is drained."""

from switchover.faults.change import RESTARTED_BY_ENVOY, PlannedChange, needs_balancer
from switchover.faults.fault import MASTER, LabCommands
from switchover.target.model import FaultRecipe

FILE = "envoy.yaml"


class EnvoyRestart(PlannedChange):
    name = "envoy-restart"
    summary = "the master's Envoy is restarted hot"
    mechanism = "a new process with the next --restart-epoch takes the listening sockets over and drains the old one"
    proof = "another process answers on its health page than before, seen twice"
    heals = "there is nothing to undo"
    heals_itself = True
    witnesses = ("worker",)
    expectation = "nothing is lost, unless the next restart comes before: it ends the process before the last"
    promises = RESTARTED_BY_ENVOY
    needs = (needs_balancer("Envoy"),)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.noting_process(MASTER, FILE, *lab.service(MASTER, "balancer", "reload")),
            heal=("rm", "-f", f"{lab.directory}/{MASTER}/{FILE}.written"),
            verify_down=lab.has_other_process(MASTER, FILE),
        )
