"""Numbered messages that the server echoes: the common code of `websocket` and `tcp`, and the kind `tcp`.

`tcp` sends a numbered line every 200 ms over plain TCP. A line that is missing or out of order is a loss. Every end
of the connection is also a loss, because plain TCP has no close message. `position` is the number of the last echoed
line.
"""

from collections.abc import Awaitable, Callable
from time import monotonic_ns

from switchover.connections.connection import HeldConnection
from switchover.connections.slot import STREAM_PAUSE_S, Slot
from switchover.model.failure_kind import FailureKind
from switchover.rundir.held_log import EndedBy

SENT_EACH_NS = 200_000_000

Receive = Callable[[], Awaitable[str | None]]
"""A function that returns the next message, or None if a close message arrived. Raises TimeoutError or
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
    """Send a message every 200 ms until the stream ends. Each message is one exchange.

    `send` returns the number of bytes that were sent. `has_come` returns True if data was received; a ping does not
    count.
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
    """Wait until the due time. Returns True if data or the end of the connection arrives before the due time."""
    while not has_come() and connection.ended_by is None:
        try:
            await connection.more(max(0.0, (due_ns - monotonic_ns()) / 1e9))
        except TimeoutError:
            return False
    return True


LINE_LIMIT = 4096
"""The maximum length of a received line, in bytes. An echo server never sends a longer line."""


async def run_tcp(slot: Slot) -> None:
    while True:
        await slot.rest(STREAM_PAUSE_S)
        connection: HeldConnection | None = None
        async with slot.exchange() as exchange:
            exchange.position = 0
            connection = await slot.fit_connection(exchange)
        if connection is not None:
            lines = _Lines(slot, connection)
            await echo_repeatedly(slot, connection, lines.send, lines.receive, lines.has_come)
        slot.drop()


class _Lines:
    def __init__(self, slot: Slot, connection: HeldConnection) -> None:
        self._timeout_s = slot.spec.timeout_of(slot.kind)
        self._connection = connection
        self._received = bytearray()

    def send(self, text: str) -> int:
        data = f"{text}\n".encode()
        self._connection.send(data)
        return len(data)

    def has_come(self) -> bool:
        return bool(self._received or self._connection.received)

    async def receive(self) -> str | None:
        while (end := self._received.find(b"\n")) < 0:
            if self._connection.received:
                self._received += self._connection.take()
            elif self._connection.ended_by is not None or len(self._received) > LINE_LIMIT:
                raise StreamEndedError
            else:
                await self._connection.more(self._timeout_s)
        line = bytes(self._received[:end]).decode("latin-1")
        del self._received[: end + 1]
        return line
