"""What a watched client knows of a request beyond Locust's `request` event.

A client leaves its facts on the response object that it hands to the event, as the attribute `FACTS`; the recorder
reads them there. A request of any other client is recorded from the event alone.
"""

from dataclasses import dataclass, field

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import HeaderValue

FACTS = "switchover_facts"


@dataclass(slots=True)
class Leg:
    """A redirect that was followed; the request after it is the next leg, or the sample itself."""

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
    """Times are microseconds, on the run's clock. No slots, so that a field with its default value costs nothing."""

    start_us: int
    end_us: int
    connect_us: int = 0
    """From start to the established connection, TLS included; 0 on a kept one."""
    latency_us: int = 0
    sent_bytes: int = 0
    attempts: int = 1
    """Sends of the request; 0: never sent, because no connection came about."""
    stream: str = ""
    """`fresh` connection, `kept` connection, or empty where the client cannot tell."""
    kind: FailureKind | None = None
    """Why it failed, as the client saw it; the recorder adds `status` and `assertion` by what the event says."""
    legs: list[Leg] = field(default_factory=list)
    """Redirects that were followed before the last answer, in order."""
    intended_us: int | None = None
    """When it was due by its schedule; None in a closed loop."""
    is_recorded = False
    """Its row was written although nothing had reported it: a later report adds no second row."""


class NoAnswer:
    status_code = 0
    headers = None

    def __init__(self, facts: RequestFacts) -> None:
        self.switchover_facts = facts
