"""One drill: baseline, switchover, degraded, failback, recovered, against whatever a target file describes.

The drill fires and watches; it judges nothing. What it leaves is a run directory that the analysis reads.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from switchover.clock import Clock
from switchover.errors import FaultError, SwitchoverError, TelemetryError
from switchover.faults.guard import Guard
from switchover.journal import Journal
from switchover.metronome import Metronome, MetronomeProgress, MetronomeSpec
from switchover.rundir import PROBES_FILE, FaultRun, Run, write_run
from switchover.staging import StagedFault
from switchover.target import Target
from switchover.telemetry.access_log import AccessLogWitness, write_access_log
from switchover.telemetry.clocks import measure_offsets
from switchover.telemetry.collector import Collector
from switchover.timing import Timing

TICK_S = 0.1
"""How often a waiting drill looks whether anything has happened."""

QUIET_S = 0.3
"""Between the last answer and the last scrape, so that the balancers have counted what they sent."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """How the metronome probes; times in seconds, rates per second."""

    rate: float
    kept_rate: float
    timeout_connect_s: float
    timeout_read_s: float
    late_s: float


class Watch(Protocol):
    """Who looks on while a drill runs."""

    def phase(self, name: str, seconds: float) -> None: ...

    def tick(self, left_s: float, probes: MetronomeProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None: ...


class Drill:
    """One run of one staged fault (or of none, a plain measurement) into one run directory."""

    def __init__(
        self,
        target: Target,
        staged: StagedFault | None,
        probing: ProbeSettings,
        timing: Timing,
        *,
        watch: Watch,
        kill_delay_s: float = 0.0,
        scrape_interval_s: float = 1.0,
    ) -> None:
        self._target = target
        self._staged = staged
        self._probing = probing
        self._timing = timing
        self._watch = watch
        self._kill_delay_s = kill_delay_s
        self._scrape_interval_s = scrape_interval_s
        self._clock = Clock.of_process()
        self._stopped = threading.Event()

    @property
    def interrupted(self) -> bool:
        return self._stopped.is_set()

    def run(self, directory: Path, run: Run) -> None:
        """Measure; `run` is filled in and written before, in the middle and at the end, also when it fails."""
        run.target = target_facts(self._target)
        run.settings |= self._settings()
        run.truncated = list(self._timing.truncated)
        run.fault = self._staged.description if self._staged else FaultRun(name="none", kind="none")
        write_run(directory, run)
        os.environ.update(self._clock.environment())
        try:
            with self._until_signal():
                self._measure(directory, run)
        except SwitchoverError as error:
            run.fault.error = run.fault.error or str(error)
            run.warnings.append(str(error))
            self._watch.note(str(error))
        finally:
            if self.interrupted:
                run.warnings.append("interrupted: the run ended before its plan did")
                run.fault.error = run.fault.error or "interrupted before the plan was done"
            write_run(directory, run)

    def _measure(self, directory: Path, run: Run) -> None:
        plan = run.plan
        witnesses = [AccessLogWitness(node) for node in self._target.nodes if node.access_log]
        for witness in witnesses:
            witness.start()
        run.clocks += measure_offsets(self._target, self._clock, when="before")
        with ExitStack() as stack:
            journal = Journal(directory / "journal.lp", {"run": run.id})
            stack.callback(journal.close)
            collector = Collector(self._target, journal, self._clock, interval_s=self._scrape_interval_s)
            stack.callback(collector.stop)
            collector.start()
            collector.scrape_now()
            guard = self._guard(directory, journal, stack)
            plan.start_us = self._clock.now_us()
            journal.event("start", run.name, time_ns=plan.start_us * 1000)
            try:
                with Metronome.start(self._metronome_spec(directory, run)) as metronome:
                    self._phases(metronome, collector, guard, journal, run, directory)
                    run.generator = metronome.stop()
            finally:
                self._heal_now(guard, run)
                plan.end_us = plan.end_us or self._clock.now_us()
                journal.event("end", run.name, time_ns=plan.end_us * 1000)
            time.sleep(QUIET_S)
            collector.scrape_now()
            collector.stop()
            if journal.warning:
                run.warnings.append(journal.warning)
        if run.generator.get("warning"):
            run.warnings.append(str(run.generator["warning"]))
        run.clocks += measure_offsets(self._target, self._clock, when="after")
        for witness in witnesses:
            count = witness.finish()
            if count.warning:
                run.warnings.append(count.warning)
            else:
                write_access_log(directory, witness.node.name, count)

    def _phases(
        self,
        metronome: Metronome,
        collector: Collector,
        guard: Guard | None,
        journal: Journal,
        run: Run,
        directory: Path,
    ) -> None:
        wait = Waiting(self._stopped, metronome, collector, self._watch)
        wait.phase("baseline", self._timing.baseline_s)
        answered = metronome.progress()
        if not self.interrupted and answered is not None and answered.good == 0:
            raise TelemetryError(
                f"{self._target.endpoint.url} gave no good answer in the baseline "
                f"({answered.failed} of {answered.sent} probes failed, last: {answered.last_error}): "
                "nothing was fired; try 'switchover doctor --target FILE'"
            )
        if guard is None:
            run.plan.end_us = self._clock.now_us()
            return
        wait.phase("random phase", self._kill_delay_s)
        if self.interrupted:
            return
        self._fire(guard, journal, run)
        write_run(directory, run)
        if run.fault is not None and run.fault.error is None:
            wait.phase("switchover", self._timing.hold_s)
        self._heal_now(guard, run)
        write_run(directory, run)
        if not self.interrupted and run.fault is not None and run.fault.error is None:
            wait.phase("failback", self._timing.recover_s)
        run.plan.end_us = self._clock.now_us()

    def _fire(self, guard: Guard, journal: Journal, run: Run) -> None:
        assert run.fault is not None
        firing = guard.fire()
        run.plan.fired_from_us, run.plan.fired_to_us = firing.from_us, firing.to_us
        run.plan.confirmed_us = firing.confirmed_us
        run.fault.error = firing.error
        self._watch.note(firing.error or f"fired {run.fault.name} on {run.fault.victim or 'the target'}")

    def _heal_now(self, guard: Guard | None, run: Run) -> None:
        if guard is None or run.plan.heal_from_us is not None or run.plan.fired_from_us is None:
            return
        assert run.fault is not None
        healing = guard.heal()
        run.plan.heal_from_us, run.plan.heal_to_us = healing.from_us, healing.to_us
        run.plan.healed_us = healing.healed_us
        if healing.error:
            run.fault.error = run.fault.error or healing.error
            self._watch.note(f"NOT HEALED: {healing.error}")

    def _guard(self, directory: Path, journal: Journal, stack: ExitStack) -> Guard | None:
        if self._staged is None:
            return None
        guard = Guard(
            self._staged.recipe,
            clock=self._clock,
            journal=journal,
            armed=self._staged.armed,
            names=self._staged.names,
            directory=directory,
        )
        stack.enter_context(guard)
        guard.arm()
        return guard

    def _metronome_spec(self, directory: Path, run: Run) -> MetronomeSpec:
        return MetronomeSpec(
            endpoint=self._target.endpoint,
            identity=self._target.identity,
            rate=self._probing.rate,
            kept_rate=self._probing.kept_rate,
            timeout_connect_s=self._probing.timeout_connect_s,
            timeout_read_s=self._probing.timeout_read_s,
            late_s=self._probing.late_s,
            probes=directory / PROBES_FILE,
            journal=directory / "journal-metronome.lp",
            run=run.id,
        )

    def _settings(self) -> dict[str, Any]:
        probing = self._probing
        return {
            "generator": "none",
            "probe_rate": probing.rate,
            "kept_rate": probing.kept_rate,
            "timeout_connect_ms": probing.timeout_connect_s * 1000,
            "timeout_read_ms": probing.timeout_read_s * 1000,
            "late_ms": probing.late_s * 1000,
            "scrape_interval_ms": self._scrape_interval_s * 1000,
            "baseline_s": self._timing.baseline_s,
            "hold_s": self._timing.hold_s,
            "recover_s": self._timing.recover_s,
            "kill_delay_s": self._kill_delay_s,
        }

    @contextmanager
    def _until_signal(self) -> Iterator[None]:
        """SIGINT and SIGTERM end the run early but in order: heal, write, judge."""

        def stop(_number: int, _frame: FrameType | None) -> None:
            self._stopped.set()

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Waiting:
    """Waits out the phases of a drill, shows progress, and notices when the metronome has died."""

    def __init__(self, stopped: threading.Event, metronome: Metronome, collector: Collector, watch: Watch) -> None:
        self._stopped = stopped
        self._metronome = metronome
        self._collector = collector
        self._watch = watch

    def phase(self, name: str, seconds: float) -> None:
        if seconds <= 0 or self._stopped.is_set():
            return
        self._watch.phase(name, seconds)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._metronome.died:
                raise FaultError(f"the metronome died in the {name} phase: {self._metronome.died}")
            self._watch.tick(left, self._metronome.progress(), self._collector.holders())
            if self._stopped.wait(min(TICK_S, left)):
                return


def target_facts(target: Target) -> dict[str, Any]:
    """What the analysis needs to know of the target; secrets stay out by being left out."""
    endpoint = target.endpoint
    return {
        "url": endpoint.url,
        "expect": str(endpoint.expect),
        "exclusive": endpoint.exclusive,
        "aliases": dict(target.identity.aliases),
        "nodes": [
            {
                "name": node.name,
                "role": node.role,
                "host": node.host,
                "haproxy": node.haproxy is not None,
                "nginx": node.nginx is not None,
                "vip_owner": bool(node.vip_owner),
                "access_log": node.access_log is not None,
            }
            for node in target.nodes
        ],
        "lab": target.lab is not None,
    }


def versions() -> Mapping[str, str]:
    from switchover import __version__

    return {"switchover": __version__, "python": sys.version.split()[0], "kernel": os.uname().release}
