"""A backend goes from Traefik's watched file, and comes back."""

from switchover.faults.change import ALL_KEPT, PlannedChange, needs_balancer
from switchover.faults.fault import MASTER, VICTIM, LabCommands
from switchover.target.model import FaultRecipe

FILE = "dynamic.yml"


class TraefikSwap(PlannedChange):
    name = "traefik-swap"
    summary = "a backend goes from the file that the master's Traefik watches, and comes back"
    mechanism = f"the file is replaced by one without {VICTIM}, which Traefik takes up by itself"
    proof = "its health page answers by the configuration that was written, seen twice"
    heals = "the file is replaced by one with that backend"
    witnesses = ("worker",)
    expectation = "nothing is lost, and no connection is closed"
    promises = ALL_KEPT
    needs = (needs_balancer("Traefik"),)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.with_next_configuration(MASTER, FILE, "--without", VICTIM),
            heal=lab.with_next_configuration(MASTER, FILE, "--with", VICTIM),
            verify_down=lab.serves_next_configuration(MASTER, FILE),
        )
