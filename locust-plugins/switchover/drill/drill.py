"""One drill of a target, with the phases baseline, switchover, on_backup, failback and recovered. The drill measures,
but does not judge."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from switchover.connections.spec import KeptOpen
from switchover.drill.fire_and_heal import NO_FAULT, FaultControl
from switchover.drill.loads import HeldLoads
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan
from switchover.drill.wait import DrillObserver, PhaseTimer
from switchover.faults.mechanism import PreparedFault
from switchover.load.load_process import NO_LOAD
from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError, SwitchoverError, SystemLimitError
from switchover.prober import Prober, ProberSpec
from switchover.process.signals import answering
from switchover.rundir.journal import Journal
from switchover.rundir.load_facts import merge_load
from switchover.rundir.run_directory import JOURNAL_FILE, PROBER_JOURNAL, PROBES_FILE, CurrentRun, FaultRun, Plan, Run
from switchover.rundir.run_records import ProbeAccount
from switchover.target.model import Target
from switchover.telemetry.access_log import AccessLogSource, access_log_name, write_access_log
from switchover.telemetry.address_list import read_routes
from switchover.telemetry.clock_offset import measure_offsets
from switchover.telemetry.collector import Collector
from switchover.telemetry.scrapers import PROBER
from switchover.verdict.restoration import SETTLED_US

LAB_RATE, TARGET_RATE = 1000.0, 100.0
"""The number of probes per second, for a lab and for a real target."""
CONNECT_S, READ_S = 0.25, 1.0
"""The time-outs of probes in seconds. Short time-outs detect a recovery soon."""
QUIET_S = 0.3
"""The pause, in seconds, between the last response and the last scrape, so that each balancer has counted all
responses."""


@dataclass
class Drill:
    """One run with one prepared fault or without a fault. The run writes one run directory."""

    target: Target
    prepared: PreparedFault | None
    plan: DrillPlan
    observer: DrillObserver
    settings: DrillSettings
    kept: tuple[KeptOpen, ...] = ()
    _is_loaded: bool = False

    def __post_init__(self) -> None:
        settings, endpoint = self.settings, self.target.endpoint
        usual_rate = LAB_RATE if self.target.lab else TARGET_RATE
        self._probe_rate = usual_rate if settings.probe_rate is None else settings.probe_rate
        connect_s, read_s = settings.timeout_s or (endpoint.timeout_connect_s, endpoint.timeout_read_s)
        self._connect_s, self._read_s = connect_s or CONNECT_S, read_s or READ_S
        self._clock = Clock.of_process()
        self._stopped = threading.Event()

    @property
    def interrupted(self) -> bool:
        return self._stopped.is_set()

    def run(self, current: CurrentRun) -> None:
        """Measure, and record the results in the run. run.json is saved even if the measurement fails."""
        run = current.run
        run.settings |= self._facts()
        run.truncated = list(self.plan.truncated)
        run.fault = self.prepared.description if self.prepared else FaultRun(name=NO_FAULT, kind="none")
        with current.saved():
            try:
                # A signal ends the run early. The drill then still heals, writes and judges.
                with answering(dict.fromkeys(self.plan.ending, lambda _number, _frame: self._stopped.set())):
                    self._source(current)
            except SwitchoverError as error:
                run.record_error(str(error))
                self.observer.note(str(error))
            except BaseException as error:
                reason = SystemLimitError.of(error) or f"{type(error).__name__}: {error}"
                run.record_error(f"the drill failed: {reason}")
                raise
            finally:
                if self.interrupted:
                    run.record_stop("interrupted before the end of the plan")
                run.truncated = list(self.plan.truncated)
                if self._is_loaded:
                    merge_load(run, current.directory)

    def _source(self, current: CurrentRun) -> None:
        """Run the measurement. Read clocks, routes and access logs before the first and after the last probe."""
        logs = [AccessLogSource(node, self._clock) for node in self.target.nodes if node.access_log]
        for log in logs:
            log.start()
        current.run.clocks += measure_offsets(self.target, self._clock, when="before")
        routes = read_routes(self.target) if self.prepared is not None else {}
        try:
            with ExitStack() as stack:
                self._measure(current, stack)
        finally:
            current.run.clocks += measure_offsets(self.target, self._clock, when="after")
            if routes:
                after = read_routes(self.target)
                current.run.routes = {node: {"before": routes[node], "after": after.get(node)} for node in routes}
            for log in logs:
                _keep_access_log(log, current)

    def _measure(self, current: CurrentRun, stack: ExitStack) -> None:
        run = current.run
        journal = Journal(current.directory / JOURNAL_FILE, {"run": run.id})
        run.parts.append(JOURNAL_FILE)
        stack.callback(lambda: run.add_seals(journal.seals))
        stack.callback(journal.close)
        collector = Collector(self.target, journal, self._clock, interval_s=self.settings.scrape_s)
        stack.callback(collector.stop)
        collector.start()
        collector.scrape_now()
        control = FaultControl(self.target, current, self._clock, journal, collector, self.observer, stack)
        if self.prepared is not None:
            control.arm(self.prepared)
        run.plan.start_us = self._clock.now_us()
        journal.event("start", run.name, time_ns=run.plan.start_us * 1000)
        prober = self._start_prober(current)
        try:
            collector.watch("drill", os.getpid())
            if prober is not None:
                collector.watch(PROBER, prober.pid)
            self._start_load(current.directory, collector)
            timer = PhaseTimer(self._stopped, prober, collector, self.observer, self.plan.load, control.beat)
            with HeldLoads.run_alongside(self.kept, self.settings, control, timer) as control.held:
                self.plan.run(control, timer)
        finally:
            if control.is_on:
                # Heal the fault at once. The time after the heal is not measured.
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
        """After a heal at the end of the run, scrape until each balancer answers or until its start-up time is
        over."""
        if plan.healed_us is None or plan.end_us is None or plan.end_us >= plan.healed_us + SETTLED_US:
            return
        is_last = False
        while collector.is_balancer_lost and not is_last:
            is_last = self._clock.now_us() >= plan.healed_us + SETTLED_US
            collector.scrape_now()
            time.sleep(0 if is_last else QUIET_S)

    def _start_prober(self, current: CurrentRun) -> Prober | None:
        if not self._probe_rate:
            return None
        spec = ProberSpec(
            endpoint=self.target.endpoint,
            identity=self.target.identity,
            rate=self._probe_rate,
            kept_rate=self.settings.kept_rate,
            timeout_connect_s=self._connect_s,
            timeout_read_s=self._read_s,
            late_s=self.settings.late_s,
            probes=current.directory / PROBES_FILE,
            journal=current.directory / PROBER_JOURNAL,
            run=current.run.id,
        )
        prober = Prober(spec, self._clock)
        current.run.parts += [PROBES_FILE, PROBER_JOURNAL]
        return prober

    def _start_load(self, directory: Path, collector: Collector) -> None:
        if self.plan.load is None:
            return
        self.plan.load.start(directory, self._clock)
        self._is_loaded = True
        if self.plan.load.pid is not None:
            collector.watch(self.plan.load.generator, self.plan.load.pid)

    def _stop_load(self, run: Run) -> None:
        problem = self.plan.load.stop() if self.plan.load is not None else None
        if problem and not (run.fault and run.fault.error):
            run.record_error(problem)
            self.observer.note(problem)

    def _facts(self) -> dict[str, Any]:
        connections = {"connections": {load.kind: load.count for load in self.kept}} if self.kept else {}
        return {
            "probe_rate": self._probe_rate,
            "kept_rate": self.settings.kept_rate,
            "timeout_connect_ms": self._connect_s * 1000,
            "timeout_read_ms": self._read_s * 1000,
            "late_ms": self.settings.late_s * 1000,
            **self.plan.facts(),
            **connections,
            "generator": self.plan.load.generator if self.plan.load else NO_LOAD,
            "algorithm": self.target.endpoint.algorithm,
            "weights": dict(self.target.endpoint.weights) or None,
            "scrape_interval_ms": self.settings.scrape_s * 1000,
        }

    @contextmanager
    def writing_report(self) -> Iterator[None]:
        """Handle signals while the report is written. The first signal cancels all further drills, the second also
        ends the report."""

        def stop(number: int, _frame: FrameType | None) -> None:
            if self._stopped.is_set():
                signal.signal(number, before[signal.Signals(number)])
                signal.raise_signal(number)
            self._stopped.set()

        with answering(dict.fromkeys(self.plan.ending, stop)) as before:
            yield


def _keep_access_log(log: AccessLogSource, current: CurrentRun) -> None:
    run, count = current.run, log.finish()
    run.access_logs[log.node.name] = count.facts()
    run.warnings += [count.warning] if count.warning else []
    run.parts += [access_log_name(log.node.name)] if count.records is not None else []
    try:
        run.add_seals(write_access_log(current.directory, log.node.name, count))
    except RunDirectoryError as error:
        run.warnings.append(str(error))
