"""Waits out the phases of a drill, shows their progress, and notices at once what has died: a load, a probe."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from switchover.load.load_process import Load
from switchover.model.errors import SwitchoverError
from switchover.prober import Prober, ProberProgress
from switchover.process.measuring_child import AnyMeasuringChild
from switchover.telemetry.collector import Collector

FIRST_STATUS_S = 3.0
"""Longer than the prober's second between two states, and than a probe's time-outs."""
SILENT_S = 4.0
"""A process that measures and has said nothing for this long is stopped or starved; each speaks each second."""
TICK_S = 0.1
"""Interval at which a waiting drill looks for news."""


class DrillObserver(Protocol):
    def phase(self, name: str, seconds: float) -> None: ...

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None: ...


class PhaseTimer:
    """Waits until a phase is over or `stopped` is set; SwitchoverError when the load or what measures has died.

    `beat` is called while it waits. Without a `prober` there are no probes, without a `load` there is nothing
    beside them.
    """

    def __init__(
        self,
        stopped: threading.Event,
        prober: Prober | None,
        collector: Collector,
        observer: DrillObserver,
        load: Load | None = None,
        *,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._stopped = stopped
        self._prober = prober
        self._collector = collector
        self._observer = observer
        self._load = load
        self._beat = beat
        self._watched: list[AnyMeasuringChild] = [prober] if prober is not None else []

    def watch(self, child: AnyMeasuringChild) -> None:
        self._watched.append(child)

    @property
    def interrupted(self) -> bool:
        return self._stopped.is_set()

    @property
    def is_probed(self) -> bool:
        return self._prober is not None

    def first_answers(self) -> ProberProgress | None:
        """The probes so far; waits until the prober has reported some, which it does each second."""
        if self._prober is None:
            return None
        limit = time.monotonic() + FIRST_STATUS_S
        while time.monotonic() < limit and not self.interrupted:
            probes = self._prober.progress()
            if probes is not None and probes.good + probes.late + probes.failed:
                return probes
            self._stopped.wait(TICK_S)
        return self._prober.progress()

    def phase(self, name: str, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Begin a phase and wait until it is over, or until that holds. False when it was cut short."""
        if seconds <= 0 or self.interrupted:
            return not self.interrupted
        self._observer.phase(name, seconds)
        return self.wait(name, seconds, until)

    def wait(self, name: str, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Wait within a phase, whose start is not shown. False when it was cut short."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not until():
            self.look(name, left)
            if self._stopped.wait(min(TICK_S, left)) or self.interrupted:
                return False
        return True

    def look(self, phase: str, left_s: float) -> None:
        """Look once whether load and measuring processes are alive, and show how the drill stands."""
        self._beat()
        why = self._why_it_ended()
        if why:
            raise SwitchoverError(f"the run ended in the {phase} phase: {why}")
        probes = self._prober.progress() if self._prober else None
        self._observer.tick(left_s, probes, self._collector.holders())

    def _why_it_ended(self) -> str | None:
        if self._load is not None and self._load.died:
            return self._load.died
        for child in self._watched:
            if child.died:
                return child.died
            if child.silent_s > SILENT_S:
                return f"the {child.name} has said nothing for {child.silent_s:.1f} s"
        return None
