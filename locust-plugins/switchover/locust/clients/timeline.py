"""The run's clock, as the instrumented clients read it."""

from switchover.clock import Clock


class Timeline:
    """What is added to `time.monotonic_ns()`. An attribute rather than a call: it is read several times a request."""

    __slots__ = ("anchor_ns",)

    def __init__(self) -> None:
        self.anchor_ns = Clock.of_process().anchor_ns


TIMELINE = Timeline()
