"""When a drill fires, heals and ends: by a plan of its own."""

from typing import Any, Protocol

from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.wait import PhaseTimer
from switchover.faults.phase_lengths import Timing


class DrillPlan(Protocol):
    """What happens between the first probe and the last. It returns when the run is over, or when it is interrupted;
    what it has not healed by then is healed behind it."""

    @property
    def truncated(self) -> list[str]:
        """The phases that were chosen too short, one line each."""

    def facts(self) -> dict[str, Any]:
        """What run.json's settings say of it."""

    def run(self, control: FaultControl, timer: PhaseTimer) -> None: ...


class TimedPlan:
    """Baseline, the fault at a random moment of the adverts, its heal, and the end."""

    def __init__(self, timing: Timing, kill_delay_s: float = 0.0, *, rehearse: bool = False) -> None:
        """`rehearse`: everything but the kill."""
        self._rehearse = rehearse
        self._timing = timing
        self._kill_delay_s = kill_delay_s

    @property
    def truncated(self) -> list[str]:
        return list(self._timing.truncated)

    def facts(self) -> dict[str, Any]:
        return {
            "baseline_s": self._timing.baseline_s,
            "hold_s": self._timing.hold_s,
            "recover_s": self._timing.recover_s,
            "kill_delay_s": self._kill_delay_s,
        }

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        whole = timer.phase("baseline", self._timing.baseline_s)
        probes = timer.first_answers()
        if whole:
            control.require_good_baseline(probes)
        if control.prepared is None or not timer.phase("random phase", self._kill_delay_s):
            return
        if self._rehearse:
            control.rehearse()
            return
        control.fire(self._timing.hold_s)
        if control.fault.error is None and not timer.phase("switchover", self._timing.hold_s):
            return
        control.heal()
        if control.fault.error is None:
            timer.phase("failback", self._timing.recover_s)
