"""How late this process itself was: a time-out that it slept through is its own fault."""

import asyncio
from collections import deque
from time import monotonic_ns

STEP_S = 0.02
NOTED_NS = 20_000_000
"""Lateness below this is the loop's own work."""
KEPT = 512


class Lateness:
    """Looks at the clock every 20 ms, and remembers when it could not."""

    def __init__(self) -> None:
        self._stretches: deque[tuple[int, int]] = deque(maxlen=KEPT)
        """When a stretch without a look ended, and how much too long it was, in ns."""
        self.longest_ms = 0.0

    async def watch(self) -> None:
        while True:
            before_ns = monotonic_ns()
            await asyncio.sleep(STEP_S)
            now_ns = monotonic_ns()
            late_ns = now_ns - before_ns - round(STEP_S * 1e9)
            if late_ns > NOTED_NS:
                self._stretches.append((now_ns, late_ns))
                self.longest_ms = max(self.longest_ms, late_ns / 1e6)

    def since_ms(self, start_ns: int) -> float:
        """All that it was late since then, in ms."""
        return sum(late_ns for ended_ns, late_ns in self._stretches if ended_ns >= start_ns) / 1e6
