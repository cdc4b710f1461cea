"""The facts of an instrumented client about a request that Locust's `request` event lacks, and the run's clock.

A client leaves its facts in the attribute `FACTS` of the response object in the event. The recorder reads them there.
A request of any other client is recorded from the event alone.
"""

from dataclasses import dataclass, field
from time import monotonic_ns
from typing import Any

from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind

FACTS = "switchover_facts"


@dataclass
class RequestFacts:
    """Times in microseconds on the run's clock. No slots, so that a field with its default value costs nothing."""

    start_us: int
    end_us: int
    connect_us: int = 0
    """The time from the start to the established connection, TLS included; 0 on a kept connection."""
    latency_us: int = 0
    sent_bytes: int = 0
    attempts: int = 1
    """Sends of the request; 0 if there was no connection, so it was never sent."""
    stream: str = ""
    """`fresh` connection, `kept` connection, or empty if unknown."""
    kind: FailureKind | None = None
    """The failure kind from the client. The recorder adds `status` and `assertion` from the event."""
    legs: "list[Leg]" = field(default_factory=list)
    """Redirects that were followed before the last answer, in order."""
    is_recorded = False
    """True if the row is already written. A later report of the request then adds no second row."""


@dataclass
class Leg(RequestFacts):
    """A redirect that was followed. The request after it is the next leg, or the sample itself."""

    status: int = 0
    headers: object = ()
    """The headers of the answer: a mapping, or pairs of name and value."""
    nbytes: int = 0


def leg_of(facts: RequestFacts, start_us: int, end_us: int, **answer: Any) -> Leg:
    """Return the last step of a request as a leg. Durations in `facts` count from the start of the request.

    `answer`: the status, the headers and the size of the answer.
    """
    earlier_us = start_us - facts.start_us
    connect_us, latency_us = max(0, facts.connect_us - earlier_us), max(0, facts.latency_us - earlier_us)
    return Leg(start_us, end_us, connect_us, latency_us, facts.sent_bytes, facts.attempts, facts.stream, **answer)


class NoAnswer:
    status_code = 0
    headers = None

    def __init__(self, facts: RequestFacts) -> None:
        self.switchover_facts = facts


class RunClock:
    """The run's clock minus the monotonic clock, in nanoseconds. Every request reads this attribute."""

    __slots__ = ("anchor_ns",)

    def __init__(self, clock: Clock) -> None:
        self.anchor_ns = clock.anchor_ns

    def at(self, monotonic: int) -> int:
        """Convert monotonic nanoseconds to microseconds of the run's clock."""
        return (monotonic + self.anchor_ns) // 1000

    def now(self) -> int:
        return (monotonic_ns() + self.anchor_ns) // 1000


RUN_CLOCK = RunClock(Clock.of_process())
