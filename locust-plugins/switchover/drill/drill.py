"""One drill of a target: baseline, switchover, on_backup, failback, recovered.

The drill fires and measures, but does not judge. Its result is a run directory, which the analysis reads.
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

from switchover.connections.spec import KeptOpen
from switchover.drill.fire_and_heal import NO_FAULT, FaultControl
from switchover.drill.loads import HeldLoads
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan
from switchover.drill.probe_settings import ProbeSettings
from switchover.drill.wait import DrillObserver, PhaseTimer
from switchover.faults.prepared_fault import PreparedFault
from switchover.load.load_process import NO_LOAD
from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError, SwitchoverError, SystemLimitError
from switchover.prober import Prober
from switchover.process.signals import answering
from switchover.rundir.current_run import CurrentRun
from switchover.rundir.journal import Journal
from switchover.rundir.load_facts import merge_load
from switchover.rundir.run_directory import (
    JOURNAL_FILE,
    PROBER_JOURNAL,
    PROBES_FILE,
    FaultRun,
    Plan,
    Run,
)
from switchover.rundir.run_records import ProbeAccount
from switchover.target.model import Target
from switchover.telemetry.access_log import AccessLogSource, access_log_name, write_access_log
from switchover.telemetry.address_list import read_routes
from switchover.telemetry.clock_offset import measure_offsets
from switchover.telemetry.collector import Collector
from switchover.telemetry.scrapers import PROBER
from switchover.verdict.restoration import SETTLED_US

NOTHING_CHOSEN = DrillSettings()
QUIET_S = 0.3
"""The pause, in seconds, between the last response and the last scrape. After this pause, the balancers have counted
all responses."""


class Drill:
    """One run with one prepared fault or without a fault. Its data is in one run directory."""

    def __init__(
        self,
        target: Target,
        prepared: PreparedFault | None,
        probing: ProbeSettings,
        plan: DrillPlan,
        *,
        observer: DrillObserver,
        settings: DrillSettings = NOTHING_CHOSEN,
        kept: tuple[KeptOpen, ...] = (),
    ) -> None:
        """`kept`: the held connections that run alongside the plan."""
        self._target = target
        self._prepared = prepared
        self._probing = probing
        self._plan = plan
        self._observer = observer
        self._load = plan.load
        self._is_loaded = False
        """True: the load was started."""
        self._settings = settings
        self._kept = kept
        self._clock = Clock.of_process()
        self._stopped = threading.Event()

    @property
    def interrupted(self) -> bool:
        return self._stopped.is_set()

    def run(self, current: CurrentRun) -> None:
        """Measure, and record the results in the run. run.json is saved before, during and after the measurement,
        even if the measurement fails."""
        run = current.run
        run.settings |= self._facts()
        run.truncated = list(self._plan.truncated)
        run.fault = self._prepared.description if self._prepared else FaultRun(name=NO_FAULT, kind="none")
        with current.saved():
            try:
                # A signal ends the run early. The drill then still heals, writes and judges.
                with answering(dict.fromkeys(self._plan.ending, lambda _number, _frame: self._stopped.set())):
                    self._source(current)
            except SwitchoverError as error:
                run.record_error(str(error))
                self._observer.note(str(error))
            except BaseException as error:
                reason = SystemLimitError.of(error) or f"{type(error).__name__}: {error}"
                run.record_error(f"the drill failed: {reason}")
                raise
            finally:
                if self.interrupted:
                    run.record_stop("interrupted before the end of the plan")
                run.truncated = list(self._plan.truncated)
                if self._is_loaded:
                    merge_load(run, current.directory)

    def _source(self, current: CurrentRun) -> None:
        """Run the measurement. Read clocks, routes and access logs before the first probe and after the last
        probe."""
        logs = [AccessLogSource(node, self._clock) for node in self._target.nodes if node.access_log]
        for log in logs:
            log.start()
        current.run.clocks += measure_offsets(self._target, self._clock, when="before")
        routes = read_routes(self._target) if self._prepared is not None else {}
        try:
            with ExitStack() as stack:
                self._measure(current, stack)
        finally:
            current.run.clocks += measure_offsets(self._target, self._clock, when="after")
            if routes:
                after = read_routes(self._target)
                current.run.routes = {node: {"before": routes[node], "after": after.get(node)} for node in routes}
            for log in logs:
                _keep_access_log(log, current)

    def _measure(self, current: CurrentRun, stack: ExitStack) -> None:
        run = current.run
        journal = Journal(current.directory / JOURNAL_FILE, {"run": run.id})
        run.parts.append(JOURNAL_FILE)
        stack.callback(_close_journal, journal, run)
        collector = Collector(self._target, journal, self._clock, interval_s=self._settings.scrape_s)
        stack.callback(collector.stop)
        collector.start()
        collector.scrape_now()
        control = FaultControl(
            self._target,
            current,
            clock=self._clock,
            journal=journal,
            collector=collector,
            observer=self._observer,
            stack=stack,
        )
        if self._prepared is not None:
            control.arm(self._prepared)
        run.plan.start_us = self._clock.now_us()
        journal.event("start", run.name, time_ns=run.plan.start_us * 1000)
        prober = self._start_prober(current)
        try:
            collector.watch("drill", os.getpid())
            if prober is not None:
                collector.watch(PROBER, prober.pid)
            self._start_load(current.directory, collector)
            timer = PhaseTimer(self._stopped, prober, collector, self._observer, self._load, beat=control.beat)
            with HeldLoads.run_alongside(self._kept, self._settings, control, timer) as control.held:
                self._plan.run(control, timer)
        finally:
            if control.is_on:
                # The fault is healed at once. The time after the heal is not measured.
                run.plan.end_us = self._clock.now_us()
                control.undo()
            self._stop_load(run)
            run.plan.end_us = run.plan.end_us or self._clock.now_us()
            if prober is not None:
                run.generator = ProbeAccount.of(run.take_seals(prober.stop()))
            journal.event("end", run.name, time_ns=run.plan.end_us * 1000)
            time.sleep(QUIET_S)
            collector.scrape_now()
            self._await_answers(run.plan, collector)
            run.warnings += [text for text in (journal.warning, run.generator.warning) if text]

    def _await_answers(self, plan: Plan, collector: Collector) -> None:
        """After a heal at the end of the run, scrape until each balancer answers or has had the time to start.

        If a balancer still does not answer, it is not healed, even if the proof of the heal succeeded.
        """
        if plan.healed_us is None or plan.end_us is None:
            return
        started_us = plan.healed_us + SETTLED_US
        if plan.end_us >= started_us:
            return
        while collector.is_balancer_lost:
            is_last = self._clock.now_us() >= started_us
            collector.scrape_now()
            if is_last:
                return
            time.sleep(QUIET_S)

    def _start_prober(self, current: CurrentRun) -> Prober | None:
        if not self._probing.rate:
            return None
        prober = Prober.start(self._probing.spec(self._target, current.directory, current.run), self._clock)
        current.run.parts += [PROBES_FILE, PROBER_JOURNAL]
        return prober

    def _start_load(self, directory: Path, collector: Collector) -> None:
        if self._load is None:
            return
        self._load.start(directory, self._clock)
        self._is_loaded = True
        if self._load.pid is not None:
            collector.watch(self._load.generator, self._load.pid)

    def _stop_load(self, run: Run) -> None:
        problem = self._load.stop() if self._load is not None else None
        if problem and not (run.fault and run.fault.error):
            run.record_error(problem)
            self._observer.note(problem)

    def _facts(self) -> dict[str, Any]:
        return (
            self._probing.facts()
            | self._plan.facts()
            | ({"connections": {load.kind: load.count for load in self._kept}} if self._kept else {})
            | {
                "generator": self._load.generator if self._load else NO_LOAD,
                "algorithm": self._target.endpoint.algorithm,
                "weights": dict(self._target.endpoint.weights) or None,
                "scrape_interval_ms": self._settings.scrape_s * 1000,
            }
        )

    @contextmanager
    def writing_report(self) -> Iterator[None]:
        """Handle signals while the report is written. The first signal cancels all further drills. The second signal
        also ends the report."""

        def stop(number: int, _frame: FrameType | None) -> None:
            if self._stopped.is_set():
                signal.signal(number, before[signal.Signals(number)])
                signal.raise_signal(number)
            self._stopped.set()

        with answering(dict.fromkeys(self._plan.ending, stop)) as before:
            yield


def _close_journal(journal: Journal, run: Run) -> None:
    journal.close()
    run.add_seals(journal.seals)


def _keep_access_log(log: AccessLogSource, current: CurrentRun) -> None:
    run, count = current.run, log.finish()
    run.access_logs[log.node.name] = count.facts()
    run.warnings += [count.warning] if count.warning else []
    run.parts += [access_log_name(log.node.name)] if count.records is not None else []
    try:
        run.add_seals(write_access_log(current.directory, log.node.name, count))
    except RunDirectoryError as error:
        run.warnings.append(str(error))
