"""Connections that geventhttpclient makes: for whom, how long it took, and which dead ones they replace.

A pool that looks for a kept connection drops those that have died and makes a new one without a word. To see that
without a hook for which every request would pay, books are kept where connections begin and end: when one is made, no
idle one is left, so those that should be idle have been dropped.
"""

from time import monotonic_ns
from typing import Any

from gevent import getcurrent

from switchover.locust.clients.replacing import Hook
from switchover.locust.clients.resends import real_size

CONNECTING = "switchover_connecting"
"""Where a greenlet keeps the `Connecting` that it made last."""
BOOKS = "switchover_books"
"""Where a pool keeps its `Books`."""


class Connections:
    """Of this process, through geventhttpclient."""

    __slots__ = ("replaced", "tried")

    def __init__(self) -> None:
        self.tried = 0
        self.replaced = 0
        """Kept ones that were found dead and silently replaced."""


CONNECTIONS = Connections()


class Connecting:
    """An attempt to get a new connection; times are monotonic nanoseconds."""

    __slots__ = ("end_ns", "start_ns")

    def __init__(self) -> None:
        self.start_ns = monotonic_ns()
        self.end_ns = 0
        """0 as long as it has not succeeded."""


class Books:
    """What one pool should hold."""

    __slots__ = ("being_made", "standing")

    def __init__(self) -> None:
        self.being_made = 0
        self.standing = 0
        """In use or idle, for all that anybody has noticed."""


def connecting_since(start_ns: int) -> Connecting | None:
    """This greenlet's last attempt to connect, if it began since then."""
    made = getattr(getcurrent(), CONNECTING, None)
    return made if isinstance(made, Connecting) and made.start_ns >= start_ns else None


def tell_of_connecting(original: Hook) -> Hook:
    def _create_socket(pool: Any) -> Any:
        CONNECTIONS.tried += 1
        books = _books(pool)
        books.being_made += 1
        in_use = real_size(pool) - pool._semaphore.counter - books.being_made
        CONNECTIONS.replaced += max(0, books.standing - in_use)
        books.standing = in_use
        connecting = Connecting()
        setattr(getcurrent(), CONNECTING, connecting)
        try:
            sock = original(pool)
        finally:
            books.being_made -= 1
        connecting.end_ns = monotonic_ns()
        books.standing += 1
        return sock

    return _create_socket


def tell_of_releasing(original: Hook) -> Hook:
    def release_socket(pool: Any, sock: Any) -> None:
        _books(pool).standing -= 1
        original(pool, sock)

    return release_socket


def _books(pool: Any) -> Books:
    books = getattr(pool, BOOKS, None)
    if books is None:
        books = Books()
        setattr(pool, BOOKS, books)
    return books
