"""Heals a fault and proves it: the one place for the guard, the watchdog and `switchover heal`.

A heal may be run twice, so no try is waited for that does not seem to come to its end: the next one begins beside it.
All that still run are ended before the proof counts.
"""

import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from switchover.process.command import COMMAND_TIMEOUT_S, CommandResult, not_started, run_command

RETRY_S = 1.0
"""How long after a heal that failed began the next one begins."""

KEEP_TRYING_S = 60.0
"""How long that goes on; a runner waits for the watchdog that long."""

SLOW_RETRY_S = 10.0
"""The pace after that: a node may be out of reach for a long time."""

PATIENCE_S = 3.0
"""A heal that has not ended by then hangs, and a second one begins beside it; a third after twice as long, and so on.
Over ssh a service is started in 1 to 2 s."""

VERIFY_S = 5.0
"""How long the proof may take to hold after a heal that succeeded, before the next one begins."""

POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Undo:
    """What heals a fault, and what tells of it: filled in, ready to be started."""

    name: str
    heal: Sequence[str] | None = None
    verify: Sequence[str] | None = None
    release: Sequence[str] | None = None
    variables: Sequence[str] = ()
    """The environment variables that the commands get beside the usual ones."""
    down: Sequence[str] | None = None
    """The proof of the fault, where something that its kill has left running may bring it back; None: nothing can."""
    disarm: Sequence[str] | None = None
    """Takes the dead-man back once the heal is proved."""


@dataclass(frozen=True, slots=True)
class HealResult:
    """What became of a fault; times are monotonic."""

    is_healed: bool
    ended_ns: int
    """When the heal that worked had ended; if it hung, when the proof held."""
    proved_ns: int
    failures: tuple[tuple[str, CommandResult], ...] = ()
    """The last heal and the last proof that failed, by their keys in the target file."""


class Healer:
    """One fault, from its first heal to its proof, in one thread; each heal runs on a thread of its own."""

    def __init__(
        self,
        undo: Undo,
        *,
        note: Callable[[str, CommandResult], None] = lambda key, result: None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """`note` gets each heal that has ended, each proof that the next heal did not wait for, and a `disarm` that
        failed, with its key; `is_over` is asked all the time, and ends everything where it is true."""
        self._undo = undo
        self._note = note
        self._is_over = is_over
        self._running: list[_Try] = []
        self._woken = threading.Event()
        self._began_s = self._due_s = time.monotonic()
        self._patience_s = PATIENCE_S
        self._ended_ns: int | None = None
        """When the last heal had ended."""
        self._has_succeeded = False
        self._failures: dict[str, CommandResult] = {}

    def run(self, limit_s: float) -> HealResult:
        """Heal, and again until the proof holds, or the time is over."""
        try:
            while True:
                self._start_if_due()
                if self._is_proved() and (not self._end_running() or self._is_still_proved()):
                    now_ns = time.monotonic_ns()
                    self._disarm()
                    return HealResult(True, self._ended_ns or now_ns, now_ns)
                if self._is_over() or time.monotonic() - self._began_s > limit_s:
                    now_ns = time.monotonic_ns()
                    return HealResult(False, self._ended_ns or now_ns, now_ns, tuple(self._failures.items()))
                self._woken.wait(POLL_S)
                self._woken.clear()
        finally:
            self._end_running()

    def _disarm(self) -> None:
        if self._undo.disarm is not None:
            result = run_command(self._undo.disarm, variables=self._undo.variables, stop_early=self._is_over)
            if not result.ok:
                self._note("disarm", result)

    def _start_if_due(self) -> None:
        self._take_ended()
        now_s = time.monotonic()
        if self._undo.heal is None or now_s < self._due_s:
            return
        if self._running:
            self._patience_s *= 2
        if "verify_healed" in self._failures:
            self._note("verify_healed", self._failures["verify_healed"])
        self._due_s = now_s + self._patience_s
        self._running.append(_Try(self._undo.heal, self._undo.variables, self._woken))

    def _take_ended(self) -> None:
        for attempt in [attempt for attempt in self._running if attempt.result is not None]:
            assert attempt.result is not None
            self._running.remove(attempt)
            self._ended_ns = time.monotonic_ns()
            self._note("heal", attempt.result)
            if attempt.result.ok:
                self._has_succeeded = True
                self._due_s = time.monotonic() + VERIFY_S
            else:
                self._failures["heal"] = attempt.result
                is_young = time.monotonic() - self._began_s < KEEP_TRYING_S
                again_s = attempt.began_s + (RETRY_S if is_young else SLOW_RETRY_S)
                self._due_s = min(self._due_s, again_s) if self._running else again_s
        if not self._running:
            self._patience_s = PATIENCE_S

    def _is_proved(self) -> bool:
        """A heal that hangs may have worked all the same, so its proof is asked, too."""
        heal, verify = self._undo.heal, self._undo.verify
        if verify is None:
            return heal is None or self._has_succeeded
        if heal is not None and self._ended_ns is None and len(self._running) < 2:
            return False
        return self._ask_for_proof(verify, self._go_on)

    def _is_still_proved(self) -> bool:
        """Heals were ended that may have left something half done."""
        return self._undo.verify is None or self._ask_for_proof(self._undo.verify, self._is_over)

    def _ask_for_proof(self, verify: Sequence[str], stop_early: Callable[[], bool]) -> bool:
        proof = run_command(verify, VERIFY_S, variables=self._undo.variables, stop_early=stop_early)
        if not proof.ok:
            self._failures["verify_healed"] = proof
        return proof.ok

    def _go_on(self) -> bool:
        """A proof that hangs holds up no heal."""
        self._start_if_due()
        return self._is_over()

    def _end_running(self) -> bool:
        """End the heals that still run. True if there were any."""
        ended, self._running = self._running, []
        for attempt in ended:
            attempt.end()
        if ended:
            self._ended_ns = time.monotonic_ns()
            self._due_s = time.monotonic()
        return bool(ended)


class _Try:
    """One run of the heal."""

    def __init__(self, command: Sequence[str], variables: Sequence[str], woken: threading.Event) -> None:
        self.began_s = time.monotonic()
        self.result: CommandResult | None = None
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(command, variables, woken), name="heal", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # The machine has no room for a thread now, and may have it soon.
            self.result = not_started(command, OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)))

    def _run(self, command: Sequence[str], variables: Sequence[str], woken: threading.Event) -> None:
        self.result = run_command(command, COMMAND_TIMEOUT_S, variables=variables, stop_early=self._given_up.is_set)
        woken.set()

    def end(self) -> None:
        self._given_up.set()
        if self._thread.ident is not None:
            self._thread.join()
