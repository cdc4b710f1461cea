"""Wait during the phases of a drill, show the progress, and check that the load and the prober run."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from switchover.load.load_process import Load
from switchover.model.errors import SwitchoverError
from switchover.prober import Prober, ProberProgress
from switchover.process.measuring_child import MeasuringChild
from switchover.telemetry.collector import Collector

FIRST_STATUS_S = 3.0
"""The longest wait for the prober's first report, in seconds, longer than the report interval and the time-outs."""
SILENT_S = 4.0
"""The seconds without a report after which a measuring process counts as stopped. Reports come every second."""
TICK_S = 0.1
"""The interval of the checks during a wait, in seconds."""


class DrillObserver(Protocol):
    def phase(self, name: str, seconds: float) -> None: ...

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None: ...


@dataclass(slots=True)
class PhaseTimer:
    """Waits until a phase is over or `stopped` is set, and calls `beat` during the wait. Raises SwitchoverError if
    the load or a measuring process has died."""

    _stopped: threading.Event
    _prober: Prober | None
    _collector: Collector
    _observer: DrillObserver
    _load: Load | None
    _beat: Callable[[], None] = lambda: None
    _watched: list[MeasuringChild[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self._prober is not None:
            self.watch(self._prober)

    def watch(self, child: MeasuringChild[Any]) -> None:
        self._watched.append(child)

    @property
    def interrupted(self) -> bool:
        return self._stopped.is_set()

    @property
    def is_probed(self) -> bool:
        return self._prober is not None

    def first_answers(self) -> ProberProgress | None:
        """Wait for the prober's first report, and return the progress of the probes."""
        if self._prober is None:
            return None
        limit = time.monotonic() + FIRST_STATUS_S
        while time.monotonic() < limit and not self.interrupted:
            probes = self._prober.progress()
            if probes is not None and probes.good + probes.late + probes.failed:
                return probes
            self._stopped.wait(TICK_S)
        return self._prober.progress()

    def phase(self, name: str, seconds: float) -> bool:
        """Begin a phase, and wait until the phase is over. Return False if the wait was interrupted."""
        if seconds <= 0 or self.interrupted:
            return not self.interrupted
        self._observer.phase(name, seconds)
        return self.wait(name, seconds)

    def wait(self, name: str, seconds: float) -> bool:
        """Wait within a phase, without beginning a new phase. Return False if the wait was interrupted."""
        end = time.monotonic() + seconds
        while (remaining_s := end - time.monotonic()) > 0:
            self.look(name, remaining_s)
            if self._stopped.wait(min(TICK_S, remaining_s)) or self.interrupted:
                return False
        return True

    def look(self, phase: str, left_s: float) -> None:
        """Check that the load and the measuring processes run, and show the progress of the drill."""
        self._beat()
        why = self._why_it_ended()
        if why:
            raise SwitchoverError(f"the run ended in the {phase} phase: {why}")
        probes = self._prober.progress() if self._prober else None
        self._observer.tick(left_s, probes, self._collector.ownership.holders())

    def _why_it_ended(self) -> str | None:
        if self._load is not None and self._load.died:
            return self._load.died
        for child in self._watched:
            if child.died:
                return child.died
            if child.silent_s > SILENT_S:
                return f"the {child.name} has reported nothing for {child.silent_s:.1f} s"
        return None
