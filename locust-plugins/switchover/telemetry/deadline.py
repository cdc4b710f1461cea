"""One limit for a whole exchange: a peer that drips a byte a second cannot stretch it."""

import time


class Deadline:
    """A point on the monotonic clock; `remaining_s` never falls below a millisecond, so that it may be a timeout."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._end

    @property
    def remaining_s(self) -> float:
        return max(self._end - time.monotonic(), 0.001)

    def check(self) -> float:
        """The seconds that are left; TimeoutError when there are none."""
        if self.passed:
            raise TimeoutError
        return self.remaining_s
