"""The plan of a drill: the times of the fault, of the heal and of the end of the run."""

import random
import signal
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.options import DrillSettings
from switchover.drill.wait import PhaseTimer
from switchover.faults.mechanism import PreparedFault
from switchover.load.load_process import Load
from switchover.predict.phase_lengths import Timing, derive_timing
from switchover.process.signals import ENDING
from switchover.rundir.run_directory import CutPhase


class DrillPlan:
    """A plan: the steps of a drill between the first probe and the last probe, and the load."""

    ending: Collection[signal.Signals] = ENDING
    """The signals that end the run early. After such a signal, the drill still heals the fault, saves the run and
    judges the run."""
    is_judged = True
    load: Load | None = None
    """The load. None: the run has no load, only probes."""
    truncated: Sequence[CutPhase] = ()
    """The phases that are too short because of the user's options."""

    def facts(self) -> dict[str, Any]:
        """Return the values of the plan that run.json contains in its settings."""
        raise NotImplementedError

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        """Follow the plan until the run ends or is interrupted. The drill then heals the fault."""
        raise NotImplementedError


NewPlan = Callable[[PreparedFault | None], DrillPlan]
"""Makes the plan of a drill. The predicted outages determine the lengths of the phases."""


@dataclass
class TimedPlan(DrillPlan):
    """A plan with fixed times: a baseline, a fault at a random time between two adverts, the heal, and the end."""

    timing: Timing
    settings: DrillSettings
    kill_delay_s: float = 0.0
    load: Load | None = None

    def __post_init__(self) -> None:
        self.truncated = self.timing.truncated

    @classmethod
    def of(
        cls, settings: DrillSettings, prepared: PreparedFault | None, load: Load | None, moments: random.Random
    ) -> "TimedPlan":
        """Return the plan of a drill with these settings. The kill is at a random time between two adverts, so that
        the detection time is uniformly distributed."""
        timing = derive_timing(
            settings.baseline_s,
            settings.hold_s,
            settings.recover_s,
            prepared.switchover if prepared else None,
            prepared.failback if prepared else None,
        )
        kill_delay_s = moments.uniform(0.0, prepared.advert_int_s) if prepared else 0.0
        return cls(timing, settings, kill_delay_s, load)

    def facts(self) -> dict[str, Any]:
        return {
            "baseline_s": self.timing.baseline_s,
            "hold_s": self.timing.hold_s,
            "recover_s": self.timing.recover_s,
            "kill_delay_s": self.kill_delay_s,
        }

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        whole = timer.phase("baseline", self.timing.baseline_s)
        probes = timer.first_answers()
        if whole:
            control.require_good_baseline(probes)
        if control.prepared is None or not timer.phase("random phase", self.kill_delay_s):
            return
        if self.settings.dry_run:
            control.dry_run()
            return
        control.fire(self.timing.hold_s)
        if control.fault.error is None and not timer.phase("switchover", self.timing.hold_s):
            return
        control.heal()
        if control.fault.error is None:
            timer.phase("failback", self.timing.recover_s)
