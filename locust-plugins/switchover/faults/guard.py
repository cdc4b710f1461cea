"""Fires a fault once, proves that the fault is in force, and always heals the fault. This process or the watchdog
heals the fault. If both processes are killed, only a dead-man on the node can heal the fault."""

import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from switchover.faults.catalogue import fault_named, has_effect_until_healed
from switchover.faults.healer import Healer, Undo
from switchover.faults.watchdog import FiredFile, UndoList
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

CONFIRM_S = 5.0
"""The maximum time, in seconds, from the kill until the command that proves the fault (`verify_down`) succeeds."""

STAYS_DOWN_S = 0.3
"""The seconds after the first success of `verify_down` at which `verify_down` must succeed again. A supervisor would
restart a process within 0.1 s."""

POLL_S = 0.05


def confirm_down(
    command: Sequence[str],
    given_up: threading.Event,
    variables: Sequence[str] = (),
    stand_by: Callable[[], bool] = lambda: False,
) -> tuple[int | None, str]:
    """Wait until the proof command succeeds twice, for at most `CONFIRM_S`. Return the monotonic time of the first
    success in ns, or None and the problem.

    `given_up` ends the wait. `stand_by` is called during the wait; if `stand_by` returns True, the proof command is
    killed.
    """
    deadline = time.monotonic() + CONFIRM_S

    def is_over() -> bool:
        return stand_by() or given_up.is_set()

    held_once = ""
    while True:
        outcome = run_command(command, CONFIRM_S, variables=variables, stop_early=is_over)
        if outcome.ok:
            at_ns = time.monotonic_ns()
            given_up.wait(STAYS_DOWN_S)
            again = run_command(command, CONFIRM_S, variables=variables, stop_early=is_over)
            if again.ok:
                return at_ns, ""
            later_s = (time.monotonic_ns() - at_ns) / 1e9
            held_once = (
                f"the proof command succeeded once, but not again {later_s:.1f} s later ({again}); "
                "does a supervisor (systemd's Restart=, a container's restart policy) restart the service?"
            )
        if given_up.wait(POLL_S):
            return None, "the fault was healed before the proof command succeeded"
        if time.monotonic() > deadline:
            return None, held_once or f"the proof command did not succeed within {CONFIRM_S:g} s: {outcome}"


def is_down_twice(command: Sequence[str], variables: Sequence[str], stand_by: Callable[[], bool]) -> bool:
    """Return True if the proof command succeeds now, and again `STAYS_DOWN_S` later."""
    if not run_command(command, CONFIRM_S, variables=variables, stop_early=stand_by).ok:
        return False
    time.sleep(STAYS_DOWN_S)
    return run_command(command, CONFIRM_S, variables=variables, stop_early=stand_by).ok


HEAL_S = 20.0
"""The seconds for which this process tries to heal the fault. Then the watchdog continues for up to 6 hours."""

KILL_PATIENCE_S = 5.0
"""A kill command that still runs after this number of seconds is ended as soon as the fault is proved."""

KILL_LOOK_S = 0.5

CHECKS_S = 4 * COMMAND_TIMEOUT_S
"""The maximum age, in seconds, of the preflight checks when the kill starts."""


@dataclass(frozen=True, slots=True)
class Act:
    """A kill or a heal, whose effect began between `from_us` and `to_us`. Times are in epoch microseconds."""

    from_us: int
    to_us: int
    proved_us: int | None
    """The time when the kill or heal was proved; for a heal without a proof command, the end of the heal command.
    None: not proved, or not done."""
    error: str | None = None
    last_line: str = ""
    """The last output line of the kill command, which may contain the node's time stamp."""


class EventSink(Protocol):
    """A journal for the events of the guard."""

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None: ...  # noqa: A002


@dataclass
class Guard:
    """One fault of one run. `with Guard(…) as guard: guard.arm(); guard.fire(); …; guard.heal()`. The end of the
    block heals the fault. `heal` may be called from another thread, and ends the wait of `fire`."""

    recipe: FaultRecipe
    clock: Clock
    journal: EventSink
    armed: bool
    names: Mapping[str, str]
    """The values of `{master}` and `{backup}`. Empty: unknown."""
    directory: Path
    claim: Sequence[str] | None = None
    release: Sequence[str] | None = None
    """`claim` and `release` lock and unlock the nodes, so that no other machine can use them."""
    inherited: Sequence[int] = ()
    """The file descriptors that the watchdog keeps open."""
    event_id: str = ""
    """The `id` of the events that the guard records, such as the number of a change."""
    watchdog_result: str | None = None
    """The result of the watchdog, set by `close` if the result differs from the result of `heal`."""
    _undo: UndoList | None = None
    _is_claimed: bool = False
    _fired: bool = False
    _healing: Act | None = None

    def __post_init__(self) -> None:
        known_names = {name: value for name, value in self.names.items() if value}
        self.recipe = self.recipe.filled_in(known_names)
        self.claim = self.claim and fill_names(self.claim, known_names)
        self.release = self.release and fill_names(self.release, known_names)
        self._down = self.recipe.verify_down or ()
        self._lock = threading.RLock()
        self._healing_asked = threading.Event()
        self._leftovers = Leftovers()

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def arm(self) -> None:
        """Check the recipe, start the watchdog, and claim the nodes. Raises FaultError if a step fails."""
        recipe = self.recipe
        if not self.armed:
            raise FaultError(f"{recipe.name} is not armed: add --arm to fire at a target that is not a lab")
        if recipe.verify_down is None:
            raise FaultError(
                f"{recipe.table} has no {recipe.word('verify_down')}, so nothing would prove the fault: "
                "add a command that exits with 0 while the fault is in force"
            )
        for name in ("master", "backup"):
            if recipe.mentions(f"{{{name}}}"):
                problem = f"a command contains {{{name}}}, but the {name} is not known"
                raise FaultError(f"{recipe.name} does not fire: {problem}")
        self._undo = UndoList(self._to_undo(), self.directory, self.inherited)
        self._claim_nodes()

    def require_state_before(self) -> None:
        """Raise FaultError if a proof command reports the fault before the kill, or if a command does not exist."""
        recipe = self.recipe
        name, healed = recipe.name, recipe.verify_healed
        for step, command in (("kill", recipe.kill), ("heal", recipe.heal)):
            problem = find_program_problem(command) if command else None
            if problem is not None:
                raise FaultError(f"{name} does not fire: {self._at(step, problem)}")
        proof = self._run(self._down)
        if proof.ok:
            raise FaultError(
                f"{name} does not fire: its {recipe.word('verify_down')} succeeds before the {recipe.deed}, so it "
                f"would prove nothing: {self._at('verify_down', proof)}"
            )
        if not proof.has_answered:
            word = recipe.word("verify_down")
            raise FaultError(f"{name} does not fire: its {word} cannot run: {self._at('verify_down', proof)}")
        if healed is not None and not (proof := self._run(healed)).ok:
            raise FaultError(
                f"{name} does not fire: its verify_healed fails before the kill: the target is not healthy, or this "
                f"command is wrong: {self._at('verify_healed', proof)}"
            )

    def dry_run(self) -> list[str]:
        """Run all steps before the kill. Return lines about these steps and the commands of a real run."""
        self.require_state_before()
        recipe = self.recipe
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
        commands = ("claim", self.claim), *commands_of_recipe, ("release", self.release)
        return lines + [f"{recipe.word(key):<13} {shlex.join(command)}" for key, command in commands if command]

    def fire(self, heal_within_s: float | None = None, checked_s: float | None = None) -> Act:
        """Run the proof commands, arm the dead-man, run the kill command, and prove the fault.

        `heal_within_s`: the longest time from the kill to the heal. `checked_s`: the `boot_time_s` at the start of
        the preflight checks. Raises FaultError if nothing was fired. If the result has an `error`, the fault was
        fired, but is not confirmed.
        """
        with self._lock:
            undo = self._undo
            if undo is None:
                raise FaultError(f"{self.recipe.name} does not fire: it is not armed")
            fired_file = FiredFile(self.directory, self.recipe.name)
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
            from_us = self.clock.now_us()

            def stand_by() -> bool:
                """Report to the watchdog that this process is alive. Return True if `heal` was called."""
                undo.beat(heal_within_s)
                return False

            def prepare(group: int) -> None:
                nonlocal from_us
                undo.send(f"group {group}")
                self._leftovers.belong_to(group)
                from_us = self.clock.now_us()

            killed = self._kill(prepare, stand_by)
            to_us = self.clock.now_us()
            undo.send("fired")
            firing = replace(self._prove(killed, from_us, to_us, stand_by), last_line=killed.last_line)
            if heal_within_s is not None:
                undo.send(f"within {heal_within_s:.3f}")
            self._event(self.recipe.kind, firing.error or f"{self.recipe.name}: confirmed", from_us)
            return firing

    def _kill(self, prepare: Callable[[int], None], stand_by: Callable[[], bool]) -> CommandResult:
        """Run the kill command until it ends, or until the fault is proved while the command still runs."""
        held_until_s = time.monotonic() + KILL_PATIENCE_S

        def is_done() -> bool:
            nonlocal held_until_s
            stand_by()
            if time.monotonic() < held_until_s:
                return False
            held_until_s = time.monotonic() + KILL_LOOK_S
            return is_down_twice(self._down, self.recipe.variables, stand_by)

        return run_prepared_command(self.recipe.kill, prepare, self.recipe.variables, stop_early=is_done)

    def still_down(self) -> str | None:
        """Return an error message if the fault is no longer in force, for example because a supervisor restarted the
        process."""
        with self._lock:
            if not self._fired or self._healing is not None or self.recipe.heal is None:
                return None
            recipe = self.recipe
            # Report to the watchdog during the proof. Otherwise, the watchdog would report that this process hangs.
            going_on = self._go_on_healing
            proof = run_command(self._down, CONFIRM_S, variables=recipe.variables, stop_early=going_on)
            if proof.ok:
                return None
            what = "the fault was over before the heal (by a supervisor or a dead-man?), or verify_down did not run"
            return f"{recipe.name}: {what}: {self._at('verify_down', proof)}"

    def beat(self) -> None:
        self._leftovers.look()
        if self._undo is not None:
            self._undo.beat()

    def heal(self) -> Act:
        """Heal the fault, and prove the heal. A failed heal is repeated. Without a fault in force, this method does
        nothing."""
        self._healing_asked.set()
        with self._lock:
            if not self._fired:
                now = self.clock.now_us()
                return Act(now, now, None)
            if self._healing is None or self._healing.error:
                self._go_on_healing()
                self._healing = self._heal_and_prove()
                text = self._healing.error or f"{self.recipe.name}: healed"
                self._event(
                    "warning" if self._healing.error else self.recipe.word("heal"), text, self._healing.from_us
                )
            return self._healing

    def close(self) -> None:
        """Heal a fault that is still in force, and end the watchdog after the heal."""
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
        if self.claim is None or self._undo is None:
            return
        self._undo.send("claimed")
        result = self._run(self.claim)
        if not result.ok:
            self._undo.send("released")
            raise FaultError(f"{self.recipe.name} does not fire: the command claim of [target] failed: {result}")
        self._is_claimed = True

    def _release_nodes(self) -> None:
        if not self._is_claimed or self.release is None:
            return
        self._is_claimed = False
        result = self._run(self.release)
        if not result.ok:
            self._event("warning", f"the nodes are not released: [target] release: {result}", self.clock.now_us())
        if self._undo is not None:
            self._undo.send("released")

    def _arm_deadman(self) -> None:
        deadman = self.recipe.deadman
        if deadman is not None and not (result := self._run(deadman)).ok:
            answer = self._at("deadman", result)
            raise FaultError(f"{self.recipe.name} does not fire: its dead-man could not be armed: {answer}")

    def _disarm_deadman(self) -> None:
        disarm = self.recipe.deadman and self.recipe.disarm
        if disarm and not (result := self._run(disarm)).ok:
            raise FaultError(self._not_disarmed(result))

    def _not_disarmed(self, result: CommandResult) -> str:
        answer = self._at("disarm", result)
        return f"the dead-man of {self.recipe.name} is not disarmed and will heal the node later: {answer}"

    def _require_fresh_checks(self, began_s: float) -> None:
        """Raise FaultError if the checks are too old, for example after a suspension of this machine."""
        past_s = boot_time_s() - began_s
        if past_s > CHECKS_S:
            raise FaultError(
                f"{self.recipe.name} does not fire: its preflight began {past_s:.0f} s ago, and may be out of date; "
                "was this process or its machine suspended? Run the drill again"
            )

    def _prove(self, killed: CommandResult, from_us: int, to_us: int, stand_by: Callable[[], bool]) -> Act:
        """Prove the fault with the state of the target. A node that goes down also ends ssh, so the exit status of
        ssh proves nothing."""
        name = self.recipe.name
        if not killed.was_started:
            return Act(from_us, to_us, None, f"{name} was not fired: {self._at('kill', killed)}")
        at_ns, problem = confirm_down(self._down, self._healing_asked, self.recipe.variables, stand_by)
        if at_ns is not None:
            contradiction = self._contradicting_proof(stand_by)
            confirmed_us = (at_ns + self.clock.anchor_ns) // 1000
            return Act(from_us, to_us, None if contradiction else confirmed_us, contradiction)
        blame = "" if killed.ok else f"; the kill command did not succeed: {self._at('kill', killed)}"
        return Act(from_us, to_us, None, f"{name} is not confirmed: {problem}{blame}")

    def _contradicting_proof(self, stand_by: Callable[[], bool]) -> str | None:
        """Return an error if `verify_healed` succeeds while the fault is in force."""
        recipe = self.recipe
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
        recipe = self.recipe
        return Undo(
            name=recipe.name,
            heal=recipe.heal,
            verify=recipe.verify_healed,
            release=self.release,
            variables=recipe.variables,
            down=recipe.verify_down if has_effect_until_healed(recipe) else None,
            disarm=recipe.disarm,
        )

    def _heal_and_prove(self) -> Act:
        from_us = self.clock.now_us()
        undo, name = self._to_undo(), self.recipe.name
        if undo.down is not None:
            self._leftovers.end()
        result = Healer(undo, note=self._note, is_over=self._go_on_healing).run(HEAL_S)
        to_us = (result.ended_ns + self.clock.anchor_ns) // 1000
        if result.is_healed:
            if self._undo is not None:
                self._undo.send("healed")
            return Act(from_us, to_us, (result.proved_ns + self.clock.anchor_ns) // 1000)
        answers = "; ".join(self._at(key, outcome) for key, outcome in result.failures)
        watchdog = f"{self._undo.outlook}; " if self._undo else ""
        error = f"{name} IS NOT HEALED: {answers}; {watchdog}{self._by_hand}"
        return Act(from_us, to_us, None, error)

    def _note(self, key: str, result: CommandResult) -> None:
        if key == "disarm":
            self._event("warning", self._not_disarmed(result), self.clock.now_us())

    @property
    def _by_hand(self) -> str:
        return f"heal the fault by hand with the commands in {self.recipe.table} of the target file"

    def _compare_with_watchdog(self, undo: UndoList, *, is_well: bool, was_healed: bool) -> None:
        name = self.recipe.name
        if is_well and not was_healed:
            self.watchdog_result = f"{name}: finally healed by the watchdog"
            self._event(self.recipe.word("heal"), self.watchdog_result, self.clock.now_us())
        elif was_healed and undo.has_died:
            text = f"{name}: {undo.outlook}; nothing checked whether the fault stayed healed"
            self._event("warning", text, self.clock.now_us())
        elif was_healed and not is_well:
            self.watchdog_result = (
                f"{name} IS NOT HEALED: it was in force again after its heal; {undo.outlook}; {self._by_hand}"
            )
            self._event("warning", self.watchdog_result, self.clock.now_us())

    def _go_on_healing(self) -> bool:
        """Report to the watchdog that this process is healing the fault. Return True if the heal may continue."""
        if self._undo is not None:
            self._undo.healing()
        return False

    def _at(self, key: str, outcome: CommandResult) -> str:
        return f"{self.recipe.table} {self.recipe.word(key)}: {outcome}"

    def _run(self, command: Sequence[str], stand_by: Callable[[], bool] | None = None) -> CommandResult:
        return run_command(command, variables=self.recipe.variables, stop_early=stand_by)

    def _event(self, kind: str, text: str, at_us: int) -> None:
        node = self.names.get("master", "")
        self.journal.event(kind, text, time_ns=at_us * 1000, node=node, id=self.event_id)
