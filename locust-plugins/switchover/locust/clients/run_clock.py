"""The run's clock for the instrumented clients."""

from time import monotonic_ns

from switchover.model.clock import Clock


class RunClock:
    """The run's clock minus the monotonic clock, in nanoseconds. Every request reads it, so it is an attribute."""

    __slots__ = ("anchor_ns",)

    def __init__(self, clock: Clock) -> None:
        self.anchor_ns = clock.anchor_ns

    def at(self, monotonic: int) -> int:
        """Convert monotonic nanoseconds to microseconds of the run's clock."""
        return (monotonic + self.anchor_ns) // 1000

    def now(self) -> int:
        return (monotonic_ns() + self.anchor_ns) // 1000


RUN_CLOCK = RunClock(Clock.of_process())
