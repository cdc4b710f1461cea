"""Asking the target whether a fault is there: by state, and more than once."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from switchover.process.command import CommandResult, run_command

CONFIRM_S = 5.0
"""How long the proof of a fault may take to hold."""

STAYS_DOWN_S = 0.3
"""The proof must hold again after this: a supervisor that restarts what was killed does so in about 0.1 s."""

POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Confirmation:
    """`at_ns`: when the proof held for the first time, monotonic; None: it did not, `problem` says what came back."""

    at_ns: int | None
    problem: str = ""


def confirm_down(
    command: Sequence[str],
    given_up: threading.Event,
    variables: Sequence[str] = (),
    stand_by: Callable[[], bool] = lambda: False,
) -> Confirmation:
    """Until the proof holds twice, `STAYS_DOWN_S` apart, within `CONFIRM_S`; `given_up` ends it early.

    `stand_by` is called while it waits; where it is true, that ends it, too.
    """
    deadline = time.monotonic() + CONFIRM_S

    def is_over() -> bool:
        return stand_by() or given_up.is_set()

    held_once: str | None = None
    while True:
        outcome = run_command(command, CONFIRM_S, variables=variables, stop_early=is_over)
        if outcome.ok:
            at_ns = time.monotonic_ns()
            given_up.wait(STAYS_DOWN_S)
            again = run_command(command, CONFIRM_S, variables=variables, stop_early=is_over)
            if again.ok:
                return Confirmation(at_ns)
            held_once = _held_once(again, (time.monotonic_ns() - at_ns) / 1e9)
        if given_up.wait(POLL_S):
            return Confirmation(None, "it was healed before its proof could hold")
        if time.monotonic() > deadline:
            return Confirmation(None, held_once or _never_held(outcome))


def is_down_twice(command: Sequence[str], variables: Sequence[str], stand_by: Callable[[], bool]) -> bool:
    """Whether the proof holds now, and `STAYS_DOWN_S` later."""
    if not run_command(command, CONFIRM_S, variables=variables, stop_early=stand_by).ok:
        return False
    time.sleep(STAYS_DOWN_S)
    return run_command(command, CONFIRM_S, variables=variables, stop_early=stand_by).ok


def _held_once(again: CommandResult, after_s: float) -> str:
    """A proof that denies the fault is not the same as one that could not be asked."""
    if not again.has_answered:
        return f"its proof held once, and was not to be had a second time: {again}"
    return (
        f"its proof held, and {after_s:.1f} s later no more ({again}); does a supervisor (systemd's Restart=, a "
        "container's restart policy) start it again?"
    )


def _never_held(outcome: CommandResult) -> str:
    return f"its proof did not hold within {CONFIRM_S:g} s: {outcome}"
