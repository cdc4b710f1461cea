"""The facts about a request that an instrumented client adds to Locust's `request` event, and the run's clock.

An instrumented client stores the facts in the attribute `FACTS` of the response object in the event. The recorder
reads the facts from this attribute. A request of any other client is recorded from the event alone.
"""

from dataclasses import dataclass, field
from time import monotonic_ns
from typing import Any

from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind

FACTS = "switchover_facts"


@dataclass
class RequestFacts:
    """The facts of a request. Times are microseconds of the run's clock. The class has no slots, so that a field with
    its default value needs no time."""

    start_us: int
    end_us: int
    connect_us: int = 0
    """The time from the start until the connection was established, including TLS; 0 on a kept connection."""
    latency_us: int = 0
    sent_bytes: int = 0
    attempts: int = 1
    """The number of times the request was sent; 0 if there was no connection."""
    stream: str = ""
    """`fresh` for a new connection, `kept` for a kept connection, or empty if unknown."""
    kind: FailureKind | None = None
    """The kind of failure that the client reported. The recorder adds the kinds `status` and `assertion` from the
    event."""
    legs: "list[Leg]" = field(default_factory=list)
    """The redirects that were followed before the last answer, in order."""
    is_recorded = False
    """True if the row was already written, so that a later report of the request adds no second row."""


@dataclass
class Leg(RequestFacts):
    """A redirect that was followed. The request that follows the redirect is the next leg, or the sample itself."""

    status: int = 0
    headers: object = ()
    """The headers of the answer, as a mapping or as pairs of name and value."""
    nbytes: int = 0


def leg_of(facts: RequestFacts, start_us: int, end_us: int, **answer: Any) -> Leg:
    """Return the last step of a request as a leg. Durations in `facts` are measured from the start of the request.

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
    """The run's clock. Its attribute is the run's time minus the monotonic clock, in nanoseconds. Every request reads
    this attribute."""

    __slots__ = ("anchor_ns",)

    def __init__(self, clock: Clock) -> None:
        self.anchor_ns = clock.anchor_ns

    def at(self, monotonic: int) -> int:
        """Convert nanoseconds of the monotonic clock to microseconds of the run's clock."""
        return (monotonic + self.anchor_ns) // 1000

    def now(self) -> int:
        return (monotonic_ns() + self.anchor_ns) // 1000


RUN_CLOCK = RunClock(Clock.of_process())
