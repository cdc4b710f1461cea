"""Asking the target whether a fault is there: by state, and more than once."""

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from switchover.model.clock import Clock
from switchover.process.command import CommandResult, run_command
from switchover.rundir.run_records import ClockReading
from switchover.target.model import Node

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


_STAMP = re.compile(r"\bbetween (\d{9,11})\.(\d{1,9}) and (\d{9,11})\.(\d{1,9})(?!\d)", re.ASCII)


def format_kill_stamp(from_ns: int, to_ns: int) -> str:
    """The text that `read_kill_stamp` reads; times of the node's wall clock."""
    low, high = (f"{at // 1_000_000_000}.{at % 1_000_000_000:09}" for at in (from_ns, to_ns))
    return f"between {low} and {high}"


def read_kill_stamp(line: str) -> tuple[int, int] | None:
    """From and to, in ns of the node's wall clock; None if the line holds no stamp."""
    match = _STAMP.search(line)
    if match is None:
        return None
    low, high = (int(match[at]) * 1_000_000_000 + int(match[at + 1].ljust(9, "0")) for at in (1, 3))
    return (low, high) if low <= high else None


def narrow_kill(
    fired_us: tuple[int, int], line: str, node: Node, offsets: Iterable[ClockReading], clock: Clock
) -> tuple[int, int]:
    """The interval of the kill on the run's clock: `fired_us`, narrowed by the node's stamp.

    `offsets` as run.json has them. A stamp that contradicts what was seen here, or one of a clock that was not
    compared with ours, narrows nothing.
    """
    stamp = read_kill_stamp(line)
    if stamp is None:
        return fired_us
    if node.shared_clock:
        low, high = (clock.from_wall_ns(at_ns) // 1000 for at_ns in stamp)
    else:
        known = [(one.offset_us, one.bound_us) for one in offsets if one.node == node.name]
        offset_us, bound_us = next((one for one in known if one[0] is not None), (None, None))
        if offset_us is None or bound_us is None:
            return fired_us
        low, high = stamp[0] // 1000 - offset_us - bound_us, stamp[1] // 1000 - offset_us + bound_us
    from_us, to_us = max(fired_us[0], low), min(fired_us[1], high + 1)
    return (from_us, to_us) if from_us <= to_us else fired_us
