"""Any other `[fault.NAME]` of a target file: commands and a name of the user's own."""

from switchover.faults.fault import Fault, LabCommands
from switchover.faults.prediction import Prediction, unknown
from switchover.model.errors import FaultError
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import FaultRecipe


class Exec(Fault):
    name = "exec"
    summary = "any [fault.NAME] of a target file"
    mechanism = "the command `kill`, run here with {master} and {backup} filled in: ssh to the node, a call to an API"
    proof = "`verify_down` exits with 0, twice; without it the fault is refused, since nothing would prove it"
    heals = "the command `heal`, until `verify_healed` exits with 0"
    expectation = (
        "what `predict = {low, high}` says. A fault that is named as in this catalogue, such as "
        "[fault.haproxy-kill], is predicted from the nodes' `keepalived`; any other is not"
    )

    def applies(self, lab: LabCommands) -> str | None:
        return "its commands stand in a target file: the lab has none of its own"

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        raise FaultError("exec has no commands of its own: write a [fault.NAME] into the target file")

    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return unknown(
            "only faults named as in 'switchover faults' are predicted: call it [fault.haproxy-kill], say, if that "
            "is what it does, or add predict = {low = …, high = …} to it"
        )

    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return unknown("nothing is known of how the target fails back")
