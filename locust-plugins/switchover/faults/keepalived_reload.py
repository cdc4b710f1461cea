"""A reload of Keepalived with another priority, which should move no address (keepalived#754: it did)."""

from switchover.faults.change import ALL_KEPT, PlannedChange, needs_balancers
from switchover.faults.fault import BACKUP, MASTER, VRRP_PRIORITY, LabCommands
from switchover.target.model import FaultRecipe


class KeepalivedReload(PlannedChange):
    name = "keepalived-reload"
    summary = "the master's Keepalived is reloaded, its priority raised by one"
    mechanism = "the number behind `priority` in keepalived.conf, and SIGHUP"
    proof = "adverts on the backup's link announce another priority than before, seen twice"
    heals = "the priority is lowered again, with another reload"
    witnesses = ("priority",)
    expectation = "nothing: the address stays where it is, and what is open with it"
    promises = ALL_KEPT
    needs = (needs_balancers,)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        note = f"{lab.directory}/{MASTER}/priority-before-reload"
        listen = (lab.python, "-I", "-S", VRRP_PRIORITY)
        return self.recipe_of(
            lab,
            kill=lab.on(BACKUP, *listen, "--note", note, *_reload(lab, "+")),
            heal=_reload(lab, "-"),
            verify_down=lab.on(BACKUP, *listen, "--other", note),
        )


def _reload(lab: LabCommands, sign: str) -> tuple[str, ...]:
    """With a priority that is one higher, or lower."""
    raised = f"""awk '$1 == "priority" {{ sub($2, $2 {sign} 1) }} 1' "$0" > "$0.new" && mv "$0.new" "$0\""""
    config = f"{lab.directory}/{MASTER}/keepalived.conf"
    return ("sh", "-c", f'{raised} && exec "$@"', config, *lab.service(MASTER, "keepalived", "reload"))
