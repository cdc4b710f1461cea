"""Connections that geventhttpclient makes: for which request, how long it took, and which dead ones they replace.

A pool that looks for a kept connection silently drops those that have died and makes a new one. To see that without a
hook that every request would pay for, connections are counted where they begin and end: when one is made, no idle one
is left, so those that should be idle have been dropped.
"""

from time import monotonic_ns
from typing import Any

from gevent import getcurrent

from switchover.locust.clients.replacing import Hook
from switchover.locust.clients.resends import real_size

CONNECTING = "switchover_connecting"
"""Where a greenlet keeps the `Connecting` that it made last."""
POOL_COUNTS = "switchover_pool_counts"
"""Where a pool keeps its `PoolCounts`."""


class FastConnections:
    """The connections of this process through geventhttpclient."""

    __slots__ = ("replaced", "tried")

    def __init__(self) -> None:
        self.tried = 0
        self.replaced = 0
        """Kept ones that were found dead and silently replaced."""


CONNECTIONS = FastConnections()


class Connecting:
    """An attempt to get a new connection; times are monotonic nanoseconds."""

    __slots__ = ("end_ns", "start_ns")

    def __init__(self) -> None:
        self.start_ns = monotonic_ns()
        self.end_ns = 0
        """0 as long as it has not succeeded."""


class PoolCounts:
    """How many connections one pool should hold."""

    __slots__ = ("being_made", "open")

    def __init__(self) -> None:
        self.being_made = 0
        self.open = 0
        """In use or idle, as far as is known."""


def connecting_since(start_ns: int) -> Connecting | None:
    """This greenlet's last attempt to connect, if it began since then."""
    made = getattr(getcurrent(), CONNECTING, None)
    return made if isinstance(made, Connecting) and made.start_ns >= start_ns else None


def watch_connecting(original: Hook) -> Hook:
    def _create_socket(pool: Any) -> Any:
        CONNECTIONS.tried += 1
        counts = _counts_of(pool)
        counts.being_made += 1
        in_use = real_size(pool) - pool._semaphore.counter - counts.being_made
        CONNECTIONS.replaced += max(0, counts.open - in_use)
        counts.open = in_use
        connecting = Connecting()
        setattr(getcurrent(), CONNECTING, connecting)
        try:
            sock = original(pool)
        finally:
            counts.being_made -= 1
        connecting.end_ns = monotonic_ns()
        counts.open += 1
        return sock

    return _create_socket


def watch_releasing(original: Hook) -> Hook:
    def release_socket(pool: Any, sock: Any) -> None:
        _counts_of(pool).open -= 1
        original(pool, sock)

    return release_socket


def _counts_of(pool: Any) -> PoolCounts:
    counts = getattr(pool, POOL_COUNTS, None)
    if counts is None:
        counts = PoolCounts()
        setattr(pool, POOL_COUNTS, counts)
    return counts
