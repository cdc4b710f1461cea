"""The state of the present run for the page, from its traffic and its directory; one run after the other."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from switchover.drill.remote.parent import ControllerState
from switchover.locust.page.run_observer import Moments, RunObserver, description
from switchover.locust.page.timeline import OUTCOMES
from switchover.locust.page.verdict_excerpt import excerpt_verdict
from switchover.model.clock import Clock
from switchover.rundir.journal_tail import SLICE_BYTES
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.run_directory import PAGE_FILE, Run

TEXT_LIMIT = 300
NOTES_LIMIT = 20
NO_CONTROLLER = "this process cannot fire a fault: it only records, and another one conducts the run, if any does"
NO_FAULTS = (
    "there is nothing to fire: that takes a target file, and the name of a fault in it as --switchover-fault (a "
    "lab's faults can be chosen here)"
)
NOT_ARMED = "the run was not armed: start Locust with --switchover-arm (a target of the lab needs none)"


class Control(Protocol):
    """The drill beside the load, as the page may use it. A refusal becomes a note of its state."""

    @property
    def state(self) -> ControllerState: ...
    @property
    def died(self) -> str | None: ...
    def fire(self, name: str | None = None) -> None: ...
    def heal(self) -> None: ...


def refusal_to_fire(control: Control | None, running: bool, name: str | None) -> str | None:
    """Why this fault cannot be fired now; None if it can."""
    refusal = _refusal(control, running)
    if refusal or control is None:
        return refusal
    state = control.state
    if not state.armed:
        return NOT_ARMED
    if state.fired_us is not None:
        return f"{state.fault or 'a fault'} was fired already: a run fires once"
    if name is not None and name not in state.faults:
        return f"no fault of this name can be fired here; the run has {', '.join(state.faults) or 'none'}"
    if name is not None and state.fault is not None and name != state.fault:
        return f"the run was started for {state.fault}"
    if name is None and state.fault is None:
        return "choose a fault first"
    return None


def refusal_to_heal(control: Control | None, running: bool) -> str | None:
    refusal = _refusal(control, running)
    if refusal or control is None:
        return refusal
    if control.state.fired_us is None:
        return "nothing was fired: there is nothing to heal"
    return "it is being healed already" if control.state.heal_us is not None else None


def control_facts(control: Control | None, running: bool) -> dict[str, Any]:
    """What a page shows of it."""
    if control is None:
        return {"available": False, "refusal": NO_CONTROLLER, "phase": None, "died": None, "error": None, "notes": []}
    state = control.state
    available = bool(state.faults) or state.fault is not None
    return {
        "available": available,
        "phase": state.phase,
        "faults": [str(name)[:TEXT_LIMIT] for name in list(state.faults)[:100]],
        "fault": state.fault,
        "armed": state.armed,
        "fired_us": state.fired_us,
        "confirmed_us": state.confirmed_us,
        "heal_us": state.heal_us,
        "healed_us": state.healed_us,
        "error": None if state.error is None else state.error[:TEXT_LIMIT],
        "died": control.died,
        "notes": [str(note)[:TEXT_LIMIT] for note in list(state.notes)[-NOTES_LIMIT:]],
        "refusal": refusal_to_fire(control, running, state.fault or next(iter(state.faults), None))
        if available
        else NO_FAULTS,
        "heal_refusal": refusal_to_heal(control, running),
    }


def _refusal(control: Control | None, running: bool) -> str | None:
    if not running:
        return "no run is on: start the load first"
    if control is None:
        return NO_CONTROLLER
    return f"the drill beside the load has died: {control.died}" if control.died else None


WORKERS_LIMIT = 200
FIRING = "fault"
"""The phase of the drill from the proof before the kill to the proof of the kill."""


class LiveRun:
    """`begin` starts a run anew, `end` ends it; before the first one there is nothing to show. For one thread."""

    def __init__(self, now_us: Callable[[], int] | None = None) -> None:
        self._now_us = now_us or Clock.of_process().now_us
        self._directory = Path()
        self._seen = RunObserver(self._directory)
        self._workers: list[dict[str, Any]] = []
        self._control: Control | None = None
        self._begun_us: int | None = None
        self._ended_us: int | None = None
        self.verdict: dict[str, Any] | None = None
        """As in verdict.json, once the run has been judged."""
        self._asked: str | None = None
        """The fault that the page has asked for, until the drill says what became of it."""
        self._notes_when_asked: list[str] = []
        self._refusal: str | None = None

    def begin(self, directory: Path, control: Control | None = None) -> None:
        """A run writes into this directory from now on; `control` can fire a fault, None if nothing can."""
        self._directory = directory
        self._seen = RunObserver(directory)
        self._workers = []
        self._control = control
        self._begun_us, self._ended_us = self._now_us(), None
        self.verdict = self._asked = self._refusal = None

    def add_lines(self, lines: Iterable[str]) -> None:
        """Traffic of all workers as it comes, in line protocol; what is no traffic is passed over."""
        if self._begun_us is None:
            return
        now_s = self._now_us() // 1_000_000
        for line in lines:
            if line.startswith(REQUESTS):
                self._seen.read_traffic(line, now_s)

    def workers(self, workers: Sequence[dict[str, Any]]) -> None:
        """The workers as `load.json` describes them."""
        self._workers = [dict(worker) for worker in workers[:WORKERS_LIMIT]]

    def end(self, verdict: dict[str, Any] | None = None) -> None:
        """The run is over. None: it has no verdict yet; a second call may bring it."""
        if self._begun_us is not None:
            self._ended_us = self._ended_us or self._now_us()
            self.verdict = verdict

    def refuse(self, text: str) -> None:
        """A run could not begin."""
        self._refusal = text

    @property
    def report(self) -> Path | None:
        """The report of the run, once it has been made."""
        path = self._directory / PAGE_FILE
        return path if self._ended_us is not None and path.is_file() else None

    @property
    def key(self) -> int:
        """What tells a run from every other one, also of another process; 0 before the first one."""
        return self._begun_us or 0

    @property
    def running(self) -> bool:
        return self._begun_us is not None and self._ended_us is None

    @property
    def directory(self) -> Path:
        return self._directory

    @property
    def run_id(self) -> str:
        return self._directory.name

    @property
    def seen(self) -> RunObserver:
        return self._seen

    def advance(self, limit: int = SLICE_BYTES) -> bool:
        """Read what was appended to the run's journals, `limit` bytes at the most; true if there is more to read."""
        if self._begun_us is None:
            return False
        return self._seen.advance(limit, self._now_us() // 1_000_000)

    def fire(self, name: str | None) -> str | None:
        """Ask for the fault; why not, if it cannot be fired. What becomes of it is in the state."""
        refusal = refusal_to_fire(self._control, self.running, name)
        if refusal is None and self._control is not None:
            state = self._control.state
            self._asked, self._notes_when_asked = name or state.fault, list(state.notes)
            self._control.fire(name)
        return refusal

    def heal(self) -> str | None:
        refusal = refusal_to_heal(self._control, self.running)
        if refusal is None and self._control is not None:
            self._control.heal()
        return refusal

    def state(self, since: int = 0) -> dict[str, Any]:
        """All of it; of the timeline only what has a higher revision than `since`, which 0 makes all."""
        now_us = self._now_us()
        facts: dict[str, Any] = {
            "key": self.key,
            "state": self._word(),
            "now_us": now_us,
            "refusal": self._refusal,
        }
        if self._begun_us is None:
            return facts
        seen, moments, until_us = self._seen, self._moments(), self._ended_us or now_us
        return facts | {
            "run": description(self._directory, seen.run),
            "moments": asdict(moments),
            "phase": "switchover" if self._is_firing else moments.phase_at(until_us),
            "totals": {
                what: dict(zip(OUTCOMES, counts, strict=True))
                for what, counts in (("requests", seen.timeline.requests), ("probes", seen.timeline.probes))
            },
            "lost_ms": self._lost_ms(moments, until_us),
            "holders": seen.holders.now(),
            "nodes": seen.holders.nodes(seen.balancers, until_us),
            "split_brain": seen.holders.split_brain(seen.balancers, moments.start_us or 0, until_us),
            "revision": seen.timeline.revision,
            "timeline": list(seen.timeline.seconds(since)),
            "shares": seen.timeline.shares(seen.weights),
            "haproxy": seen.counters.haproxy(),
            "nginx": seen.counters.nginx(),
            "silent": seen.counters.silent(),
            "events": [asdict(event) for event in seen.history.listed()],
            "workers": self._workers,
            "control": {**control_facts(self._control, self.running), "asked": self._still_asked()},
            "report": self.report is not None,
            "verdict": self._judged(),
        }

    def _judged(self) -> dict[str, Any] | None:
        run = self._seen.run or Run(id="", name="")
        return None if self.verdict is None else excerpt_verdict(self.verdict, run)

    @property
    def _is_firing(self) -> bool:
        """The drill knows when it fired only after the proof; the switchover begins with the firing."""
        return self._control is not None and self._control.state.phase == FIRING

    def _lost_ms(self, moments: Moments, until_us: int) -> float | None:
        """Probes lost since the fault, up to the heal, divided by their rate; None before, or without probes."""
        rate = self._seen.run.settings.probe_rate if self._seen.run else None
        if not rate or moments.fired_us is None or not any(self._seen.timeline.probes):
            return None
        to_us = min(moments.heal_us or until_us, until_us)
        return self._seen.timeline.bad_probes(moments.fired_us // 1_000_000, to_us // 1_000_000 + 1) / rate * 1000

    def _still_asked(self) -> str | None:
        """The fault that is asked for and neither fired nor refused yet."""
        state = self._control.state if self._control is not None else None
        if (
            state is None
            or state.fired_us is not None
            or not self.running
            or (list(state.notes) != self._notes_when_asked and state.phase != FIRING)
        ):
            self._asked = None
        return self._asked

    def _word(self) -> str:
        return "none" if self._begun_us is None else "running" if self.running else "ended"

    def _moments(self) -> Moments:
        """From the drill itself, from run.json, or from the journal's events: the first that has it."""
        control = self._control.state if self._control else None
        plan, events = self._seen.run.plan if self._seen.run else None, self._seen.history
        fault_us, heal_us, end_us = (events.first_us(kind) for kind in ("fault", "heal", "end"))
        return Moments(
            start_us=(plan and plan.start_us) or self._begun_us,
            fired_us=(control and control.fired_us) or (plan and plan.fired_from_us) or fault_us,
            heal_us=(control and control.heal_us) or (plan and plan.heal_from_us) or heal_us,
            end_us=(plan and plan.end_us) or end_us or self._ended_us,
        )
