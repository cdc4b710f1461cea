"""SIGKILL to one backend: the failure that the balancer is there to hide."""

from dataclasses import replace

from switchover.faults.fault import STOPPED, VICTIM, Fault, LabCommands
from switchover.faults.prediction import Prediction
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import FaultRecipe

CLIENT_S = 1.0
"""What a request that was sent to the victim last may hang: the read time-out of the lab's clients."""

LAB_CHECK_S = 2.0
"""The lab's `inter 1s fall 2`."""

DEFAULT_CHECK_S = 6.0
"""HAProxy's defaults: `inter 2s fall 3`."""


class BackendKill(Fault):
    name = "backend-kill"
    kind = "backend"
    summary = f"one backend ({VICTIM}) crashes"
    mechanism = f"SIGKILL to every process of the web server on {VICTIM}"
    proof = f"no process of the web server is left on {VICTIM}, seen twice"
    heals = "the web server is started again"
    witnesses = ("server",)
    expectation = (
        "until the balancer's check has failed `fall` times, the victim's share of the requests is retried (slower), "
        "or fails where retries and redispatch are off; then none. No outage: the others answer all the time"
    )
    lab_window_s = (0.0, LAB_CHECK_S + CLIENT_S)
    victim = VICTIM

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        commands = self.service_recipe(lab, "backend", verb="kill", undo="start", down=STOPPED)
        return replace(commands, predict_s=self.lab_window_s)

    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return Prediction(
            0.0,
            DEFAULT_CHECK_S + CLIENT_S,
            "the victim's share of the requests is slower, or fails without redispatch, until the balancer's check "
            f"marks it down (fall times inter: {DEFAULT_CHECK_S:g} s by HAProxy's defaults, {LAB_CHECK_S:g} s in the "
            f"lab), and then for the client's time-out of {CLIENT_S:g} s",
            partial=True,
        )

    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return Prediction(
            0.0, 0.0, "the balancer takes the victim back once its check passes (rise times inter)", partial=True
        )
