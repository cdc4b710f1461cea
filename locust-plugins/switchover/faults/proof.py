"""Proves a fault by two runs of the proof command."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from switchover.process.command import run_command

CONFIRM_S = 5.0
"""The maximum time, in seconds, until the proof of a fault must succeed."""

STAYS_DOWN_S = 0.3
"""The proof must succeed a second time after this number of seconds, because a supervisor may restart a killed
process within 0.1 s."""

POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The result of a proof. `at_ns`: the monotonic time at which the proof first succeeded. None: the proof failed,
    and `problem` has the reason."""

    at_ns: int | None
    problem: str = ""


def confirm_down(
    command: Sequence[str],
    given_up: threading.Event,
    variables: Sequence[str] = (),
    stand_by: Callable[[], bool] = lambda: False,
) -> Confirmation:
    """Wait until the proof succeeds twice, `STAYS_DOWN_S` apart, for at most `CONFIRM_S`.

    `given_up` ends the wait early. `stand_by` is called during the wait; if it returns true, the running proof is
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
                return Confirmation(at_ns)
            held_once = (
                f"its proof succeeded, but not again {(time.monotonic_ns() - at_ns) / 1e9:.1f} s later ({again}); "
                "does a supervisor (systemd's Restart=, a container's restart policy) start it again?"
            )
        if given_up.wait(POLL_S):
            return Confirmation(None, "it was healed before its proof succeeded")
        if time.monotonic() > deadline:
            return Confirmation(None, held_once or f"its proof did not succeed within {CONFIRM_S:g} s: {outcome}")


def is_down_twice(command: Sequence[str], variables: Sequence[str], stand_by: Callable[[], bool]) -> bool:
    """Return True if the proof succeeds now, and again `STAYS_DOWN_S` later."""
    if not run_command(command, CONFIRM_S, variables=variables, stop_early=stand_by).ok:
        return False
    time.sleep(STAYS_DOWN_S)
    return run_command(command, CONFIRM_S, variables=variables, stop_early=stand_by).ok
