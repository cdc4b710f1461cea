"""A reload of Caddy by its admin address: new servers in the same process, and the old ones end what they have."""

from switchover.faults.change import RELOADED_BY_CADDY, PlannedChange, needs_balancer
from switchover.faults.fault import MASTER, LabCommands
from switchover.target.model import FaultRecipe

FILE = "caddy.conf"


class CaddyReload(PlannedChange):
    name = "caddy-reload"
    summary = "the master's Caddy is reloaded"
    mechanism = (
        "`caddy reload` with a changed header: new servers in the same process, the old ones end what they have"
    )
    proof = "its health page answers by the configuration that was written, seen twice"
    heals = "there is nothing to undo"
    heals_itself = True
    witnesses = ("worker",)
    expectation = (
        "no failed download; WebSockets get a close frame; a request that crosses the close of its connection fails"
    )
    promises = RELOADED_BY_CADDY
    needs = (needs_balancer("Caddy"),)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        reload = lab.service(MASTER, "balancer", "reload")
        return self.recipe_of(
            lab,
            kill=lab.with_next_configuration(MASTER, FILE, "--next", *reload),
            heal=("rm", "-f", f"{lab.directory}/{MASTER}/{FILE}.written"),
            verify_down=lab.serves_next_configuration(MASTER, FILE),
        )
