"""An upgrade of Nginx while it runs: its binary is started anew beside the old one, and then taken back."""

from switchover.faults.change import RELOADED_BY_NGINX, PlannedChange, needs_balancer
from switchover.faults.fault import MASTER, LabCommands
from switchover.target.model import FaultRecipe


class NginxUpgrade(PlannedChange):
    name = "nginx-upgrade"
    summary = "the master's Nginx is upgraded to its binary on the disk, and back"
    mechanism = (
        "SIGUSR2: a new master process takes the listening sockets over; then SIGWINCH: the workers of the old one "
        "finish and go"
    )
    proof = "workers of the new master process serve, and none of the old one, seen twice"
    heals = "SIGHUP to the old master process, whose workers serve again, and SIGQUIT to the new one"
    witnesses = ("worker",)
    expectation = (
        "what a reload costs, twice. The next upgrade waits until the new one's last connection has ended: a "
        "worker_shutdown_timeout bounds that"
    )
    promises = RELOADED_BY_NGINX
    needs = (needs_balancer("Nginx"),)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=lab.upgraded(MASTER, "--upgrade"),
            heal=lab.upgraded(MASTER, "--go-back"),
            verify_down=lab.upgraded(MASTER, "--upgraded"),
        )
