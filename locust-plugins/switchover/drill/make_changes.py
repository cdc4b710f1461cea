"""Many changes in one run with a load. Each change is made, proved, observed and undone."""

import random
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from switchover.drill.fire_and_heal import FaultControl, join_errors
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan
from switchover.drill.wait import TICK_S, PhaseTimer
from switchover.faults.catalogue import has_effect_until_healed
from switchover.faults.guard import Guard
from switchover.faults.mechanism import PreparedFault
from switchover.faults.watchdog import FiredFile
from switchover.load.load_process import Load
from switchover.model.clock import boot_time_s
from switchover.model.errors import FaultError
from switchover.rundir.run_directory import ChangeRun

SETTLE_S = 1.0
"""The minimum time, in seconds, from the proof of a change until its losses are reported."""
AFTER_S = 9.0
"""The seconds for which the run continues after the last change. In this time, a download (8 s) ends, and each idle
connection sends a request."""
BACK_S = 10.0
"""The longest time, in seconds, from the undo of a change that moves the address until the master has the address
again."""
SPREAD_S = 0.1
"""The largest random delay of a change, in seconds, so that changes are not synchronized with requests."""
HEAL_LATE_S = 15.0
"""If a planned undo is late by this number of seconds, the watchdog undoes the change."""


@dataclass
class ChangesPlan(DrillPlan):
    """The baseline, the changes, and the time that the connections need after the last change."""

    _settings: DrillSettings
    """The settings must have a seed."""
    _prepared: PreparedFault
    load: Load | None = None

    def facts(self) -> dict[str, Any]:
        names = ("change", "times", "every_s", "baseline_s", "retrying_client")
        return {name: getattr(self._settings, name) for name in names}

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        control.run.change = self._prepared.description
        name = self._prepared.recipe.name
        if self._prepared.recipe.heal is None:
            control.observer.note(f"{name} cannot be undone: [change.{name}] has no undo")
        series = ChangeSeries(self._settings, self._prepared, control, timer, control.lock_target())
        if not timer.phase("baseline", self._settings.baseline_s):
            return
        if timer.is_probed:
            control.require_good_baseline(timer.first_answers())
        if self._settings.dry_run:
            series.dry_run()
            return
        series.make_all()
        timer.phase("after", AFTER_S)


@dataclass(slots=True)
class ChangeSeries:
    _settings: DrillSettings
    _prepared: PreparedFault
    _control: FaultControl
    _timer: PhaseTimer
    _locks: list[int]
    _made: list[ChangeRun] = field(default_factory=list)

    def make_all(self) -> None:
        """Make the changes in sequence. Stop if a change cannot be made or undone, or if the run ends."""
        moments = random.Random(self._settings.seed or 0)
        self._control.observer.phase("changes", self._settings.times * self._settings.every_s)
        for number in range(1, self._settings.times + 1):
            if not self.make(number):
                return
            self._timer.wait("changes", moments.uniform(0, SPREAD_S))

    def dry_run(self) -> None:
        with self._control.new_guard(self._prepared, self._locks) as guard:
            guard.arm()
            self._control.dry_run_with(guard, self._prepared, "nothing was changed")

    def make(self, number: int) -> bool:
        """Make one change, wait until the change has settled, and undo the change. Return False if no further change
        may be made."""
        control, due = self._control, time.monotonic() + self._settings.every_s
        change = ChangeRun(number=number)
        guard = control.new_guard(self._prepared, self._locks, str(number))
        try:
            with guard:
                goes_on = self._make_and_undo(guard, change, due)
        finally:  # record the change, even if the prober has died
            if guard.watchdog_result:
                change.error = join_errors(change.error, guard.watchdog_result)
            self._keep()
        if change.from_us is None:
            return False
        if change.error is None:
            FiredFile(control.current.directory, self._prepared.recipe.name).remove()
        self._report(change)
        # The next change starts when the next change is due and this change has settled.
        left_s = due - time.monotonic()
        return goes_on and change.error is None and (left_s <= 0 or self._timer.wait("changes", left_s))

    def _make_and_undo(self, guard: Guard, change: ChangeRun, due: float) -> bool:
        """Make a change and undo it. Return False if no further change may be made. If the change was not made, its
        `from_us` is None."""
        control, recipe = self._control, self._prepared.recipe
        undoes = has_effect_until_healed(recipe)
        try:
            before = self._fire(guard, change)
        except FaultError as error:
            if not self._made:
                raise
            control.run.record_stop(f"after {len(self._made)} of {self._settings.times} changes: {error}")
            control.observer.note(str(error))
            return False
        try:
            goes_on = self._wait_until_settled(change, before, due - (self._settings.every_s / 2 if undoes else 0))
        finally:
            healing = guard.heal()
            if undoes:
                change.undo_from_us, change.undo_to_us = healing.from_us, healing.to_us
                change.undone_us = healing.proved_us
            change.error = change.error or healing.error
        return goes_on and (not undoes or self._wait_until_back(change, due))

    def _fire(self, guard: Guard, change: ChangeRun) -> set[str]:
        """Make the change, and save its record immediately. Return the balancer processes that had held connections
        before the change."""
        guard.arm()
        checked_s = boot_time_s()
        self._control.require_survivor(self._prepared)
        progress = self._control.held.progress()
        change.exposed = dict(progress.open)
        self._control.held.begin_change(change.number)
        firing = guard.fire(self._settings.every_s + HEAL_LATE_S, checked_s)
        change.from_us, change.to_us = firing.from_us, firing.to_us
        change.confirmed_us, change.error = firing.proved_us, firing.error
        self._made.append(change)
        self._keep()
        return set(progress.workers)

    def _wait_until_settled(self, change: ChangeRun, before: set[str], until: float) -> bool:
        """Wait until all old balancer processes have ended: at least `SETTLE_S`, and at most until the time `until`.
        Return False if the run was interrupted. Without held connections, the processes are unknown, so the wait ends
        at `until`."""
        name = f"change {change.number}"
        earliest = time.monotonic() + SETTLE_S if self._control.held.is_running else until
        while True:
            now = set(self._control.held.progress().workers)
            old = sorted(before & now) if now - before else []
            at = time.monotonic()
            if at >= earliest and (not old or at >= until):
                change.lingering = old
                if not old:
                    change.settled_us = self._control.clock.now_us()
                    self._control.held.settle_change(change.number)
                return True
            self._timer.look(name, max(0.0, until - at))
            if self._timer.interrupted:
                return False
            time.sleep(TICK_S)

    def _wait_until_back(self, change: ChangeRun, due: float) -> bool:
        """Wait until the master has the address again, and at least `SETTLE_S`. Return False if the address does not
        come back."""
        control, master = self._control, self._prepared.description.master
        began = time.monotonic()
        earliest, latest = began + SETTLE_S, max(due, began + BACK_S)
        while (is_away := control.owners.get(master or "") is False) or time.monotonic() < earliest:
            if time.monotonic() >= latest:
                break
            self._timer.look(f"undo of change {change.number}", latest - time.monotonic())
            if self._timer.interrupted:
                return False
            time.sleep(TICK_S)
        if is_away:
            change.error = (
                f"change {change.number} was undone, but {latest - began:.0f} s later the address is not back on "
                f"{master}"
            )
            return False
        change.settled_us = control.clock.now_us()
        self._control.held.settle_change(change.number)
        return True

    def _keep(self) -> None:
        self._control.run.plan.changes = [asdict(made) for made in self._made]
        self._control.current.save()

    def _report(self, change: ChangeRun) -> None:
        name, failed = f"change {change.number} of {self._settings.times}", self._control.held.progress().failed
        lost = f"{sum(failed.values()):,} lost so far" if self._control.held.is_running else "made"
        lingering = f"; old processes that still run: {len(change.lingering)}" if change.lingering else ""
        self._control.observer.note(change.error or f"{name}: {lost}{lingering}")
