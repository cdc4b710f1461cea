"""When a conducted run fires, heals and ends: as it is told, or so long after the load began."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from switchover.drill.fire_and_heal import Trigger
from switchover.drill.prepare import StagedFault
from switchover.drill.remote.spec import ConductSpec
from switchover.drill.wait import TICK_S, Waiting, Watch
from switchover.faults.phase_lengths import cut_short
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, SwitchoverError

Stage = Callable[[str, Mapping[str, bool | None]], StagedFault]
"""Stages a fault by its name; the other argument is what the running witnesses know of the balancers."""


class Word(StrEnum):
    BEGIN = "begin"
    FIRE = "fire"
    HEAL = "heal"
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class Cue:
    """One thing to do."""

    word: Word
    name: str | None = None
    """Of the fault to fire; None: the one that was chosen at the start."""
    at_us: int | None = None
    """When the load began, as its generator saw it."""


class Cues:
    """What is to be done, in order; told by one thread, followed by another."""

    def __init__(self) -> None:
        self._waiting: deque[Cue] = deque()
        self._told = threading.Condition()

    def tell(self, cue: Cue) -> None:
        with self._told:
            self._waiting.append(cue)
            self._told.notify()

    def next(self, timeout_s: float) -> Cue | None:
        with self._told:
            if not self._waiting:
                self._told.wait(timeout_s)
            return self._waiting.popleft() if self._waiting else None


class CuedCourse:
    """Follows cues until the one that ends it. What cannot be done is noted, and the run goes on."""

    def __init__(
        self, cues: Cues, spec: ConductSpec, clock: Clock, *, stage: Stage, ready: Callable[[], None], watch: Watch
    ) -> None:
        self._cues = cues
        self._spec = spec
        self._clock = clock
        self._stage = stage
        self._ready = ready
        self._watch = watch
        self._timed: list[tuple[float, Cue]] = []
        """What is due by itself, with the monotonic time at which it is."""
        self._begun = False
        self._phase = "ready"
        self._until = 0.0
        self.truncated: list[str] = []

    def facts(self) -> dict[str, Any]:
        return {"fault_at_s": self._spec.fault_at_s, "heal_at_s": self._spec.heal_at_s}

    def run(self, trigger: Trigger, waiting: Waiting) -> None:
        self._enter("ready")
        self._ready()
        measured = True
        while not waiting.interrupted:
            if measured:
                measured = self._is_measured(trigger, waiting)
            cue = self._next()
            if cue is not None and cue.word is Word.FINISH:
                break
            if cue is not None:
                self._follow(cue, trigger, waiting)
        self._enter("finishing")
        staged = trigger.staged
        if staged is not None:
            now_us = self._clock.now_us()
            self.truncated = cut_short(trigger.plan, staged.switchover, staged.failback, now_us)

    def _is_measured(self, trigger: Trigger, waiting: Waiting) -> bool:
        """False when nobody measures any more: then there is nothing to wait for with what is broken."""
        try:
            waiting.look(self._phase, max(0.0, self._until - time.monotonic()))
        except SwitchoverError as error:
            self._blame(trigger, error)
            trigger.undo()
            return False
        return True

    def _next(self) -> Cue | None:
        """What is due or told, within a tick."""
        now = time.monotonic()
        if self._timed and self._timed[0][0] <= now:
            return self._timed.pop(0)[1]
        due_s = self._timed[0][0] - now if self._timed else TICK_S
        return self._cues.next(min(due_s, TICK_S))

    def _follow(self, cue: Cue, trigger: Trigger, waiting: Waiting) -> None:
        try:
            match cue.word:
                case Word.BEGIN:
                    self._begin(cue.at_us or self._clock.now_us())
                case Word.FIRE:
                    self._fire(cue.name, trigger, waiting)
                case Word.HEAL:
                    self._heal(trigger)
        except SwitchoverError as error:
            if trigger.is_fired or trigger.fault.name == self._spec.fault:
                self._blame(trigger, error)
            else:
                trigger.unstage()
                self._watch.note(str(error))

    def _begin(self, at_us: int) -> None:
        if self._begun:
            return
        self._begun = True
        began = time.monotonic() - (self._clock.now_us() - at_us) / 1e6
        timed = ((self._spec.fault_at_s, Word.FIRE), (self._spec.heal_at_s, Word.HEAL))
        self._timed = [(began + seconds, Cue(word)) for seconds, word in timed if seconds is not None]
        self._enter("baseline")

    def _fire(self, name: str | None, trigger: Trigger, waiting: Waiting) -> None:
        if trigger.is_fired:
            self._watch.note(
                f"{name or 'the fault'} does not fire: {trigger.fault.name} was fired already, once a run"
            )
            return
        if not self._begun:
            raise FaultError(f"{name or 'the fault'} does not fire: the load has not begun")
        promised = self._spec.fault
        if promised is not None and name not in (None, promised):
            self._watch.note(f"{name} does not fire: this run is for {promised}")
            return
        if promised is None:
            if name is None:
                raise FaultError("nothing can be fired: no fault was chosen")
            trigger.stage(self._stage(name, trigger.owners))
        if waiting.is_probed:
            trigger.require_well(waiting.first_answers())
        self._enter("fault")
        trigger.fire()
        self._enter("switchover")
        if trigger.fault.error is not None:
            self._heal(trigger)

    def _heal(self, trigger: Trigger) -> None:
        if not trigger.is_on:
            self._watch.note("there is nothing to heal")
            return
        self._enter("heal")
        trigger.heal()
        self._enter("failback")

    def _enter(self, phase: str) -> None:
        self._phase = phase
        self._until = self._timed[0][0] if self._timed else time.monotonic()
        self._watch.phase(phase, max(0.0, self._until - time.monotonic()))

    def _blame(self, trigger: Trigger, error: SwitchoverError) -> None:
        trigger.fault.error = trigger.fault.error or str(error)
        self._watch.note(str(error))
