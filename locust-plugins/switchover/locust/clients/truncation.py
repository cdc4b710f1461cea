"""Headers that end too soon, which http.client takes for complete.

It reads header lines up to a blank one or the end of the connection, whichever comes first, so an answer that was
cut off in its headers becomes a good one with an empty body. The last line that it has read tells which it was.
"""

from http.client import BadStatusLine, HTTPException, RemoteDisconnected
from time import monotonic_ns
from typing import Any

from gevent import getcurrent

from switchover.locust.clients.http_exchange import EXCHANGE
from switchover.locust.clients.replacing import Hook
from switchover.locust.clients.timeline import TIMELINE


class TruncatedHeadersError(HTTPException):
    """The connection was closed in the middle of the headers of an answer."""


def tell_of_headers(original: Hook) -> Hook:
    """For requests of ours alone. The status line has just been read, so the answer begins now."""
    timeline = TIMELINE

    def _read_headers(source: Any, *limits: int) -> Any:
        exchange = getattr(getcurrent(), EXCHANGE, None)
        if exchange is None:
            return original(source, *limits)
        exchange.latency_us = (monotonic_ns() + timeline.anchor_ns) // 1000 - exchange.start_us
        lines = original(source, *limits)
        if not lines[-1]:
            raise TruncatedHeadersError("connection closed in the middle of the headers")
        return lines

    return _read_headers


def is_cut(error: BadStatusLine) -> bool:
    """Whether a bad status line is the beginning of one."""
    return not isinstance(error, RemoteDisconnected) and not str(error).endswith("\n")
