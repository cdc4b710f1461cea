"""One time line for all processes of a run.

Times come from CLOCK_MONOTONIC plus one epoch anchor that the first process takes and hands to its children
(`SWITCHOVER_CLOCK_ANCHOR`), so that a stepped wall clock changes nothing and all of them agree exactly.
"""

import os
import re
import time

ANCHOR_VARIABLE = "SWITCHOVER_CLOCK_ANCHOR"
_ANCHOR = re.compile(r"-?[0-9]{1,19}")


class Clock:
    """Generation nanoseconds from the monotonic clock; `anchor_ns` is what is added to it."""

    __slots__ = ("anchor_ns",)

    def __init__(self, anchor_ns: int) -> None:
        self.anchor_ns = anchor_ns

    @classmethod
    def of_process(cls) -> "Clock":
        """The anchor that the parent handed down, or a new one."""
        inherited = os.environ.get(ANCHOR_VARIABLE, "")
        if _ANCHOR.fullmatch(inherited):
            return cls(int(inherited))
        return cls(_take_anchor())

    def environment(self) -> dict[str, str]:
        """What a child process needs in its environment to share this time line."""
        return {ANCHOR_VARIABLE: str(self.anchor_ns)}

    def now_ns(self) -> int:
        return time.monotonic_ns() + self.anchor_ns

    def now_us(self) -> int:
        return (time.monotonic_ns() + self.anchor_ns) // 1000

    def from_wall_ns(self, wall_ns: int) -> int:
        """A wall-clock reading of this machine, taken about now, on this time line."""
        return wall_ns + self.now_ns() - time.time_ns()


def boot_time_s() -> float:
    """Seconds on a clock that also runs while the machine sleeps, where the system has one (it is Linux's)."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _take_anchor() -> int:
    """The wall clock less the monotonic clock, from the narrowest of a few bracketed readings."""
    best_width, best_anchor = None, 0
    for _ in range(5):
        before = time.monotonic_ns()
        wall = time.time_ns()
        after = time.monotonic_ns()
        if best_width is None or after - before < best_width:
            best_width, best_anchor = after - before, wall - (before + after) // 2
    return best_anchor
