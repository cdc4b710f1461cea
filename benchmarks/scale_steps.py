"""What grows in `scale.py`, and by which steps."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

FAST, BALANCER, JMETER = "FastHttpUser", "BalancerHttpUser", "JMeter"
WORKER_RATE, WORKER_USERS = 150, 20
"""Of each of Locust's workers: eight of them leave two cores something for the balancer and for what is measured."""
SERVER_RATE, SERVER_USERS = 1000, 50
"""Of each of JMeter's servers."""


@dataclass(frozen=True, slots=True)
class Step:
    """One load. `size` is what the axis counts; the rest is the same along the axis, or follows from it."""

    axis: str
    size: int
    client: str = FAST
    backends: int = 10
    users: int = 100
    rate: int = 300
    """Requests per second, of all users together."""
    probe_rate: int = 100
    workers: int = 0
    """Locust's, or JMeter's servers; 0: the process itself makes the load."""
    beside: bool = False
    """Whether the same load without Switchover runs beside it."""


def steps() -> Iterator[Step]:
    for backends in (2, 10, 100, 1000):
        yield Step("backends", backends, backends=backends)
    for users in (50, 200, 500, 1000, 2000):
        yield Step("users", users, users=users, beside=True)
    for probe_rate in (100, 500, 1000, 2000, 5000):
        yield Step("probes", probe_rate, probe_rate=probe_rate, users=10, rate=10)
    for rate in (100, 300, 1000):
        yield Step("samples", rate, rate=rate, beside=True)
    for rate in (1000, 3000, 10_000):
        yield Step("samples-fast", rate, client=BALANCER, rate=rate)
    for workers in (1, 2, 4, 8):
        shared = {"workers": workers, "users": workers * WORKER_USERS, "rate": workers * WORKER_RATE}
        yield replace(Step("workers", workers), **shared)
    for servers in (1, 2, 3):
        shared = {"workers": servers, "users": servers * SERVER_USERS, "rate": servers * SERVER_RATE}
        yield replace(Step("servers", servers, client=JMETER), **shared)


def largest(all_steps: list[Step]) -> list[Step]:
    """Of each axis."""
    return list({step.axis: step for step in all_steps}.values())
