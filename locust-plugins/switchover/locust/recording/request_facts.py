"""The facts that an instrumented client adds to the response of Locust's `request` event, and the run's clock."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any

from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind

FACTS = "switchover_facts"


@dataclass
class RequestFacts:
    """The facts of a request, in microseconds of the run's clock. The class has no slots, so default values can be
    class attributes, which need not be set."""

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
    """The kind of failure that the client reported, without the kinds `status` and `assertion`."""
    legs: "Sequence[Leg]" = ()
    is_recorded = False
    """True if the request already has a row in the sample log, so that a later report adds no second row."""


@dataclass
class Leg(RequestFacts):
    status: int = 0
    headers: object = ()
    nbytes: int = 0


class InstrumentedFacts(RequestFacts):
    """The facts of a request of an instrumented client. The most frequent values are class attributes, so a request
    need not set them."""

    stream = "kept"
    _leg_start_us = 0
    """The start of the current leg; 0 on the first leg, because the first leg starts with the sample."""


def leg_of(facts: RequestFacts, start_us: int, end_us: int, **answer: Any) -> Leg:
    """Return the last redirect step of a request as a leg. `answer`: the status, the headers and the size of the
    answer."""
    earlier_us = start_us - facts.start_us
    connect_us, latency_us = max(0, facts.connect_us - earlier_us), max(0, facts.latency_us - earlier_us)
    return Leg(start_us, end_us, connect_us, latency_us, facts.sent_bytes, facts.attempts, facts.stream, **answer)


def facts_of(response: object) -> RequestFacts | None:
    """Return the facts that an instrumented client added to a response. Never raises."""
    with contextlib.suppress(Exception):
        facts = getattr(response, FACTS, None)
        return facts if isinstance(facts, RequestFacts) else None
    return None


class NoAnswer:
    status_code = 0
    headers = None

    def __init__(self, facts: RequestFacts) -> None:
        self.switchover_facts = facts


class RunClock:
    """The run's clock. `anchor_ns`: the time of this clock minus the time of the machine's monotonic clock."""

    __slots__ = ("anchor_ns",)

    def __init__(self, clock: Clock) -> None:
        self.anchor_ns = clock.anchor_ns

    def at(self, monotonic: int) -> int:
        return (monotonic + self.anchor_ns) // 1000

    def now(self) -> int:
        return (monotonic_ns() + self.anchor_ns) // 1000


RUN_CLOCK = RunClock(Clock.of_process())
