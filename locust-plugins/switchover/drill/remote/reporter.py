"""Says how a conducted run stands: to the parent, a line whenever something happens and at least once a second."""

import threading
from collections import deque

from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.remote.state import ConductorState
from switchover.metronome import MetronomeProgress
from switchover.process.json_child import say_if_heard
from switchover.rundir.run_directory import Run

EVERY_S = 0.5
NOTES = 20
NOTE_LENGTH = 300
"""Characters of a note that are told; run.json and the journal have all of what matters."""


class Reporter:
    """The `DrillObserver` of a conducted drill, and its only voice."""

    def __init__(self, faults: list[str], *, armed: bool) -> None:
        self._faults = faults
        self._armed = armed
        self._phase = "starting"
        self._holders: frozenset[str] = frozenset()
        self._probes: MetronomeProgress | None = None
        self._notes: deque[str] = deque(maxlen=NOTES)
        self._news = threading.Event()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self, run: Run) -> None:
        """Tell the parent of this run from now on; the first word is that it is ready."""
        self._thread = threading.Thread(target=self._report, args=(run,), name="reporter", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join()

    def phase(self, name: str, seconds: float) -> None:
        self._phase = name
        self._news.set()

    def tick(self, left_s: float, probes: MetronomeProgress | None, holders: frozenset[str]) -> None:
        self._probes, self._holders = probes, holders

    def note(self, text: str) -> None:
        with self._lock:
            self._notes.append(text[:NOTE_LENGTH])
        self._news.set()

    def state(self, run: Run) -> ConductorState:
        plan, fault, probes = run.plan, run.fault, self._probes
        with self._lock:
            notes = list(self._notes)
        return ConductorState(
            phase=self._phase,
            holders=sorted(self._holders),
            probes=None if probes is None else {name: getattr(probes, name) for name in probes.__slots__},
            fired_us=plan.fired_from_us,
            confirmed_us=plan.confirmed_us,
            heal_us=plan.heal_from_us,
            healed_us=plan.healed_us,
            fault=fault.name if fault is not None and fault.name != NO_FAULT else None,
            faults=self._faults,
            armed=self._armed,
            error=fault.error if fault is not None else None,
            notes=notes,
        )

    def _report(self, run: Run) -> None:
        while not self._stopped.is_set():
            say_if_heard({"state": self.state(run).message()})
            self._news.wait(EVERY_S)
            self._news.clear()
