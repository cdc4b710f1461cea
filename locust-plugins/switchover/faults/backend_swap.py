"""A backend is replaced by another one, by a new configuration and a reload, and so back again."""

from typing import ClassVar

from switchover.faults.change import RELOADED_BY_HAPROXY, PlannedChange
from switchover.faults.fault import MASTER, VICTIM, LabCommands
from switchover.faults.server_change import SERVER
from switchover.target.model import FaultRecipe

NEXT = f"{VICTIM}-next"
"""The server that takes the place of the victim: another port of its host, with an access log of its own."""
NEXT_PORT = 8081
LINE_ENDS = {"haproxy": (" disabled", " # "), "nginx": (" down", "; # ")}
"""What takes a server out of service, and what stands between that and the name by which its line is found."""


class BackendSwap(PlannedChange):
    name = "backend-swap"
    summary = "a backend is replaced by another one in the configuration, and the master's balancer reloaded"
    mechanism = f"the server {VICTIM} is taken out and {NEXT} put in its place, and a reload of HAProxy or Nginx"
    proof = "HAProxy says MAINT of the old one, or Nginx has other workers than before, seen twice"
    heals = "the first configuration is put back, with another reload"
    witnesses = ("worker",)
    expectation = "what a reload costs, twice; what is under way on the old backend ends there"
    promises = RELOADED_BY_HAPROXY
    configuration: ClassVar = {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}

    def applies(self, lab: LabCommands) -> str | None:
        if lab.balancer not in LINE_ENDS:
            return f"balancer {lab.balancer!r}: choose --balancer haproxy or nginx"
        return needs_other_server(lab)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        swap, back = self._put(lab, NEXT, VICTIM), self._put(lab, VICTIM, NEXT)
        proof = lab.runtime(MASTER, "--server-status", f"{SERVER}=MAINT")
        if lab.balancer == "nginx":
            note = f"{lab.directory}/{MASTER}/workers-before-swap"
            swap, proof = lab.noting_workers(MASTER, note, *swap), lab.has_other_workers(MASTER, note)
            back = ("sh", "-c", 'rm -f "$0" && exec "$@"', note, *back)  # they are others than it says from here on
        return self.recipe_of(lab, kill=swap, heal=back, verify_down=proof)

    def _put(self, lab: LabCommands, into: str, out: str) -> tuple[str, ...]:
        """Reload with `into` in service, and `out` not."""
        disabled, end = LINE_ENDS[lab.balancer]
        edits = (f"s/({disabled})?{end}{into}$/{end}{into}/", f"s/({disabled})?{end}{out}$/{disabled}{end}{out}/")
        file = f"{lab.directory}/{MASTER}/{self.configuration[lab.balancer]}"
        reload = lab.service(MASTER, "balancer", "reload")
        script = 'sed -E -i -e "$1" -e "$2" "$0" && shift 2 && exec "$@"'
        return ("sh", "-c", script, file, *edits, *reload)


def needs_other_server(lab: LabCommands) -> str | None:
    """Why a lab without a server that could take the place of another cannot do it."""
    return None if lab.patient else "no server beside the others: add --patient-paths"
