"""The facts of an instrumented client about a request that Locust's `request` event lacks.

A client leaves its facts in the attribute `FACTS` of the response object in the event. The recorder reads them there.
A request of any other client is recorded from the event alone.
"""

from dataclasses import dataclass, field

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import HeaderValue

FACTS = "switchover_facts"


@dataclass(slots=True)
class Leg:
    """A redirect that was followed. The request after it is the next leg, or the sample itself."""

    start_us: int
    end_us: int
    status: int
    url: str
    headers: dict[str, HeaderValue]
    nbytes: int = 0
    sent_bytes: int = 0
    latency_us: int = 0
    connect_us: int = 0
    stream: str = ""
    attempts: int = 1


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
    legs: list[Leg] = field(default_factory=list)
    """Redirects that were followed before the last answer, in order."""
    is_recorded = False
    """True if the row is already written. A later report of the request then adds no second row."""


class NoAnswer:
    status_code = 0
    headers = None

    def __init__(self, facts: RequestFacts) -> None:
        self.switchover_facts = facts
