"""The plan of a remote run, which follows the parent's commands, or fixed times after the load began."""

import signal
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Literal

from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan
from switchover.drill.wait import TICK_S, PhaseTimer
from switchover.faults.mechanism import PreparedFault
from switchover.load.load_process import Load
from switchover.model.errors import FaultError, SwitchoverError
from switchover.predict.phase_lengths import cut_short
from switchover.rundir.run_directory import Run

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""The signals that end the run. SIGINT is not included: the parent also receives SIGINT, and then sends the command
finish."""

PrepareFault = Callable[[str, Mapping[str, bool | None]], PreparedFault]
"""A function that prepares a fault from the fault's name and the owners of the address."""


Verb = Literal["begin", "fire", "heal", "finish"]


@dataclass(frozen=True, slots=True)
class RemoteCommand:
    do: Verb
    name: str | None = None
    """The fault to fire. None: the fault that was chosen at the start."""
    at_us: int | None = None
    """The time at which the load began, according to the load generator."""


@dataclass
class RemotePlan(DrillPlan):
    """A plan that follows commands until the command finish. For a refused command, the user gets a note."""

    commands: "SimpleQueue[RemoteCommand]"
    settings: DrillSettings
    prepare: PrepareFault
    ready: Callable[[Run], None]
    load: Load | None = None
    ending: Collection[signal.Signals] = ENDING
    is_judged: bool = False
    """True: the run became ready, and will be judged. Otherwise, the parent gets the reason why the run cannot begin,
    and no verdict."""
    _timed: list[tuple[float, RemoteCommand]] = field(default_factory=list)
    """The timed commands, each with its time on the monotonic clock."""
    _begun: bool = False
    _phase: str = "ready"
    _until: float = 0.0

    def facts(self) -> dict[str, Any]:
        return {"fault_at_s": self.settings.fault_at_s, "heal_at_s": self.settings.heal_at_s}

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        self._enter("ready", control)
        self.is_judged = True
        self.ready(control.run)
        measured = True
        while not timer.interrupted:
            if measured:
                measured = self._is_measuring(control, timer)
            command = self._next()
            if command is not None and command.do == "finish":
                break
            if command is not None:
                self._follow(command, control, timer)
        if control.is_on and self._heal_within_s() is not None:
            control.run.record_stop("the load ended before the heal was due")
        self._enter("finishing", control)
        prepared = control.prepared
        if prepared is not None:
            now_us = control.clock.now_us()
            self.truncated = cut_short(control.run.plan, prepared.switchover, prepared.failback, now_us)

    def _is_measuring(self, control: FaultControl, timer: PhaseTimer) -> bool:
        """Check that the prober and the load run. If the prober or the load has died, heal the fault and return
        False."""
        try:
            timer.look(self._phase, max(0.0, self._until - time.monotonic()))
        except SwitchoverError as error:
            control.fail(error)
            control.undo()
            return False
        return True

    def _next(self) -> RemoteCommand | None:
        """Return the next received or planned command. None: there is no command within one tick."""
        now = time.monotonic()
        if self._timed and self._timed[0][0] <= now:
            return self._timed.pop(0)[1]
        due_s = self._timed[0][0] - now if self._timed else TICK_S
        with suppress(Empty):
            return self.commands.get(timeout=min(due_s, TICK_S))
        return None

    def _follow(self, command: RemoteCommand, control: FaultControl, timer: PhaseTimer) -> None:
        try:
            match command.do:
                case "begin":
                    self._begin(command.at_us, control)
                case "fire":
                    self._fire(command.name, control, timer)
                case "heal":
                    self._heal(control)
        except SwitchoverError as error:
            if control.is_fired or control.fault.name == self.settings.fault:
                control.fail(error)
            else:
                control.disarm()
                control.observer.note(str(error))

    def _begin(self, at_us: int | None, control: FaultControl) -> None:
        if self._begun:
            return
        self._begun = True
        now_us = control.clock.now_us()
        began = time.monotonic() - (now_us - (at_us or now_us)) / 1e6
        timed: tuple[tuple[float | None, Verb], ...]
        timed = ((self.settings.fault_at_s, "fire"), (self.settings.heal_at_s, "heal"))
        self._timed = [(began + seconds, RemoteCommand(verb)) for seconds, verb in timed if seconds is not None]
        self._enter("baseline", control)

    def _fire(self, name: str | None, control: FaultControl, timer: PhaseTimer) -> None:
        if control.is_fired:
            control.observer.note(
                f"{name or 'the fault'} does not fire: {control.fault.name} was already fired in this run"
            )
            return
        if not self._begun:
            raise FaultError(f"{name or 'the fault'} does not fire: the load has not begun")
        chosen = self.settings.fault
        if chosen is not None and name not in (None, chosen):
            control.observer.note(f"{name} does not fire: this run may only fire {chosen}")
            return
        if chosen is None:
            if name is None:
                raise FaultError("nothing can be fired: no fault was chosen")
            control.arm(self.prepare(name, control.owners))
        if timer.is_probed:
            control.require_good_baseline(timer.first_answers())
        self._enter("fault", control)
        if self.settings.dry_run:
            control.dry_run()
            return
        control.fire(self._heal_within_s())
        self._enter("switchover", control)
        if control.fault.error is not None:
            self._heal(control)

    def _heal_within_s(self) -> float | None:
        """Return the seconds until the timed heal. None: a command starts the heal."""
        due = [at for at, command in self._timed if command.do == "heal"]
        return max(0.0, due[0] - time.monotonic()) if due else None

    def _heal(self, control: FaultControl) -> None:
        if not control.is_on:
            control.observer.note("there is nothing to heal")
            return
        self._enter("heal", control)
        control.heal()
        self._enter("failback", control)

    def _enter(self, phase: str, control: FaultControl) -> None:
        self._phase = phase
        self._until = self._timed[0][0] if self._timed else time.monotonic()
        control.observer.phase(phase, max(0.0, self._until - time.monotonic()))
