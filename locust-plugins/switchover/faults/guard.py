"""Fires a fault once, proves it, and heals it in any case.

Either this process or the watchdog heals, from the start of the kill until the heal is proved. The watchdog survives
everything that ends or stops this process, also SIGKILL and SIGSTOP. It does not survive a shutdown of this machine,
or a kill of every process on it. In these cases only a dead-man on the node is left.
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
"""The seconds that this process tries to heal. Afterwards only the watchdog tries, for much longer."""

KILL_PATIENCE_S = 5.0
"""A kill that still runs after this time is ended as soon as the fault is proved. The proof is run every
`KILL_LOOK_S`."""

KILL_LOOK_S = 0.5

CHECKS_S = 4 * COMMAND_TIMEOUT_S
"""The longest time of the checks before a kill. Older checks no longer describe the pair."""


@dataclass(frozen=True, slots=True)
class Firing:
    """The kill as an interval in epoch microseconds: it happened between `from_us` and `to_us`."""

    from_us: int
    to_us: int
    confirmed_us: int | None
    """The time at which the proof first held. None: the fault is not confirmed, and `error` has the reason."""
    error: str | None = None
    kill_said: str = ""
    """The last line of the kill command, which may hold the node's own stamp."""


@dataclass(frozen=True, slots=True)
class Healing:
    """The heal, as an interval in epoch microseconds."""

    from_us: int
    to_us: int
    healed_us: int | None
    """The time at which the proof of the heal held, or without a proof the end of the command. None: not healed, or
    nothing was fired."""
    error: str | None = None


class EventSink(Protocol):
    """The part of a journal that the guard needs."""

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None: ...  # noqa: A002


class Guard:
    """One fault of one run. `with Guard(…) as guard: guard.arm(); guard.fire(); …; guard.heal()`.

    Leaving the block heals. `fire` and `heal` may be called from different threads. A heal ends the wait for the
    fault's proof.
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
        """Take `names`, the values of `{master}` and `{backup}`, known or empty, and `directory`, the directory of
        the run.

        `claim` and `release` lock and free the nodes themselves. The watchdog keeps the descriptors in `inherited`
        open.
        """
        known = {name: value for name, value in names.items() if value}
        self._recipe = recipe.filled_in(known)
        self._clock = clock
        self._journal = journal
        self._armed = armed
        self._directory = directory
        self._master = known.get("master", "")
        self._claim_command = claim and fill_names(claim, known)
        self._release_command = release and fill_names(release, known)
        self._is_claimed = False
        self._inherited = inherited
        self._lock = threading.RLock()
        self._healing_asked = threading.Event()
        self._undo: UndoList | None = None
        self._leftovers = Leftovers()
        self._fired = False
        self._healing: Healing | None = None
        self.last_words: str | None = None
        """After `close`: the watchdog healed a fault that `heal` could not, or could not heal a fault that came
        back."""

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def arm(self) -> None:
        """Refuse an invalid recipe, start the watchdog, and claim the nodes. Raises FaultError."""
        recipe = self._recipe
        if not self._armed:
            raise FaultError(f"{recipe.name} is not armed: give --arm to fire at a target that is not a lab")
        if recipe.verify_down is None:
            raise FaultError(
                f"{recipe.table} has no {recipe.word('verify_down')}, so nothing would prove that it happened: "
                "add a command that exits with 0 once it has"
            )
        for name in ("master", "backup"):
            if recipe.mentions(f"{{{name}}}"):
                raise FaultError(f"{recipe.name} does not fire: it needs {{{name}}}, and the {name} is not known")
        self._undo = UndoList.start(self._to_undo(), self._directory, self._inherited)
        self._claim_nodes()

    def require_state_before(self) -> None:
        """Refuse unless the fault's proofs show that nothing is broken yet, and its commands exist.

        Raises FaultError.
        """
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
            raise FaultError(f"{name} does not fire: its proof cannot be had: {self._at('verify_down', proof)}")
        if healed is not None and not (proof := self._run(healed)).ok:
            raise FaultError(
                f"{name} does not fire: its verify_healed fails before the kill; the target is not well, or that "
                f"command cannot tell: {self._at('verify_healed', proof)}"
            )

    def dry_run(self) -> list[str]:
        """Run everything that precedes the kill. Return the lines of the steps done, and of the commands of a real
        run."""
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
            lines.append(f"{recipe.name}: the dead-man was not armed, since no `disarm` would take it back")
        of_recipe = [(key, command) for key, command in recipe.commands.items() if key != "ready"]
        commands = ("claim", self._claim_command), *of_recipe, ("release", self._release_command)
        return lines + [f"{recipe.word(key):<13} {shlex.join(command)}" for key, command in commands if command]

    def fire(self, heal_within_s: float | None = None, checked_s: float | None = None) -> Firing:
        """Check the proofs, arm the dead-man, kill, and prove the fault. The heal begins at most `heal_within_s`
        later.

        `checked_s`: the start of the earlier checks, by `boot_time_s`. Raises FaultError if nothing was fired. A
        Firing with `error` was fired and is not confirmed.
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
                undo.say(f"within {heal_within_s:.3f}")
            self._fired = True
            from_us = self._clock.now_us()

            def stand_by() -> bool:
                """Postpone the heal while the kill and its proof run."""
                undo.beat(heal_within_s)
                return False

            def prepare(group: int) -> None:
                nonlocal from_us
                undo.say(f"group {group}")
                self._leftovers.belong_to(group)
                from_us = self._clock.now_us()

            killed = self._kill(prepare, stand_by)
            to_us = self._clock.now_us()
            undo.say("fired")
            firing = replace(self._prove(killed, from_us, to_us, stand_by), kill_said=killed.last_line)
            if heal_within_s is not None:
                undo.say(f"within {heal_within_s:.3f}")
            self._event("fault", firing.error or f"{self._recipe.name}: confirmed", from_us)
            return firing

    def _kill(self, prepare: Callable[[int], None], stand_by: Callable[[], bool]) -> CommandResult:
        """Run the kill until it ends, or until the fault is proved although the kill still runs."""
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
        """Return None, or the reason why the fault ended before now. A slow supervisor or a dead-man may have undone
        it."""
        with self._lock:
            if not self._fired or self._healing is not None or self._recipe.heal is None:
                return None
            recipe = self._recipe
            # The heal is due. The watchdog must not mistake the time of this proof for a hanging runner.
            going_on = self._go_on_healing
            proof = run_command(recipe.verify_down or (), CONFIRM_S, variables=recipe.variables, stop_early=going_on)
            if proof.ok:
                return None
            what = "it was up again before the heal (by a supervisor or a dead-man?), or its proof could not be had"
            return f"{recipe.name}: {what}: {self._at('verify_down', proof)}"

    def beat(self) -> None:
        self._leftovers.look()
        if self._undo is not None:
            self._undo.beat()

    def heal(self) -> Healing:
        """Undo the fault and prove it. Does nothing if nothing was fired or all is healed. A failed heal is tried
        again."""
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
        """Heal a fault that is not healed, and end the watchdog. If the heal failed, the watchdog gets time to
        heal."""
        try:
            if self._fired and self._healing is None:
                self.heal()
            if not self._fired or (self._healing is not None and self._healing.error is None):
                self._release_nodes()
        finally:
            undo, self._undo = self._undo, None
            if undo is not None and self._healing is not None:
                self._hear_last_words(undo, is_well=undo.close(), was_healed=self._healing.error is None)
            elif undo is not None:
                undo.close()

    def _claim_nodes(self) -> None:
        if self._claim_command is None or self._undo is None:
            return
        self._undo.say("claimed")
        result = self._run(self._claim_command)
        if not result.ok:
            self._undo.say("released")
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
            self._undo.say("released")

    def _arm_deadman(self) -> None:
        """Arm the dead-man, if the fault has one. Raises FaultError if arming failed: then nothing may be fired."""
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
        return f"the dead-man of {self._recipe.name} is not disarmed and goes off by itself: {answer}"

    def _require_fresh_checks(self, began_s: float) -> None:
        """Refuse after a long suspension of this process or its machine: the pair may have changed since the
        checks."""
        past_s = boot_time_s() - began_s
        if past_s > CHECKS_S:
            raise FaultError(
                f"{self._recipe.name} does not fire: its checks began {past_s:.0f} s ago, and may no longer hold; "
                "was this process or its machine suspended? Run it again"
            )

    def _prove(self, killed: CommandResult, from_us: int, to_us: int, stand_by: Callable[[], bool]) -> Firing:
        """Prove the fault by its state, not by the result of the kill command: a node that goes down ends its ssh
        connection."""
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
        """Find a proof of the heal that holds while the fault is in force, because such a proof would confirm any
        heal."""
        recipe = self._recipe
        if recipe.verify_healed is None or fault_named(recipe.name).heals_itself:
            return None
        proof = self._run(recipe.verify_healed, stand_by)
        if not proof.ok:
            return None
        return (
            f"{recipe.name} is not confirmed: verify_down holds, but so does {self._at('verify_healed', proof)}; one "
            "of the two does not look at what the fault does"
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
                self._undo.say("healed")
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
        return f"heal it by hand, as {self._recipe.table} of the target file says"

    def _hear_last_words(self, undo: UndoList, *, is_well: bool, was_healed: bool) -> None:
        """Record the result of the watchdog if it differs from the result of this process."""
        name = self._recipe.name
        if is_well and not was_healed:
            self.last_words = f"{name}: healed by the watchdog in the end"
            self._event("heal", self.last_words, self._clock.now_us())
        elif was_healed and undo.has_died:
            text = f"{name}: {undo.outlook}; nothing looked whether the fault stayed healed"
            self._event("warning", text, self._clock.now_us())
        elif was_healed and not is_well:
            self.last_words = (
                f"{name} IS NOT HEALED: it was in force again after its heal; {undo.outlook}; {self._by_hand}"
            )
            self._event("warning", self.last_words, self._clock.now_us())

    def _go_on_healing(self) -> bool:
        """Keep the watchdog from healing while this process heals and proves."""
        if self._undo is not None:
            self._undo.healing()
        return False

    def _at(self, key: str, outcome: CommandResult) -> str:
        """Return an outcome with its place in the target file, because the outcome does not name the arguments."""
        return f"{self._recipe.table} {self._recipe.word(key)}: {outcome}"

    def _run(self, command: Sequence[str], stand_by: Callable[[], bool] | None = None) -> CommandResult:
        return run_command(command, variables=self._recipe.variables, stop_early=stand_by)

    def _event(self, kind: str, text: str, at_us: int) -> None:
        self._journal.event(kind, text, time_ns=at_us * 1000, node=self._master)
