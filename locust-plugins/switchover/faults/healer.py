"""Heals a fault and proves the heal, for the guard, the watchdog and `switchover heal`. If a heal command hangs, the
next heal command starts in parallel. All heal commands are ended before the final proof."""

import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from switchover.process.command import COMMAND_TIMEOUT_S, CommandResult, not_started, run_command

RETRY_S = 1.0
"""The seconds from the start of a failed heal to the start of the next heal."""

KEEP_TRYING_S = 60.0
"""The seconds for which a heal is retried every `RETRY_S`. A run waits at least this long for a heal by the
watchdog."""

SLOW_RETRY_S = 10.0
"""The seconds between two retries after `KEEP_TRYING_S`."""

PATIENCE_S = 3.0
"""The seconds after which a second heal command starts, if the first heal command still runs. The time doubles for
each further command."""

VERIFY_S = 5.0
"""The longest wait for the proof after a successful heal command, in seconds. Then the next heal command starts."""

POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Undo:
    """The commands that heal a fault and prove the heal, with all names filled in."""

    name: str
    heal: Sequence[str] | None = None
    verify: Sequence[str] | None = None
    release: Sequence[str] | None = None
    variables: Sequence[str] = ()
    """The names of environment variables that the commands get in addition to the default variables."""
    down: Sequence[str] | None = None
    """The command that proves the fault. None: no process that the kill left behind can cause the fault again."""
    disarm: Sequence[str] | None = None
    """The command that disarms the dead-man after the heal is proved."""


@dataclass(frozen=True, slots=True)
class HealResult:
    """The result of a heal. Times are monotonic, in nanoseconds."""

    is_healed: bool
    ended_ns: int
    """The end of the successful heal command. If the command hung, the time of the proof."""
    proved_ns: int
    failures: tuple[tuple[str, CommandResult], ...] = ()
    """The last failed heal command and the last failed proof, each with its key in the target file."""


class Healer:
    """Heals one fault in one thread. Each heal command runs in a separate thread."""

    def __init__(
        self,
        undo: Undo,
        *,
        note: Callable[[str, CommandResult], None] = lambda key, result: None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare to heal. `is_over` is polled; if `is_over` returns True, the heal and its proof end. `note` gets
        the key and the result of each ended heal command, each failed proof, and each failed `disarm`."""
        self._undo = undo
        self._note = note
        self._is_over = is_over
        self._running: list[_Try] = []
        self._woken = threading.Event()
        self._began_s = self._due_s = time.monotonic()
        self._patience_s = PATIENCE_S
        self._ended_ns: int | None = None
        """The end of the last heal command, on the monotonic clock."""
        self._has_succeeded = False
        self._failures: dict[str, CommandResult] = {}

    def run(self, limit_s: float) -> HealResult:
        """Heal until the proof succeeds, for at most `limit_s`."""
        try:
            while True:
                self._start_if_due()
                # A killed heal command may have done only a part of its work, so the proof must succeed again.
                if self._is_proved() and (not self._end_running() or self._is_proved_by(self._is_over)):
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
        """Run the proof, even while a heal command hangs, because a heal command that hangs may have healed the
        fault."""
        heal, verify = self._undo.heal, self._undo.verify
        if verify is None:
            return heal is None or self._has_succeeded
        if heal is not None and self._ended_ns is None and len(self._running) < 2:
            return False
        return self._is_proved_by(self._go_on)

    def _is_proved_by(self, stop_early: Callable[[], bool]) -> bool:
        verify = self._undo.verify
        if verify is None:
            return True
        proof = run_command(verify, VERIFY_S, variables=self._undo.variables, stop_early=stop_early)
        if not proof.ok:
            self._failures["verify_healed"] = proof
        return proof.ok

    def _go_on(self) -> bool:
        """Start the next heal command if it is due. Return True if the running proof must end, because of
        `is_over`."""
        self._start_if_due()
        return self._is_over()

    def _end_running(self) -> bool:
        """Kill the heal commands that still run. Return True if at least one heal command was running."""
        ended, self._running = self._running, []
        for attempt in ended:
            attempt.end()
        if ended:
            self._ended_ns = time.monotonic_ns()
            self._due_s = time.monotonic()
        return bool(ended)


class _Try:
    def __init__(self, command: Sequence[str], variables: Sequence[str], woken: threading.Event) -> None:
        self.began_s = time.monotonic()
        self.result: CommandResult | None = None
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(command, variables, woken), name="heal", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # The machine may be able to start a thread later.
            self.result = not_started(command, OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)))

    def _run(self, command: Sequence[str], variables: Sequence[str], woken: threading.Event) -> None:
        self.result = run_command(command, COMMAND_TIMEOUT_S, variables=variables, stop_early=self._given_up.is_set)
        woken.set()

    def end(self) -> None:
        self._given_up.set()
        if self._thread.ident is not None:
            self._thread.join()
