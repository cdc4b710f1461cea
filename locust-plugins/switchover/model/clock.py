"""The clock that all processes of a run share: CLOCK_MONOTONIC plus an anchor, in ns since the epoch. The first
process measures the anchor and passes it to its children, so a step of the wall clock has no effect."""

import os
import re
import time
from dataclasses import dataclass

ANCHOR_VARIABLE = "SWITCHOVER_CLOCK_ANCHOR"
_ANCHOR = re.compile(r"-?[0-9]{1,19}")


@dataclass(slots=True)
class Clock:
    """A clock of nanoseconds since the epoch: the monotonic clock plus `anchor_ns`."""

    anchor_ns: int

    @classmethod
    def of_process(cls) -> "Clock":
        """Return a clock with the anchor that the parent process passed. Without such an anchor, make a new
        anchor."""
        inherited = os.environ.get(ANCHOR_VARIABLE, "")
        return cls(int(inherited) if _ANCHOR.fullmatch(inherited) else _take_anchor())

    def environment(self) -> dict[str, str]:
        """Return the environment variable that makes a child process use this clock."""
        return {ANCHOR_VARIABLE: str(self.anchor_ns)}

    def now_ns(self) -> int:
        return time.monotonic_ns() + self.anchor_ns

    def now_us(self) -> int:
        return self.now_ns() // 1000

    def from_wall_ns(self, wall_ns: int) -> int:
        """Convert a recent reading of this machine's wall clock to this clock."""
        return wall_ns + self.now_ns() - time.time_ns()


def boot_time_s() -> float:
    """Return the seconds since boot. On Linux, the time includes the suspension of the machine."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _take_anchor() -> int:
    """Return the wall clock minus the monotonic clock. The fastest of five readings is used."""
    readings = []
    for _ in range(5):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        readings.append((after - before, wall - (before + after) // 2))
    return min(readings)[1]
