"""The state of the current run for the page, computed from the traffic and the run directory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec import convert

from switchover.drill.remote import Controller
from switchover.drill.remote.parent import ControllerState
from switchover.locust.page.run_observer import TEXT_LIMIT, RunObserver
from switchover.report.documents import Judged, tree_of
from switchover.report.summary import WARNINGS, summarize
from switchover.rundir.journal_tail import SLICE_BYTES
from switchover.rundir.run_directory import PAGE_FILE
from switchover.verdict.record import Verdict
from switchover.verdict.series.series_json import describe_run

NOTES_LIMIT = 20
NO_CONTROLLER = "this process cannot fire a fault: it only records the load"
NO_FAULTS = (
    "there is nothing to fire: start Locust with --switchover-target FILE and --switchover-fault NAME (the faults "
    "of a lab can be chosen here)"
)
NOT_ARMED = "the run is not armed: start Locust with --switchover-arm (a target of the lab needs no arming)"


WORKERS_LIMIT = 200
Moments = dict[str, int | None]
"""The times of the events of a run, in microseconds. None: the event has not happened yet."""
FIRING = "fault"
"""The drill's phase in which the fault is fired, including the checks before and after the kill."""


class LiveRun:
    """The state of the current run. `begin` starts a run and `end` ends the run. This class is not thread-safe."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self.directory = Path()
        self._observer = RunObserver(self.directory)
        self._workers: list[dict[str, Any]] = []
        self._control: Controller | None = None
        self._begun_us: int | None = None
        self._ended_us: int | None = None
        self._verdict: Mapping[str, Any] | None = None
        self.refusal: str | None = None
        """The reason why the last requested load did not start."""

    def begin(self, directory: Path, control: Controller | None = None) -> None:
        """Show the run that writes into the directory. `control` can fire a fault; None: no fault can be fired."""
        self.directory = directory
        self._observer = RunObserver(directory)
        self._workers = []
        self._control = control
        self._begun_us, self._ended_us = self._now_us(), None
        self._verdict = self.refusal = None

    def add_lines(self, lines: Iterable[str]) -> None:
        """Add lines in line protocol. Lines without traffic are ignored."""
        now_s = self._now_us() // 1_000_000
        for line in lines:
            self._observer.read_line(line, now_s)

    def workers(self, workers: Sequence[dict[str, Any]]) -> None:
        self._workers = [dict(worker) for worker in workers[:WORKERS_LIMIT]]

    def end(self, verdict: Mapping[str, Any] | None = None) -> None:
        """End the run. If the verdict is not known yet, a second call can set the verdict."""
        if self._begun_us is not None:
            self._ended_us = self._ended_us or self._now_us()
            self._verdict = verdict

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
        """Fire the fault. Returns None, or the reason why the fault is not fired."""
        refusal, control = self._refusal_to_fire(), self._control
        if refusal is None and control is not None:
            offered = [control.state.fault] if control.state.fault else control.state.faults
            if (name or control.state.fault) not in offered:
                return f"choose a fault of this run: {', '.join(offered) or 'none'}"
            control.fire(name)
        return refusal

    def heal(self) -> str | None:
        refusal = self._refusal_to_heal()
        if refusal is None and self._control is not None:
            self._control.heal()
        return refusal

    def _refusal_to_fire(self) -> str | None:
        control = self._usable_control()
        if isinstance(control, str):
            return control
        if control.state.fired_us is not None:
            return f"{control.state.fault or 'a fault'} was fired already: a run fires only one fault"
        return None if control.state.armed else NOT_ARMED

    def _refusal_to_heal(self) -> str | None:
        control = self._usable_control()
        if isinstance(control, str):
            return control
        if control.state.fired_us is None:
            return "nothing was fired, so there is nothing to heal"
        return "the fault is already being healed" if control.state.heal_us is not None else None

    def _usable_control(self) -> Controller | str:
        if not self.running:
            return "no run is active: start the load first"
        if self._control is None:
            return NO_CONTROLLER
        died = self._control.died
        return f"the drill process of this run has died: {died}" if died else self._control

    def _control_facts(self) -> dict[str, Any]:
        control = self._control
        if control is None:
            return {"available": False, "refusal": NO_CONTROLLER}
        state = control.state
        available = bool(state.faults) or state.fault is not None
        return asdict(state) | {
            "available": available,
            "died": control.died,
            "notes": state.notes[-NOTES_LIMIT:],
            "refusal": self._refusal_to_fire() if available else NO_FAULTS,
            "heal_refusal": self._refusal_to_heal(),
        }

    def state(self, since: int = 0) -> dict[str, Any]:
        """Return the state for the page. The timeline contains only seconds whose revision is above `since`."""
        now_us = self._now_us()
        word = "none" if self._begun_us is None else "running" if self.running else "ended"
        facts: dict[str, Any] = {"key": self.key, "state": word, "now_us": now_us, "refusal": self.refusal}
        if self._begun_us is None:
            return facts
        seen, moments, until_us = self._observer, self._moments(), self._ended_us or now_us
        # The drill reports the fault only after its confirmation, but the switchover begins with the fault.
        is_firing = self._control is not None and self._control.state.phase == FIRING
        return facts | {
            "run": self._description(),
            "moments": moments,
            "phase": "switchover" if is_firing else _phase_at(moments, until_us),
            "totals": {"requests": seen.timeline.requests, "probes": seen.timeline.probes},
            "lost_ms": self._lost_ms(moments, until_us),
            "holders": seen.holders.now(),
            "nodes": seen.holders.nodes(seen.balancers, until_us),
            "split_brain": seen.holders.split_brain(seen.balancers, moments["start_us"] or 0, until_us),
            "revision": seen.timeline.revision,
            "timeline": list(seen.timeline.seconds(since)),
            "shares": seen.timeline.shares(),
            "events": seen.events(),
            "workers": self._workers,
            "control": self._control_facts(),
            "report": self.report is not None,
            "verdict": self._summary(),
        }

    def _summary(self) -> dict[str, Any] | None:
        if self._verdict is None:
            return None
        verdict = convert(self._verdict, Verdict)
        summary = summarize(Judged(verdict, tree_of(describe_run(self._observer.run))))
        return {
            "exit_code": verdict.exit_code,
            "heading": summary.heading,
            "subject": summary.subject[:TEXT_LIMIT],
            "rows": [[text[:TEXT_LIMIT] for text in row] for row in summary.rows],
            "warnings": [warning[:TEXT_LIMIT] for warning in summary.warnings[:WARNINGS]],
        }

    def _description(self) -> dict[str, Any]:
        run = self._observer.run
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
        """Return an estimate of the outage in ms: lost probes / probe rate. None: no fault yet, or no probes."""
        timeline, rate = self._observer.timeline, self._observer.run.settings.probe_rate
        fired_us = moments["fired_us"]
        if not rate or fired_us is None or not any(timeline.probes.values()):
            return None
        to_us = min(moments["heal_us"] or until_us, until_us)
        return timeline.bad_probes(fired_us // 1_000_000, to_us // 1_000_000 + 1) / rate * 1000

    def _moments(self) -> Moments:
        plan, control = self._observer.run.plan, self._control.state if self._control else ControllerState()
        return {
            "start_us": plan.start_us or self._begun_us,
            "fired_us": control.fired_us or plan.fired_from_us,
            "heal_us": control.heal_us or plan.heal_from_us,
            "end_us": plan.end_us or self._ended_us,
        }


def _phase_at(moments: Moments, at_us: int) -> str:
    """Return the phase of the run at the time `at_us`. If the fault was healed only at the end of the run, there is
    no failback phase."""
    fired_us, heal_us, end_us = moments["fired_us"], moments["heal_us"], moments["end_us"]
    if fired_us is None or at_us < fired_us:
        return "baseline"
    is_over = heal_us is None or (end_us is not None and heal_us >= end_us)
    return "switchover" if is_over or at_us < (heal_us or 0) else "failback"
