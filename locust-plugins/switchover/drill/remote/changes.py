"""A series of changes beside a load that another process makes: begun by its word, ended by its end."""

import signal
import time
from collections.abc import Callable, Collection
from typing import Any

from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.make_changes import ChangeSeries, ChangesPlan
from switchover.drill.options import DrillSettings
from switchover.drill.prepare import PreparedFault
from switchover.drill.remote.commands import ENDING, RemoteCommands, Verb
from switchover.drill.wait import TICK_S, PhaseTimer
from switchover.load.load import Load
from switchover.model.errors import SwitchoverError
from switchover.patient.spec import KeptOpen
from switchover.rundir.run_directory import Run

FIRST_AT_S = 5.0
"""From the start of the load to the first change, where nothing was asked for: the baseline."""


class RemoteChangesPlan(ChangesPlan):
    """A `ChangesPlan` whose load begins and ends elsewhere."""

    ending: Collection[signal.Signals] = ENDING

    def __init__(
        self,
        commands: RemoteCommands,
        settings: DrillSettings,
        prepared: PreparedFault,
        kept: tuple[KeptOpen, ...],
        *,
        ready: Callable[[Run], None],
        load: Load | None = None,
    ) -> None:
        super().__init__(settings, prepared, kept, load)
        self._commands = commands
        self._ready = ready
        self.is_judged = False
        """Once it was ready: before that its parent is told why it cannot begin."""

    @property
    def _first_at_s(self) -> float:
        at_s = self._settings.fault_at_s
        return FIRST_AT_S if at_s is None else at_s

    def facts(self) -> dict[str, Any]:
        return self._facts(first_at_s=self._first_at_s)

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        with self._series(control, timer) as series:
            control.observer.phase("ready", 0.0)
            self.is_judged = True
            self._ready(control.run)
            timer.end_when(lambda: self._commands.is_finished)
            try:
                is_begun = self._wait_for_first(control, timer)
                if is_begun and self._settings.rehearse:
                    series.rehearse()
                elif is_begun:
                    series.make_all()
            except SwitchoverError as error:
                control.fail(error)
            if timer.interrupted and not control.run.rehearsed:
                self._stop_if_cut_short(series, control)
            control.observer.phase("after", 0.0)
            while not timer.interrupted:
                time.sleep(TICK_S)
            control.observer.phase("finishing", 0.0)

    def _stop_if_cut_short(self, series: ChangeSeries, control: FaultControl) -> None:
        times = self._settings.times
        if series.count < times:
            control.run.record_stop(f"the load ended after {series.count} of {times} changes")
        elif series.is_cut:
            control.run.record_stop(f"the load ended in the middle of change {times} of {times}")

    def _wait_for_first(self, control: FaultControl, timer: PhaseTimer) -> bool:
        """Wait from the start of the load to the first change. False: the load has ended before."""
        while (command := self._commands.next(TICK_S)) is None or command.verb is not Verb.BEGIN:
            if timer.interrupted:
                return False
        now_us = control.clock.now_us()
        past_s = (now_us - (command.at_us or now_us)) / 1e6
        if not timer.phase("baseline", self._first_at_s - past_s):
            return False
        if timer.is_probed:
            control.require_good_baseline(timer.first_answers())
        return True
