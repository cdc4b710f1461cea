"""One drill: baseline, switchover, degraded, failback, recovered, against whatever a target file describes.

The drill fires and watches; it judges nothing. What it leaves is a run directory that the analysis reads.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from switchover.clock import Clock
from switchover.errors import RunDirectoryError, SwitchoverError, TelemetryError
from switchover.facts import target_facts
from switchover.faults.guard import Guard
from switchover.journal import Journal
from switchover.metronome import Metronome, MetronomeProgress
from switchover.probing import METRONOME_JOURNAL, ProbeSettings
from switchover.redaction import public_url
from switchover.rundir import PROBES_FILE, FaultRun, Run, write_run
from switchover.staging import StagedFault, refuse_another_master
from switchover.target import Target
from switchover.telemetry.access_log import AccessLogWitness, access_log_name, write_access_log
from switchover.telemetry.clocks import measure_offsets
from switchover.telemetry.collector import Collector
from switchover.timing import Timing
from switchover.waiting import Waiting, Watch

JOURNAL_FILE = "journal.lp"
QUIET_S = 0.3
"""Between the last answer and the last scrape, so that the balancers have counted what they sent."""


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
        self.unsaved: str | None = None
        """Why run.json does not say what was run, if it does not."""

    @property
    def interrupted(self) -> bool:
        return self._stopped.is_set()

    def run(self, directory: Path, run: Run) -> None:
        """Measure. `run` is filled in, and saved before, in the middle and at the end, also when it fails."""
        run.target = target_facts(self._target)
        run.settings |= self._settings()
        run.truncated = list(self._timing.truncated)
        run.fault = fault = self._staged.description if self._staged else FaultRun(name="none", kind="none")
        write_run(directory, run)
        try:
            with self._until_signal():
                self._witness(directory, run, fault)
        except SwitchoverError as error:
            fault.error = fault.error or str(error)
            self._watch.note(str(error))
        except BaseException as error:
            fault.error = fault.error or f"the drill broke off: {type(error).__name__}: {error}"
            raise
        finally:
            if self.interrupted:
                fault.error = fault.error or "interrupted before the plan was done"
            self._save(directory, run)

    def _save(self, directory: Path, run: Run) -> None:
        """A disk that is full now must not end a run whose fault is fired; it may have room at the next time."""
        try:
            write_run(directory, run)
        except RunDirectoryError as error:
            self.unsaved = str(error)
            self._watch.note(self.unsaved)
        else:
            self.unsaved = None

    def _witness(self, directory: Path, run: Run, fault: FaultRun) -> None:
        """Everything that is asked before the first probe and after the last one."""
        logs = [AccessLogWitness(node, self._clock) for node in self._target.nodes if node.access_log]
        for log in logs:
            log.start()
        run.clocks += measure_offsets(self._target, self._clock, when="before")
        try:
            with ExitStack() as stack:
                self._measure(directory, run, fault, stack)
        finally:
            run.clocks += measure_offsets(self._target, self._clock, when="after")
            for log in logs:
                self._keep_access_log(log, directory, run)

    def _keep_access_log(self, log: AccessLogWitness, directory: Path, run: Run) -> None:
        count = log.finish()
        run.access_logs[log.node.name] = count.facts()
        run.warnings += [count.warning] if count.warning else []
        run.parts += [access_log_name(log.node.name)] if count.records is not None else []
        try:
            write_access_log(directory, log.node.name, count)
        except RunDirectoryError as error:
            run.warnings.append(str(error))

    def _measure(self, directory: Path, run: Run, fault: FaultRun, stack: ExitStack) -> None:
        journal = Journal(directory / JOURNAL_FILE, {"run": run.id})
        run.parts.append(JOURNAL_FILE)
        stack.callback(journal.close)
        collector = Collector(self._target, journal, self._clock, interval_s=self._scrape_interval_s)
        stack.callback(collector.stop)
        collector.start()
        collector.scrape_now()
        guard = self._guard(fault, directory, journal, stack)
        run.plan.start_us = self._clock.now_us()
        journal.event("start", run.name, time_ns=run.plan.start_us * 1000)
        metronome = Metronome.start(self._probing.spec(self._target, directory, run), self._clock)
        run.parts += [PROBES_FILE, METRONOME_JOURNAL]
        try:
            collector.watch("metronome", metronome.pid)
            collector.watch("drill", os.getpid())
            waiting = Waiting(self._stopped, metronome, collector, self._watch)
            self._phases(waiting, guard, collector, directory, run)
        finally:
            self._heal(guard, run)
            run.plan.end_us = self._clock.now_us()
            run.generator = metronome.stop()
            journal.event("end", run.name, time_ns=run.plan.end_us * 1000)
            time.sleep(QUIET_S)
            collector.scrape_now()
            run.warnings += [text for text in (journal.warning, run.generator.get("warning")) if text]

    def _phases(
        self,
        waiting: Waiting,
        guard: Guard | None,
        collector: Collector,
        directory: Path,
        run: Run,
    ) -> None:
        waiting.phase("baseline", self._timing.baseline_s)
        probes = waiting.first_answers()
        if not self.interrupted:
            self._refuse_a_sick_baseline(probes)
        if guard is None or self._staged is None:
            return
        waiting.phase("random phase", self._kill_delay_s)
        if self.interrupted:
            return
        fault = self._staged.description
        refuse_another_master(self._target, self._staged, collector.owners())
        self._fire(guard, fault, run)
        self._save(directory, run)
        if fault.error is None:
            waiting.phase("switchover", self._timing.hold_s)
            fault.error = None if self.interrupted else guard.still_down()
        self._heal(guard, run)
        self._save(directory, run)
        if fault.error is None:
            waiting.phase("failback", self._timing.recover_s)

    def _refuse_a_sick_baseline(self, probes: MetronomeProgress | None) -> None:
        """Nobody fires at a real target that is not well; in the lab the report says that it was not."""
        if probes is None or probes.good + probes.late == 0:
            what = "gave no good answer"
        elif probes.failed and self._staged is not None and self._target.lab is None:
            what = "was not well"
        else:
            return
        sent = probes and f"{probes.failed} of {probes.sent} probes failed, the last: {probes.last_error}"
        raise TelemetryError(
            f"{public_url(self._target.endpoint.url)} {what} in the baseline ({sent or 'none sent'}): "
            "nothing was fired; try 'switchover doctor --target FILE'"
        )

    def _fire(self, guard: Guard, fault: FaultRun, run: Run) -> None:
        firing = guard.fire()
        run.plan.fired_from_us, run.plan.fired_to_us = firing.from_us, firing.to_us
        run.plan.confirmed_us = firing.confirmed_us
        fault.error = firing.error
        self._watch.note(firing.error or f"fired {fault.name} on {fault.victim or 'the target'}")

    def _heal(self, guard: Guard | None, run: Run) -> None:
        """Once, and only what was fired."""
        fault = run.fault
        if guard is None or fault is None or run.plan.fired_from_us is None or run.plan.heal_from_us is not None:
            return
        healing = guard.heal()
        run.plan.heal_from_us, run.plan.heal_to_us = healing.from_us, healing.to_us
        run.plan.healed_us = healing.healed_us
        if healing.error:
            fault.error = _joined(fault.error, healing.error)
            self._watch.note(healing.error)

    def _guard(self, fault: FaultRun, directory: Path, journal: Journal, stack: ExitStack) -> Guard | None:
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
        stack.callback(self._say_mended, guard, fault)
        stack.enter_context(guard)
        guard.arm()
        return guard

    def _say_mended(self, guard: Guard, fault: FaultRun) -> None:
        """When the guard has closed: what it could not heal itself, its watchdog may have."""
        if guard.mended:
            fault.error = _joined(fault.error, guard.mended)
            self._watch.note(guard.mended)

    def _settings(self) -> dict[str, Any]:
        return self._probing.facts() | {
            "generator": "none",
            "algorithm": self._target.endpoint.algorithm,
            "weights": dict(self._target.endpoint.weights) or None,
            "scrape_interval_ms": self._scrape_interval_s * 1000,
            "baseline_s": self._timing.baseline_s,
            "hold_s": self._timing.hold_s,
            "recover_s": self._timing.recover_s,
            "kill_delay_s": self._kill_delay_s,
        }

    @contextmanager
    def _until_signal(self) -> Iterator[None]:
        """SIGINT, SIGTERM and SIGHUP end the run early but in order: heal, write, judge."""

        def stop(_number: int, _frame: FrameType | None) -> None:
            self._stopped.set()

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _joined(first: str | None, second: str) -> str:
    """What went wrong first, and then: a failed heal must be read whatever came before it."""
    return f"{first}; {second}" if first else second
