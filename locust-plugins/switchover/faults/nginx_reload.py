"""A reload of Nginx: SIGHUP to its master process, which starts new workers and lets the old ones finish."""

from switchover.faults.change import RELOADED_BY_NGINX, PlannedChange, needs_balancer
from switchover.faults.fault import MASTER, LabCommands
from switchover.target.model import FaultRecipe


class NginxReload(PlannedChange):
    name = "nginx-reload"
    summary = "the master's Nginx is reloaded"
    mechanism = "SIGHUP: new workers take the listening sockets over, the old ones finish and go"
    proof = "the master process of Nginx has other workers than before, seen twice"
    heals = "there is nothing to undo"
    heals_itself = True
    witnesses = ("worker",)
    expectation = "no failed request on fresh connections; a request that crosses the close of its connection fails"
    promises = RELOADED_BY_NGINX
    needs = (needs_balancer("Nginx"),)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        note = f"{lab.directory}/{MASTER}/workers-before-reload"
        return self.recipe_of(
            lab,
            kill=lab.noting_workers(MASTER, note, *lab.service(MASTER, "balancer", "reload")),
            heal=("rm", "-f", note),
            verify_down=lab.has_other_workers(MASTER, note),
        )
