"""Arm, fire and heal the fault of a running drill, each step once. run.json records each step."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from switchover.drill.loads import HeldLoads
from switchover.drill.prepare import refuse_another_master
from switchover.drill.wait import DrillObserver
from switchover.faults.guard import Act, Guard
from switchover.faults.kill_stamp import narrow_kill
from switchover.faults.mechanism import PreparedFault
from switchover.faults.preflight.lock import lock_target
from switchover.faults.preflight.nodes import check_restart
from switchover.faults.preflight.survivor import require_survivor
from switchover.model.clock import Clock, boot_time_s
from switchover.model.errors import FaultError, SwitchoverError, TelemetryError
from switchover.model.outcome import LATE_SHARE
from switchover.prober import ProberProgress
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import CurrentRun, FaultRun, Run
from switchover.target.model import Target
from switchover.telemetry.collector import Collector

NO_FAULT = "none"
"""The fault name of a run without a fault."""


@dataclass(slots=True)
class FaultControl:
    """The operations that a plan may perform on the target. When `stack` closes, the fault is healed."""

    target: Target
    current: CurrentRun
    clock: Clock
    journal: Journal
    collector: Collector
    observer: DrillObserver
    stack: ExitStack
    held: HeldLoads = field(default_factory=HeldLoads)
    prepared: PreparedFault | None = None
    _guard: Guard | None = None

    @property
    def run(self) -> Run:
        return self.current.run

    @property
    def fault(self) -> FaultRun:
        assert self.run.fault is not None, "a drill sets its fault at its start"
        return self.run.fault

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
        """For each balancer: True if the balancer has the virtual address; None if the owner is unknown."""
        return self.collector.ownership.known()

    def arm(self, prepared: PreparedFault) -> None:
        """Arm the fault and start its watchdog. Raises FaultError on failure; then nothing is armed."""
        lock = self.lock_target()
        guard = self.new_guard(prepared, lock)
        self.stack.callback(self._report_watchdog_result, guard, prepared.description)
        victim = self.target.node(prepared.description.master)
        if warning := check_restart(prepared.recipe, victim, self.target.endpoint.host):
            self.run.warnings.append(warning)
            self.observer.note(warning)
        self.stack.enter_context(guard)
        guard.arm()
        self._guard, self.prepared, self.run.fault = guard, prepared, prepared.description

    def lock_target(self) -> list[int]:
        """Lock the target until this run ends. Raises FaultError if another run has the lock."""
        return self.stack.enter_context(lock_target(self.target, self.run.id))

    def new_guard(self, prepared: PreparedFault, locks: Sequence[int], event_id: str = "") -> Guard:
        return Guard(
            prepared.recipe,
            clock=self.clock,
            journal=self.journal,
            armed=prepared.armed,
            names=prepared.names,
            directory=self.current.directory,
            claim=self.target.claim,
            release=self.target.release,
            inherited=locks,
            event_id=event_id,
        )

    def disarm(self) -> None:
        """Change the run to a run without a fault. Call this method only if no fault was fired."""
        self._guard = self.prepared = None
        self.run.fault = FaultRun(name=NO_FAULT, kind="none", error=self.fault.error)

    def require_good_baseline(self, probes: ProberProgress | None) -> None:
        """Raise TelemetryError if the target gave no good response, or if a real target is unhealthy."""
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
        """Run all steps except the kill, and print the steps and commands. Raises FaultError if the fault cannot be
        fired."""
        self.dry_run_with(*self._chosen(), "nothing was fired")

    def _chosen(self) -> tuple[Guard, PreparedFault]:
        if self._guard is None or self.prepared is None:
            raise FaultError("nothing can be fired: no fault was chosen")
        return self._guard, self.prepared

    def dry_run_with(self, guard: Guard, prepared: PreparedFault, outcome: str) -> None:
        """Print the guard's steps, the commands that the guard would run for a real fault, and then `outcome`."""
        self.run.dry_run = True
        for line in (self.require_survivor(prepared), *guard.dry_run()):
            self.observer.note(line)
        self.observer.note(f"{prepared.recipe.name} dry run: {outcome}")
        self.current.save()

    def fire(self, heal_within_s: float | None = None) -> None:
        """Fire the fault once. Raises FaultError if the fault was not fired. `heal_within_s`: the seconds from the
        kill to the planned heal. None: the plan sets no time for the heal."""
        guard, prepared = self._chosen()
        checked_s = boot_time_s()
        self.require_survivor(prepared)
        firing = guard.fire(heal_within_s, checked_s)
        fault, plan = self.fault, self.run.plan
        plan.fired_from_us, plan.fired_to_us = self._moment_of(firing)
        plan.confirmed_us = firing.proved_us
        fault.error = firing.error
        self.observer.note(firing.error or f"fired {fault.name} on {fault.victim or 'the target'}")
        self.current.save()

    def require_survivor(self, prepared: PreparedFault) -> str:
        """Return one line about the node that can replace the victim. Raises FaultError if there is no evidence for
        such a node."""
        refuse_another_master(self.target, prepared, self.owners)
        if failing := self.collector.failing_sources():
            raise FaultError(
                f"{prepared.recipe.name} does not fire: an ownership source of the target file has failed, so the "
                f"move of the address would not be recorded: {'; '.join(failing)}"
            )
        return require_survivor(self.target, prepared, self.collector.ownership.states())

    def _moment_of(self, firing: Act) -> tuple[int, int]:
        """Return the earliest and latest time of the kill, narrowed by the node's time stamps in the output of the
        kill command."""
        fired_us = firing.from_us, firing.to_us
        node = self.target.node(self.fault.victim or self.fault.master)
        return (
            fired_us if node is None else narrow_kill(fired_us, firing.last_line, node, self.run.clocks, self.clock)
        )

    def heal(self) -> None:
        """Heal the fault once, as planned. If the fault has already ended, record an error in the run."""
        if self._guard is None or not self.is_on:
            return
        if self.fault.error is None:
            self.fault.error = self._guard.still_down()
        self.undo()
        self.current.save()

    def undo(self) -> None:
        """Heal the fault once, even if other parts of the drill have failed."""
        if self._guard is None or not self.is_on:
            return
        plan, fault = self.run.plan, self.fault
        healing = self._guard.heal()
        plan.heal_from_us, plan.heal_to_us = healing.from_us, healing.to_us
        plan.healed_us = healing.proved_us
        if healing.error:
            fault.error = join_errors(fault.error, healing.error)
            self.observer.note(healing.error)

    def _report_watchdog_result(self, guard: Guard, fault: FaultRun) -> None:
        if guard.watchdog_result:
            fault.error = join_errors(fault.error, guard.watchdog_result)
            self.observer.note(guard.watchdog_result)


def _what_failed(probes: ProberProgress | None) -> str:
    if probes is None or not probes.sent:
        return "none sent"
    last = f", the last failure: {probes.last_error}" if probes.last_error else ""
    late = f", {probes.late} were late" if _is_slow(probes) else ""
    return f"{probes.failed} of {probes.sent} probes failed{late}{last}"


def _is_slow(probes: ProberProgress) -> bool:
    """Return True if so many good responses to probes are late that the run is INVALID."""
    return probes.late > LATE_SHARE * (probes.good + probes.late + probes.failed)


def join_errors(first: str | None, second: str) -> str:
    """Return both errors in one line. An earlier error must not hide a failed heal."""
    return f"{first}; {second}" if first else second
