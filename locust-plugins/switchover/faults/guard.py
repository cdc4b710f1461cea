"""Fires a fault once, proves the fault, and always heals the fault.

From the start of the kill until the heal is proved, either this process or the watchdog can heal the fault. The
watchdog continues to run if this process is killed or stopped. If this machine shuts down, or all its processes are
killed, only a dead-man on the node can heal the fault.
"""

import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from switchover.faults.catalogue import fault_named
from switchover.faults.healer import Healer, Undo
from switchover.faults.proof import CONFIRM_S, confirm_down, is_down_twice
from switchover.faults.undo_list import FiredFile, UndoList
from switchover.model.clock import Clock, boot_time_s
from switchover.model.errors import FaultError
from switchover.process.command import (
    COMMAND_TIMEOUT_S,
    CommandResult,
    find_program_problem,
    run_command,
    run_prepared_command,
)
from switchover.process.groups import Leftovers
from switchover.target.model import FaultRecipe, fill_names

HEAL_S = 20.0
"""The seconds for which this process tries to heal the fault. After this time, only the watchdog tries to heal, for
up to 6 hours."""

KILL_PATIENCE_S = 5.0
"""If the kill command still runs after this time, it is ended as soon as the fault is proved. The proof runs every
`KILL_LOOK_S`."""

KILL_LOOK_S = 0.5

CHECKS_S = 4 * COMMAND_TIMEOUT_S
"""The maximum age of the checks when the kill starts. The pair may have changed since the checks."""


@dataclass(frozen=True, slots=True)
class Firing:
    """The time of the kill as an interval in epoch microseconds. The kill happened between `from_us` and `to_us`."""

    from_us: int
    to_us: int
    confirmed_us: int | None
    """The time at which the proof first succeeded. None: the fault is not confirmed, and `error` has the reason."""
    error: str | None = None
    kill_output: str = ""
    """The last output line of the kill command, which may contain the node's time stamp of the kill."""


@dataclass(frozen=True, slots=True)
class Healing:
    """The time of the heal as an interval in epoch microseconds."""

    from_us: int
    to_us: int
    healed_us: int | None
    """The time at which the proof of the heal succeeded. If there is no proof, the time at which the heal command
    ended. None: the fault is not healed, or no fault was fired."""
    error: str | None = None


class EventSink(Protocol):
    """The interface of the journal in which the guard records events."""

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None: ...  # noqa: A002


class Guard:
    """One fault of one run. `with Guard(…) as guard: guard.arm(); guard.fire(); …; guard.heal()`.

    The end of the block heals the fault. `fire` and `heal` may be called from different threads. A call of `heal`
    ends the wait for the proof of the fault.
    """

    def __init__(
        self,
        recipe: FaultRecipe,
        *,
        clock: Clock,
        journal: EventSink,
        armed: bool,
        names: Mapping[str, str],
        directory: Path,
        claim: Sequence[str] | None = None,
        release: Sequence[str] | None = None,
        inherited: Sequence[int] = (),
    ) -> None:
        """Prepare a guard that is not armed yet.

        `names`: the values of `{master}` and `{backup}`; empty: unknown. `directory`: the directory of the run.
        `claim` and `release`: commands that lock and unlock the nodes, so that no other machine can use the nodes.
        `inherited`: descriptors that the watchdog keeps open.
        """
        known_names = {name: value for name, value in names.items() if value}
        self._recipe = recipe.filled_in(known_names)
        self._clock = clock
        self._journal = journal
        self._armed = armed
        self._directory = directory
        self._master = known_names.get("master", "")
        self._claim_command = claim and fill_names(claim, known_names)
        self._release_command = release and fill_names(release, known_names)
        self._is_claimed = False
        self._inherited = inherited
        self._lock = threading.RLock()
        self._healing_asked = threading.Event()
        self._undo: UndoList | None = None
        self._leftovers = Leftovers()
        self._fired = False
        self._healing: Healing | None = None
        self.watchdog_result: str | None = None
        """The result of the watchdog, set by `close` if it differs from the result of `heal`."""

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def arm(self) -> None:
        """Check the recipe, start the watchdog, and claim the nodes. Raises FaultError if a step fails."""
        recipe = self._recipe
        if not self._armed:
            raise FaultError(f"{recipe.name} is not armed: add --arm to fire at a target that is not a lab")
        if recipe.verify_down is None:
            raise FaultError(
                f"{recipe.table} has no {recipe.word('verify_down')}, so nothing would prove the fault: "
                "add a command that exits with 0 while the fault is in force"
            )
        for name in ("master", "backup"):
            if recipe.mentions(f"{{{name}}}"):
                raise FaultError(f"{recipe.name} does not fire: it needs {{{name}}}, and the {name} is not known")
        self._undo = UndoList.start(self._to_undo(), self._directory, self._inherited)
        self._claim_nodes()

    def require_state_before(self) -> None:
        """Raise FaultError if a proof command reports a fault before the kill, or if a command does not exist."""
        recipe = self._recipe
        name, down, healed = recipe.name, recipe.verify_down, recipe.verify_healed
        for step, command in (("kill", recipe.kill), ("heal", recipe.heal)):
            problem = find_program_problem(command) if command else None
            if problem is not None:
                raise FaultError(f"{name} does not fire: {self._at(step, problem)}")
        proof = self._run(down or ())
        if proof.ok:
            raise FaultError(
                f"{name} does not fire: its {recipe.word('verify_down')} succeeds before the {recipe.deed}, so it "
                f"would prove nothing: {self._at('verify_down', proof)}"
            )
        if not proof.has_answered:
            raise FaultError(f"{name} does not fire: its proof does not run: {self._at('verify_down', proof)}")
        if healed is not None and not (proof := self._run(healed)).ok:
            raise FaultError(
                f"{name} does not fire: its verify_healed fails before the kill; the target is not healthy, or the "
                f"command is wrong: {self._at('verify_healed', proof)}"
            )

    def dry_run(self) -> list[str]:
        """Run all steps that precede the kill. Return lines that describe these steps, and the commands that a real
        run would run."""
        if self._undo is None:
            raise FaultError(f"{self._recipe.name} is not dry run: it is not armed")
        self.require_state_before()
        recipe = self._recipe
        proofs = f"{recipe.word('verify_down')} fails and verify_healed succeeds, as they"
        if recipe.verify_healed is None:
            proofs = f"{recipe.word('verify_down')} fails, as it"
        lines = [f"{recipe.name}: {proofs} must before the {recipe.deed}"]
        if recipe.deadman is not None and recipe.disarm is not None:
            self._arm_deadman()
            self._disarm_deadman()
            lines.append(f"{recipe.name}: the dead-man was armed and disarmed again")
        elif recipe.deadman is not None:
            lines.append(f"{recipe.name}: the dead-man was not armed, because there is no `disarm` command")
        commands_of_recipe = [(key, command) for key, command in recipe.commands.items() if key != "ready"]
        commands = ("claim", self._claim_command), *commands_of_recipe, ("release", self._release_command)
        return lines + [f"{recipe.word(key):<13} {shlex.join(command)}" for key, command in commands if command]

    def fire(self, heal_within_s: float | None = None, checked_s: float | None = None) -> Firing:
        """Check the proofs, arm the dead-man, run the kill, and prove the fault.

        `heal_within_s`: the longest time until the caller starts the heal. `checked_s`: the time at which the earlier
        checks started, as `boot_time_s` returns it. Raises FaultError if no fault was fired. If the result has an
        `error`, the fault was fired but is not confirmed.
        """
        with self._lock:
            undo = self._undo
            if undo is None:
                raise FaultError(f"{self._recipe.name} does not fire: it is not armed")
            fired_file = FiredFile(self._directory, self._recipe.name)
            fired_file.require_absent()
            began_s = boot_time_s() if checked_s is None else checked_s
            self.require_state_before()
            self._arm_deadman()
            try:
                self._require_fresh_checks(began_s)
                fired_file.create()
                undo.firing()
            except FaultError:
                self._disarm_deadman()
                raise
            if heal_within_s is not None:
                undo.send(f"within {heal_within_s:.3f}")
            self._fired = True
            from_us = self._clock.now_us()

            def stand_by() -> bool:
                """Report to the watchdog that this process is alive. True: `heal` was called."""
                undo.beat(heal_within_s)
                return False

            def prepare(group: int) -> None:
                nonlocal from_us
                undo.send(f"group {group}")
                self._leftovers.belong_to(group)
                from_us = self._clock.now_us()

            killed = self._kill(prepare, stand_by)
            to_us = self._clock.now_us()
            undo.send("fired")
            firing = replace(self._prove(killed, from_us, to_us, stand_by), kill_output=killed.last_line)
            if heal_within_s is not None:
                undo.send(f"within {heal_within_s:.3f}")
            self._event("fault", firing.error or f"{self._recipe.name}: confirmed", from_us)
            return firing

    def _kill(self, prepare: Callable[[int], None], stand_by: Callable[[], bool]) -> CommandResult:
        """Run the kill command until it ends, or until the fault is proved while the command still runs."""
        held_until_s = time.monotonic() + KILL_PATIENCE_S
        down = self._recipe.verify_down or ()

        def is_done() -> bool:
            nonlocal held_until_s
            stand_by()
            if time.monotonic() < held_until_s:
                return False
            held_until_s = time.monotonic() + KILL_LOOK_S
            return is_down_twice(down, self._recipe.variables, stand_by)

        return run_prepared_command(self._recipe.kill, prepare, self._recipe.variables, stop_early=is_done)

    def still_down(self) -> str | None:
        """Return a reason if the fault is no longer in force, for example because a supervisor or a dead-man has
        undone the fault. None: the fault is in force."""
        with self._lock:
            if not self._fired or self._healing is not None or self._recipe.heal is None:
                return None
            recipe = self._recipe
            # Report to the watchdog during this proof. Otherwise the watchdog would report that the runner hangs.
            going_on = self._go_on_healing
            proof = run_command(recipe.verify_down or (), CONFIRM_S, variables=recipe.variables, stop_early=going_on)
            if proof.ok:
                return None
            what = "it was up again before the heal (by a supervisor or a dead-man?), or its proof did not run"
            return f"{recipe.name}: {what}: {self._at('verify_down', proof)}"

    def beat(self) -> None:
        self._leftovers.look()
        if self._undo is not None:
            self._undo.beat()

    def heal(self) -> Healing:
        """Heal the fault, and prove the heal. A failed heal is repeated. Does nothing if no fault is in force."""
        self._healing_asked.set()
        with self._lock:
            if not self._fired:
                now = self._clock.now_us()
                return Healing(now, now, None)
            if self._healing is None or self._healing.error:
                self._go_on_healing()
                self._healing = self._heal_and_prove()
                text = self._healing.error or f"{self._recipe.name}: healed"
                self._event("warning" if self._healing.error else "heal", text, self._healing.from_us)
            return self._healing

    def close(self) -> None:
        """Heal a fault that is still in force, and end the watchdog. If the heal fails, wait for the watchdog's
        heal."""
        try:
            if self._fired and self._healing is None:
                self.heal()
            if not self._fired or (self._healing is not None and self._healing.error is None):
                self._release_nodes()
        finally:
            undo, self._undo = self._undo, None
            if undo is not None and self._healing is not None:
                self._compare_with_watchdog(undo, is_well=undo.close(), was_healed=self._healing.error is None)
            elif undo is not None:
                undo.close()

    def _claim_nodes(self) -> None:
        if self._claim_command is None or self._undo is None:
            return
        self._undo.send("claimed")
        result = self._run(self._claim_command)
        if not result.ok:
            self._undo.send("released")
            raise FaultError(
                f"{self._recipe.name} does not fire: the nodes cannot be claimed: [target] claim: {result}"
            )
        self._is_claimed = True

    def _release_nodes(self) -> None:
        if not self._is_claimed or self._release_command is None:
            return
        self._is_claimed = False
        result = self._run(self._release_command)
        if not result.ok:
            self._event("warning", f"the nodes are not released: [target] release: {result}", self._clock.now_us())
        if self._undo is not None:
            self._undo.send("released")

    def _arm_deadman(self) -> None:
        """Arm the dead-man if the fault has a dead-man. Raises FaultError on failure, so that no fault is fired."""
        recipe = self._recipe
        if recipe.deadman is not None and not (result := self._run(recipe.deadman)).ok:
            answer = self._at("deadman", result)
            raise FaultError(f"{recipe.name} does not fire: its dead-man could not be armed: {answer}")

    def _disarm_deadman(self) -> None:
        recipe = self._recipe
        if recipe.deadman is not None and recipe.disarm is not None and not (result := self._run(recipe.disarm)).ok:
            raise FaultError(self._not_disarmed(result))

    def _not_disarmed(self, result: CommandResult) -> str:
        answer = self._at("disarm", result)
        return f"the dead-man of {self._recipe.name} is not disarmed and will heal the node later: {answer}"

    def _require_fresh_checks(self, began_s: float) -> None:
        """Raise FaultError if the checks are too old, for example after a suspension of this machine."""
        past_s = boot_time_s() - began_s
        if past_s > CHECKS_S:
            raise FaultError(
                f"{self._recipe.name} does not fire: its checks began {past_s:.0f} s ago, and may be out of date; "
                "was this process or its machine suspended? Run it again"
            )

    def _prove(self, killed: CommandResult, from_us: int, to_us: int, stand_by: Callable[[], bool]) -> Firing:
        """Prove the fault by the state of the target. The exit status of the kill command proves nothing, because a
        node that goes down also ends the ssh connection."""
        name = self._recipe.name
        if not killed.was_started:
            return Firing(from_us, to_us, None, f"{name} was not fired: {self._at('kill', killed)}")
        recipe = self._recipe
        down = recipe.verify_down or ()
        confirmation = confirm_down(down, self._healing_asked, recipe.variables, stand_by)
        if confirmation.at_ns is not None:
            contradiction = self._contradicting_proof(stand_by)
            confirmed_us = (confirmation.at_ns + self._clock.anchor_ns) // 1000
            return Firing(from_us, to_us, None if contradiction else confirmed_us, contradiction)
        blame = "" if killed.ok else f"; its kill did not succeed: {self._at('kill', killed)}"
        return Firing(from_us, to_us, None, f"{name} is not confirmed: {confirmation.problem}{blame}")

    def _contradicting_proof(self, stand_by: Callable[[], bool]) -> str | None:
        """Return an error if `verify_healed` succeeds while the fault is in force. Such a `verify_healed` cannot
        prove a heal."""
        recipe = self._recipe
        if recipe.verify_healed is None or fault_named(recipe.name).heals_itself:
            return None
        proof = self._run(recipe.verify_healed, stand_by)
        if not proof.ok:
            return None
        return (
            f"{recipe.name} is not confirmed: verify_down succeeds, and so does {self._at('verify_healed', proof)}; "
            "one of the two commands does not check the effect of the fault"
        )

    def _to_undo(self) -> Undo:
        recipe = self._recipe
        comes_back = recipe.heal is not None and not fault_named(recipe.name).heals_itself
        return Undo(
            name=recipe.name,
            heal=recipe.heal,
            verify=recipe.verify_healed,
            release=self._release_command,
            variables=recipe.variables,
            down=recipe.verify_down if comes_back else None,
            disarm=recipe.disarm,
        )

    def _heal_and_prove(self) -> Healing:
        from_us = self._clock.now_us()
        undo, name = self._to_undo(), self._recipe.name
        if undo.down is not None:
            self._leftovers.end()
        result = Healer(undo, note=self._note, is_over=self._go_on_healing).run(HEAL_S)
        to_us = (result.ended_ns + self._clock.anchor_ns) // 1000
        if result.is_healed:
            if self._undo is not None:
                self._undo.send("healed")
            return Healing(from_us, to_us, (result.proved_ns + self._clock.anchor_ns) // 1000)
        answers = "; ".join(self._at(key, outcome) for key, outcome in result.failures)
        watchdog = f"{self._undo.outlook}; " if self._undo else ""
        error = f"{name} IS NOT HEALED: {answers}; {watchdog}{self._by_hand}"
        return Healing(from_us, to_us, None, error)

    def _note(self, key: str, result: CommandResult) -> None:
        if key == "disarm":
            self._event("warning", self._not_disarmed(result), self._clock.now_us())

    @property
    def _by_hand(self) -> str:
        return f"heal it by hand with the commands in {self._recipe.table} of the target file"

    def _compare_with_watchdog(self, undo: UndoList, *, is_well: bool, was_healed: bool) -> None:
        """Set `watchdog_result` if the result of the watchdog differs from the result of this process."""
        name = self._recipe.name
        if is_well and not was_healed:
            self.watchdog_result = f"{name}: finally healed by the watchdog"
            self._event("heal", self.watchdog_result, self._clock.now_us())
        elif was_healed and undo.has_died:
            text = f"{name}: {undo.outlook}; nothing checked whether the fault stayed healed"
            self._event("warning", text, self._clock.now_us())
        elif was_healed and not is_well:
            self.watchdog_result = (
                f"{name} IS NOT HEALED: it was in force again after its heal; {undo.outlook}; {self._by_hand}"
            )
            self._event("warning", self.watchdog_result, self._clock.now_us())

    def _go_on_healing(self) -> bool:
        """Report to the watchdog that this process is healing the fault. True: the heal may continue."""
        if self._undo is not None:
            self._undo.healing()
        return False

    def _at(self, key: str, outcome: CommandResult) -> str:
        """Return a text with the table and key of a command in the target file, followed by the result of the
        command."""
        return f"{self._recipe.table} {self._recipe.word(key)}: {outcome}"

    def _run(self, command: Sequence[str], stand_by: Callable[[], bool] | None = None) -> CommandResult:
        return run_command(command, variables=self._recipe.variables, stop_early=stand_by)

    def _event(self, kind: str, text: str, at_us: int) -> None:
        self._journal.event(kind, text, time_ns=at_us * 1000, node=self._master)
