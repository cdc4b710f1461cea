"""Requests that geventhttpclient sends again of its own accord.

When a connection ends before the first byte of an answer, `HTTPClient.request` sends an idempotent request again, up
to `size + 1` times, `size` being that of the connection pool: 12 sends in all with Locust's default, whatever
`max_retries` says. Nobody else reads a pool's `size`, so one that claims to be of size -1 never resends. This holds
for every geventhttpclient of the process: what hides failures hides them from a client of the user's own as well.
"""

import contextlib
import functools
from typing import Any

from gevent import getcurrent
from geventhttpclient.client import HTTPClient
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPConnectionClosed

SENDS = "switchover_sends"
"""Where a greenlet counts the connections that it was given, each of which takes a request."""


class Resends:
    counted = False
    """They happen and are counted; else they do not happen."""


class PoolSize:
    """`ConnectionPool.size`."""

    def __get__(self, pool: Any, owner: type) -> Any:
        if pool is None:
            return self
        return pool.__dict__["size"] if Resends.counted else -1

    def __set__(self, pool: Any, size: int) -> None:
        pool.__dict__["size"] = size


def install() -> str | None:
    """Resends are off from now on; returns why not, if this version of the client resends all the same."""
    setattr(ConnectionPool, "size", PoolSize())  # noqa: B010 - for mypy, an int
    sends = _sends_into_the_void()
    return None if sends == 1 else f"it sent a request {sends} times where once was enough"


def count(counted: bool) -> None:
    """Let resends happen and be counted, or let none happen. Only counting costs every request something."""
    Resends.counted = counted
    setattr(ConnectionPool, "get_socket", _counting_get_socket if counted else _get_socket)  # noqa: B010


def start(greenlet: Any) -> None:
    setattr(greenlet, SENDS, 0)


def sends_of(greenlet: Any) -> int:
    """How often the greenlet's request went out since `start`."""
    return int(getattr(greenlet, SENDS, 0))


_get_socket = ConnectionPool.get_socket


@functools.wraps(_get_socket)
def _counting_get_socket(pool: Any) -> Any:
    sock = _get_socket(pool)
    greenlet = getcurrent()
    setattr(greenlet, SENDS, sends_of(greenlet) + 1)
    return sock


class _Void(ConnectionPool):
    """Connections that end as soon as a request is sent."""

    sends = 0

    def get_socket(self) -> "_Void":
        self.sends += 1
        return self

    def release_socket(self, sock: object) -> None:
        pass

    def sendall(self, data: bytes) -> None:
        pass

    def recv(self, size: int) -> bytes:
        return b""


def _sends_into_the_void() -> int:
    client = HTTPClient("127.0.0.1")
    pool = client._connection_pool = _Void("127.0.0.1", 80, "127.0.0.1", 80)
    with contextlib.suppress(HTTPConnectionClosed):
        client.get("/")
    return pool.sends
