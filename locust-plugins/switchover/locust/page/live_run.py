"""The state of the current run, which the page shows. The state is computed from the traffic and the run
directory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from msgspec import convert

from switchover.drill.remote.parent import ControllerState
from switchover.locust.page.run_observer import OUTCOMES, TEXT_LIMIT, RunObserver
from switchover.report.documents import Judged, tree_of
from switchover.report.summary import WARNINGS, summarize
from switchover.rundir.journal_tail import SLICE_BYTES
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.run_directory import PAGE_FILE, Run
from switchover.verdict.record import Verdict
from switchover.verdict.series.series_json import describe_run

NOTES_LIMIT = 20
NO_CONTROLLER = "this process cannot fire a fault: it only records the load"
NO_FAULTS = (
    "there is nothing to fire: start Locust with --switchover-target FILE and --switchover-fault NAME (the faults "
    "of a lab can be chosen here)"
)
NOT_ARMED = "the run is not armed: start Locust with --switchover-arm (a target of the lab needs no arming)"


class Control(Protocol):
    """The part of the drill's controller that the page uses. A refusal is added to the notes of the controller's
    state."""

    @property
    def state(self) -> ControllerState: ...
    @property
    def died(self) -> str | None: ...
    def fire(self, name: str | None = None) -> None: ...
    def heal(self) -> None: ...


def refusal_to_fire(control: Control | None, running: bool, name: str | None) -> str | None:
    refusal = _refusal(control, running)
    if refusal or control is None:
        return refusal
    state = control.state
    if not state.armed:
        return NOT_ARMED
    if state.fired_us is not None:
        return f"{state.fault or 'a fault'} was fired already: a run fires only one fault"
    if name is not None and name not in state.faults:
        return f"this run has no fault with this name; it has {', '.join(state.faults) or 'none'}"
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
        return "nothing was fired, so there is nothing to heal"
    return "the fault is already being healed" if control.state.heal_us is not None else None


def control_facts(control: Control | None, running: bool) -> dict[str, Any]:
    """The part of the controller's state that the page shows."""
    if control is None:
        return {"available": False, "refusal": NO_CONTROLLER, "phase": None, "died": None, "error": None, "notes": []}
    state = control.state
    available = bool(state.faults) or state.fault is not None
    return asdict(state) | {
        "available": available,
        "died": control.died,
        "notes": state.notes[-NOTES_LIMIT:],
        "refusal": refusal_to_fire(control, running, state.fault or next(iter(state.faults), None))
        if available
        else NO_FAULTS,
        "heal_refusal": refusal_to_heal(control, running),
    }


def _refusal(control: Control | None, running: bool) -> str | None:
    if not running:
        return "no run is active: start the load first"
    if control is None:
        return NO_CONTROLLER
    return f"the drill process of this run has died: {control.died}" if control.died else None


WORKERS_LIMIT = 200
FIRING = "fault"
"""The name of the drill's phase in which the fault is fired. The phase includes the checks before and after the
kill."""


@dataclass(frozen=True, slots=True)
class Moments:
    """The times of start, fault, heal and end, in microseconds. None: the event has not happened yet."""

    start_us: int | None = None
    fired_us: int | None = None
    heal_us: int | None = None
    end_us: int | None = None

    def phase_at(self, at_us: int) -> str:
        """Return the phase at a time. If the heal was at the end of the run, there is no failback phase."""
        if self.fired_us is None or at_us < self.fired_us:
            return "baseline"
        is_over = self.heal_us is None or (self.end_us is not None and self.heal_us >= self.end_us)
        return "switchover" if is_over or at_us < (self.heal_us or 0) else "failback"


class LiveRun:
    """The state of the current run. `begin` starts a run and `end` ends the run. This class is not thread-safe."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self.directory = Path()
        self._observer = RunObserver(self.directory)
        self._workers: list[dict[str, Any]] = []
        self._control: Control | None = None
        self._begun_us: int | None = None
        self._ended_us: int | None = None
        self._verdict: Mapping[str, Any] | None = None
        """The content of verdict.json; None until the run has been judged."""
        self._refusal: str | None = None

    def begin(self, directory: Path, control: Control | None = None) -> None:
        """Show the run that writes into the given directory. `control` can fire a fault; None if no fault can be
        fired."""
        self.directory = directory
        self._observer = RunObserver(directory)
        self._workers = []
        self._control = control
        self._begun_us, self._ended_us = self._now_us(), None
        self._verdict = self._refusal = None

    def add_lines(self, lines: Iterable[str]) -> None:
        """Add lines with traffic of any worker, in line protocol. Lines without traffic are ignored."""
        if self._begun_us is None:
            return
        now_s = self._now_us() // 1_000_000
        for line in lines:
            if line.startswith(REQUESTS):
                self._observer.read_line(line, now_s)

    def workers(self, workers: Sequence[dict[str, Any]]) -> None:
        """Replace the list of workers. Each worker has the same fields as in load.json."""
        self._workers = [dict(worker) for worker in workers[:WORKERS_LIMIT]]

    def end(self, verdict: Mapping[str, Any] | None = None) -> None:
        """End the run. `verdict` is None if the run is not yet judged. A second call can set the verdict."""
        if self._begun_us is not None:
            self._ended_us = self._ended_us or self._now_us()
            self._verdict = verdict

    def refuse(self, text: str) -> None:
        self._refusal = text

    @property
    def report(self) -> Path | None:
        path = self.directory / PAGE_FILE
        return path if self._ended_us is not None and path.is_file() else None

    @property
    def key(self) -> int:
        """The start of the run in microseconds, which identifies the run; 0 before the first run."""
        return self._begun_us or 0

    @property
    def running(self) -> bool:
        return self._begun_us is not None and self._ended_us is None

    def advance(self, limit: int = SLICE_BYTES) -> bool:
        """Read at most `limit` new bytes of the run's journals. Returns True if more bytes are available."""
        if self._begun_us is None:
            return False
        return self._observer.advance(limit, self._now_us() // 1_000_000)

    def fire(self, name: str | None) -> str | None:
        """Fire the fault, or return the reason for a refusal. Later, `state` shows the result."""
        refusal = refusal_to_fire(self._control, self.running, name)
        if refusal is None and self._control is not None:
            self._control.fire(name)
        return refusal

    def heal(self) -> str | None:
        refusal = refusal_to_heal(self._control, self.running)
        if refusal is None and self._control is not None:
            self._control.heal()
        return refusal

    def state(self, since: int = 0) -> dict[str, Any]:
        """Return the state for the page. The timeline contains only seconds whose revision is above `since`."""
        now_us = self._now_us()
        word = "none" if self._begun_us is None else "running" if self.running else "ended"
        facts: dict[str, Any] = {"key": self.key, "state": word, "now_us": now_us, "refusal": self._refusal}
        if self._begun_us is None:
            return facts
        seen, moments, until_us = self._observer, self._moments(), self._ended_us or now_us
        # The drill reports the time of the fault only after the fault is confirmed. The switchover begins before.
        is_firing = self._control is not None and self._control.state.phase == FIRING
        return facts | {
            "run": self._description(),
            "moments": asdict(moments),
            "phase": "switchover" if is_firing else moments.phase_at(until_us),
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
            "shares": seen.timeline.shares(),
            "events": seen.events(),
            "workers": self._workers,
            "control": control_facts(self._control, self.running),
            "report": self.report is not None,
            "verdict": self._summary(),
        }

    def _summary(self) -> dict[str, Any] | None:
        if self._verdict is None:
            return None
        run = self._observer.run or Run(id="", name="")
        verdict = convert(self._verdict, Verdict)
        summary = summarize(Judged(verdict, tree_of(describe_run(run))))
        return {
            "exit_code": verdict.exit_code,
            "heading": summary.heading,
            "subject": summary.subject[:TEXT_LIMIT],
            "rows": [[text[:TEXT_LIMIT] for text in row] for row in summary.rows],
            "warnings": [warning[:TEXT_LIMIT] for warning in summary.warnings[:WARNINGS]],
        }

    def _description(self) -> dict[str, Any]:
        run = self._observer.run or Run(id=self.directory.name, name="")
        fault = run.fault if run.fault and run.fault.kind != "none" else None
        return {
            "id": run.id,
            "directory": str(self.directory),
            "target": run.target.url or None,
            "fault": fault and fault.name,
            "predict_low_ms": fault and fault.predict_low_ms,
            "predict_high_ms": fault and fault.predict_high_ms,
            "error": run.fault and run.fault.error,
            "probe_rate": run.settings.probe_rate,
        }

    def _lost_ms(self, moments: Moments, until_us: int) -> float | None:
        """Return an estimate of the outage in milliseconds: the number of probes lost between fault and heal, divided
        by the probe rate.

        Return None before the fault, or if there are no probes.
        """
        run, timeline = self._observer.run, self._observer.timeline
        rate = run.settings.probe_rate if run else None
        if not rate or moments.fired_us is None or not any(timeline.probes):
            return None
        to_us = min(moments.heal_us or until_us, until_us)
        return timeline.bad_probes(moments.fired_us // 1_000_000, to_us // 1_000_000 + 1) / rate * 1000

    def _moments(self) -> Moments:
        """Return the times that the drill reports. A time that the drill does not report is read from run.json."""
        control = self._control.state if self._control else None
        plan = self._observer.run.plan if self._observer.run else None
        return Moments(
            start_us=(plan and plan.start_us) or self._begun_us,
            fired_us=(control and control.fired_us) or (plan.fired_from_us if plan else None),
            heal_us=(control and control.heal_us) or (plan.heal_from_us if plan else None),
            end_us=(plan and plan.end_us) or self._ended_us,
        )
