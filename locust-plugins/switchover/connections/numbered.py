"""Send numbered messages that the server echoes: the common part of `websocket` and `tcp`."""

from collections.abc import Awaitable, Callable
from time import monotonic_ns

from switchover.connections.connection import HeldConnection
from switchover.connections.slot import Slot
from switchover.model.failure_kind import FailureKind
from switchover.rundir.held_log import EndedBy

SENT_EACH_NS = 200_000_000

Receive = Callable[[], Awaitable[str | None]]
"""A function that returns the next message. None: a close message arrived. Raises TimeoutError or
`StreamEndedError`."""


class StreamEndedError(Exception):
    """The connection ended without a close message, or the server sent invalid data."""


async def echo_repeatedly(
    slot: Slot,
    connection: HeldConnection,
    send: Callable[[str], int],
    receive: Receive,
    has_come: Callable[[], bool],
) -> None:
    """Send a message every 200 ms, one exchange each, until the stream ends.

    `send` returns the number of bytes sent. `has_come` returns True if data other than a ping was received.
    """
    last, due_ns = 0, monotonic_ns() + round(slot.random.uniform(0, 1) * SENT_EACH_NS)
    while True:
        is_ended = await _wait(connection, due_ns, has_come)
        async with slot.exchange(due_ns if not is_ended else 0) as exchange:
            connection.forget()
            exchange.position = last
            if not is_ended:
                exchange.sent_bytes, exchange.attempts = send(str(last + 1)), 1
            try:
                message = await receive()
            except StreamEndedError:
                slot.fail_by_end(exchange, connection, f"message {last}")
                return
            exchange.first_ns = exchange.end_ns = connection.first_ns or monotonic_ns()
            if message is None:
                exchange.ended_by = EndedBy.CLOSE
                return
            if message != str(last + 1):
                exchange.fail(FailureKind.ASSERTION, f"{message[:40]!r} arrived after message {last}")
                return
            last = exchange.position = last + 1
        if exchange.error is not None:
            return
        due_ns = max(due_ns + SENT_EACH_NS, monotonic_ns())


async def _wait(connection: HeldConnection, due_ns: int, has_come: Callable[[], bool]) -> bool:
    """Wait until the due time. Returns True if data or the end of the connection arrives before."""
    while not has_come() and connection.ended_by is None:
        try:
            await connection.more(max(0.0, (due_ns - monotonic_ns()) / 1e9))
        except TimeoutError:
            return False
    return True
