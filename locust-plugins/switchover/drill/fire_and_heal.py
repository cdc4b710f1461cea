"""Arm, fire and heal the fault of a running drill, each once. run.json records each step."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from switchover.drill.loads import HeldLoads
from switchover.drill.prepare import refuse_another_master
from switchover.drill.wait import DrillObserver
from switchover.faults.guard import EventSink, Firing, Guard
from switchover.faults.kill_stamp import narrow_kill
from switchover.faults.preflight.lock import TargetLock
from switchover.faults.preflight.nodes import check_restart
from switchover.faults.preflight.survivor import require_survivor
from switchover.faults.prepared_fault import PreparedFault
from switchover.model.clock import Clock, boot_time_s
from switchover.model.errors import FaultError, SwitchoverError, TelemetryError
from switchover.model.outcome import LATE_SHARE
from switchover.prober import ProberProgress
from switchover.rundir.current_run import CurrentRun
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import FaultRun, Plan, Run
from switchover.target.model import Target
from switchover.telemetry.collector import Collector

NO_FAULT = "none"
"""The fault name of a run without a fault."""


class FaultControl:
    """The operations that a plan may perform on the target. When `stack` closes, a fault that is still in force is
    healed."""

    def __init__(
        self,
        target: Target,
        current: CurrentRun,
        *,
        clock: Clock,
        journal: Journal,
        collector: Collector,
        observer: DrillObserver,
        stack: ExitStack,
    ) -> None:
        self.target = target
        self._current = current
        self.clock = clock
        self.journal = journal
        self.collector = collector
        self.observer = observer
        self._stack = stack
        self.held = HeldLoads()
        self.prepared: PreparedFault | None = None
        self._guard: Guard | None = None

    @property
    def run(self) -> Run:
        return self._current.run

    @property
    def directory(self) -> Path:
        return self._current.directory

    def save(self) -> None:
        self._current.save()

    @property
    def fault(self) -> FaultRun:
        assert self.run.fault is not None, "a drill sets its fault at its start"
        return self.run.fault

    @property
    def plan(self) -> Plan:
        return self.run.plan

    @property
    def is_fired(self) -> bool:
        return self.run.plan.fired_from_us is not None

    @property
    def is_on(self) -> bool:
        """True: the fault was fired, and its heal has not begun."""
        return self.is_fired and self.run.plan.heal_from_us is None

    def fail(self, error: SwitchoverError) -> None:
        self.run.record_error(str(error))
        self.observer.note(str(error))

    @property
    def owners(self) -> Mapping[str, bool | None]:
        """For each balancer: True if the balancer has the virtual address, None if this is unknown. The running
        sources report this state."""
        return self.collector.owners()

    def arm(self, prepared: PreparedFault) -> None:
        """Arm the fault and start its watchdog. Raises FaultError on failure; then nothing is armed."""
        lock = self.lock_target()
        guard = self.new_guard(prepared, lock, self.journal)
        self._stack.callback(self._report_watchdog_result, guard, prepared.description)
        victim = next((node for node in self.target.nodes if node.name == prepared.description.master), None)
        if warning := check_restart(prepared.recipe, victim, self.target.endpoint.host):
            self.run.warnings.append(warning)
            self.observer.note(warning)
        self._stack.enter_context(guard)
        guard.arm()
        self._guard, self.prepared, self.run.fault = guard, prepared, prepared.description

    def lock_target(self) -> TargetLock:
        """Lock the target for this run until it ends. Raises FaultError if another run has the lock."""
        return self._stack.enter_context(TargetLock(self.target, self.run.id))

    def new_guard(self, prepared: PreparedFault, lock: TargetLock, journal: EventSink) -> Guard:
        return Guard(
            prepared.recipe,
            clock=self.clock,
            journal=journal,
            armed=prepared.armed,
            names=prepared.names,
            directory=self.directory,
            claim=self.target.claim,
            release=self.target.release,
            inherited=lock.descriptors,
        )

    def disarm(self) -> None:
        """Change the run to a run without a fault. No fault may have been fired."""
        self._guard = self.prepared = None
        self.run.fault = FaultRun(name=NO_FAULT, kind="none", error=self.fault.error)

    def require_good_baseline(self, probes: ProberProgress | None) -> None:
        """Raise TelemetryError if the target gave no good response, or if a real target is unhealthy.

        For an unhealthy lab, no error is raised, because the report shows this state.
        """
        if probes is None or probes.good + probes.late == 0:
            what = "gave no good answer"
        elif self.prepared is not None and self.target.lab is None and (probes.failed or _is_slow(probes)):
            what = "was not healthy"
        else:
            return
        doctor = "switchover doctor --target FILE"
        if self.target.lab is not None:  # the drill was probably started outside the lab
            doctor = f"switchover lab exec client -- {doctor}"
        raise TelemetryError(
            f"{self.target.endpoint.public_url} {what} in the baseline ({_what_failed(probes)}): "
            f"nothing was fired; try '{doctor}'"
        )

    def beat(self) -> None:
        if self._guard is not None:
            self._guard.beat()

    def dry_run(self) -> None:
        """Run all steps except the kill, and print the steps and commands. Raises FaultError like `fire`."""
        if self._guard is None or self.prepared is None:
            raise FaultError("no dry run is possible: no fault was chosen")
        self.dry_run_with(self._guard, self.prepared, "nothing was fired")

    def dry_run_with(self, guard: Guard, prepared: PreparedFault, outcome: str) -> None:
        """Print the steps of the guard, the commands that the guard would run, and then `outcome`."""
        self.run.dry_run = True
        for line in (self.require_survivor(prepared), *guard.dry_run()):
            self.observer.note(line)
        self.observer.note(f"{prepared.recipe.name} dry run: {outcome}")
        self.save()

    def fire(self, heal_within_s: float | None = None) -> None:
        """Fire the fault once. Raises FaultError if no fault was fired. `fault.error` has an error that occurs later.

        `heal_within_s`: the seconds from the kill to the planned heal. None: the plan sets no time for the heal.
        """
        if self._guard is None or self.prepared is None:
            raise FaultError("nothing can be fired: no fault was chosen")
        checked_s = boot_time_s()
        self.require_survivor(self.prepared)
        firing = self._guard.fire(heal_within_s, checked_s)
        fault, plan = self.fault, self.run.plan
        plan.fired_from_us, plan.fired_to_us = self._moment_of(firing)
        plan.confirmed_us = firing.confirmed_us
        fault.error = firing.error
        self.observer.note(firing.error or f"fired {fault.name} on {fault.victim or 'the target'}")
        self.save()

    def require_survivor(self, prepared: PreparedFault) -> str:
        """Return one line about the node that can replace the victim. Raises FaultError if no node can be proved to
        be able to replace the victim."""
        refuse_another_master(self.target, prepared, self.owners)
        failing = self.collector.failing_sources()
        if failing:
            raise FaultError(
                f"{prepared.recipe.name} does not fire: an ownership source of the target file has failed, so the "
                f"move of the address would not be recorded: {'; '.join(failing)}"
            )
        return require_survivor(self.target, prepared, self.collector.vrrp_states())

    def _moment_of(self, firing: Firing) -> tuple[int, int]:
        """Return the interval of the kill, narrowed by the node's time stamp if the kill command printed such a time
        stamp."""
        fired_us = firing.from_us, firing.to_us
        victim = self.fault.victim or self.fault.master
        node = next((node for node in self.target.nodes if node.name == victim), None)
        if node is None:
            return fired_us
        return narrow_kill(fired_us, firing.kill_output, node, self.run.clocks, self.clock)

    def heal(self) -> None:
        """Heal the fault once, as planned. If the fault has already ended, the run gets an error."""
        if self._guard is None or not self.is_on:
            return
        if self.fault.error is None:
            self.fault.error = self._guard.still_down()
        self.undo()
        self.save()

    def undo(self) -> None:
        """Heal the fault once, even if other parts of the drill have failed."""
        if self._guard is None or not self.is_on:
            return
        plan, fault = self.run.plan, self.fault
        healing = self._guard.heal()
        plan.heal_from_us, plan.heal_to_us = healing.from_us, healing.to_us
        plan.healed_us = healing.healed_us
        if healing.error:
            fault.error = join_errors(fault.error, healing.error)
            self.observer.note(healing.error)

    def _report_watchdog_result(self, guard: Guard, fault: FaultRun) -> None:
        """After the guard has closed, record the watchdog's result if it differs from the guard's result."""
        if guard.watchdog_result:
            fault.error = join_errors(fault.error, guard.watchdog_result)
            self.observer.note(guard.watchdog_result)


def _what_failed(probes: ProberProgress | None) -> str:
    if probes is None or not probes.sent:
        return "none sent"
    last = f", the last: {probes.last_error}" if probes.last_error else ""
    late = f", {probes.late} came late" if _is_slow(probes) else ""
    return f"{probes.failed} of {probes.sent} probes failed{late}{last}"


def _is_slow(probes: ProberProgress) -> bool:
    """Return True if there are so many late probes that the run is INVALID."""
    return probes.late > LATE_SHARE * (probes.good + probes.late + probes.failed)


def join_errors(first: str | None, second: str) -> str:
    """Return both errors in one line, in the order of time. An earlier error must not hide a failed heal."""
    return f"{first}; {second}" if first else second
