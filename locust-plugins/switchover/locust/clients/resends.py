"""Requests that geventhttpclient sends again by itself.

When a connection ends before the first byte of an answer, `HTTPClient.request` sends an idempotent request again, up
to `size + 1` times, `size` being that of the connection pool: 12 sends in all with Locust's default, for any
`max_retries`. Nothing else reads a pool's `size` once the pool is made, so one that says -1 never resends. This
holds for every geventhttpclient of the process: a user's own client would hide failures, too.
"""

import contextlib
import functools
from collections import deque
from time import monotonic_ns
from typing import Any
from weakref import WeakSet

from gevent import getcurrent
from geventhttpclient.client import HTTPClient
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPConnectionClosed

from switchover.locust.clients.replacing import Hook, replace

NEVER = -1
SENDS = "switchover_sends"
"""Where a greenlet notes when it was given connections, each of which takes a request, while they are counted."""
_SENDS_LIMIT = 1000
_SIZE = "switchover_size"
"""Where a pool keeps its real size."""


class Resends:
    __slots__ = ("counted", "pools")

    def __init__(self) -> None:
        self.counted = False
        """Resends happen and are counted; else they are off."""
        self.pools: WeakSet[Any] = WeakSet()

    def rule(self, pool: Any) -> None:
        pool.size = getattr(pool, _SIZE) if self.counted else NEVER


RESENDS = Resends()


def install() -> str | None:
    """Resends are off from now on; returns why not, if this version of the client resends all the same."""
    replace(ConnectionPool, "__init__", _take_size)
    sends = _count_sends_without_answer()
    return None if sends == 1 else f"it sent a request {sends} times where once was enough"


def count(counted: bool) -> None:
    """Let resends happen and be counted, or let none happen. Only counting costs every request something."""
    RESENDS.counted = counted
    setattr(ConnectionPool, "get_socket", _counting_get_socket if counted else _get_socket)  # noqa: B010
    for pool in list(RESENDS.pools):
        RESENDS.rule(pool)


def real_size(pool: Any) -> int:
    """How many connections the pool may have at a time."""
    return int(getattr(pool, _SIZE, pool.size))


def sends_since(start_ns: int) -> int:
    """How often this greenlet's request went out since then."""
    noted = getattr(getcurrent(), SENDS, None)
    return 0 if noted is None else sum(sent_ns >= start_ns for sent_ns in noted)


def _take_size(original: Hook) -> Hook:
    def __init__(pool: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - the name of what it replaces
        original(pool, *args, **kwargs)
        setattr(pool, _SIZE, pool.size)
        RESENDS.pools.add(pool)
        RESENDS.rule(pool)

    return __init__


_get_socket = ConnectionPool.get_socket


@functools.wraps(_get_socket)
def _counting_get_socket(pool: Any) -> Any:
    sock = _get_socket(pool)
    greenlet = getcurrent()
    noted = getattr(greenlet, SENDS, None)
    if noted is None:
        noted = deque(maxlen=_SENDS_LIMIT)
        setattr(greenlet, SENDS, noted)
    noted.append(monotonic_ns())
    return sock


class _SilentPool(ConnectionPool):
    """Connections that end as soon as a request is sent."""

    sends = 0

    def get_socket(self) -> "_SilentPool":
        self.sends += 1
        return self

    def release_socket(self, sock: object) -> None:
        pass

    def sendall(self, data: bytes) -> None:
        pass

    def recv(self, size: int) -> bytes:
        return b""


def _count_sends_without_answer() -> int:
    client = HTTPClient("127.0.0.1")
    pool = client._connection_pool = _SilentPool("127.0.0.1", 80, "127.0.0.1", 80)
    with contextlib.suppress(HTTPConnectionClosed):
        client.get("/")
    return pool.sends
