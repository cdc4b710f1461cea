"""The run's clock, as the instrumented clients read it."""

from time import monotonic_ns

from switchover.model.clock import Clock


class RunClock:
    """The run's clock less the monotonic one. An attribute rather than a call, because every request reads it."""

    __slots__ = ("anchor_ns",)

    def __init__(self, clock: Clock) -> None:
        self.anchor_ns = clock.anchor_ns

    def follow(self, clock: Clock) -> None:
        self.anchor_ns = clock.anchor_ns

    def at(self, monotonic: int) -> int:
        """A reading of the monotonic clock in nanoseconds, as microseconds of the run."""
        return (monotonic + self.anchor_ns) // 1000

    def now(self) -> int:
        return (monotonic_ns() + self.anchor_ns) // 1000


RUN_CLOCK = RunClock(Clock.of_process())
