"""Numbered messages that the server echoes: the common code of `websocket` and `tcp`, and the kind `tcp`.

A line that is missing or out of order is a loss. Every end of a TCP connection is also a loss, because plain TCP has
no close message. `position` is the number of the last echoed line.
"""

from collections.abc import Awaitable, Callable
from time import monotonic_ns
from typing import Protocol

from switchover.connections.connection import HeldConnection
from switchover.connections.records import HeldExchange
from switchover.connections.slot import STREAM_PAUSE_S, Slot
from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import EndedBy

SENT_EACH_NS = 200_000_000


class StreamEndedError(Exception):
    """The connection ended without a close message, or the server sent invalid data."""


class EchoStream(Protocol):
    def send(self, text: str) -> int:
        """Send a message, and return the number of bytes that were sent."""

    async def receive(self) -> str | None:
        """Return the next message, or None after a close message. Raises TimeoutError or `StreamEndedError`."""

    def has_come(self) -> bool:
        """Return True if data was received. A ping does not count."""


async def run_echo(
    slot: Slot, open_stream: Callable[[Slot, HeldConnection, HeldExchange], Awaitable[EchoStream | None]]
) -> None:
    """Open streams one after another. `open_stream` returns None if the server refused the stream."""
    while True:
        await slot.rest(STREAM_PAUSE_S)
        stream: EchoStream | None = None
        async with slot.exchange() as exchange:
            connection = await slot.fit_connection(exchange)
            connection.first_ns = 0
            stream = await open_stream(slot, connection, exchange)
        if stream is not None:
            await _echo_repeatedly(slot, connection, stream)
        slot.drop()


async def _echo_repeatedly(slot: Slot, connection: HeldConnection, stream: EchoStream) -> None:
    """Send a message every 200 ms until the stream ends. Each message is one exchange."""
    last, due_ns = 0, monotonic_ns() + round(slot.random.uniform(0, 1) * SENT_EACH_NS)
    while True:
        is_ended = await _wait(connection, due_ns, stream.has_come)
        async with slot.exchange(due_ns if not is_ended else 0) as exchange:
            connection.first_ns = 0
            exchange.position = last
            if not is_ended:
                exchange.sent_bytes, exchange.attempts = stream.send(str(last + 1)), 1
            try:
                message = await stream.receive()
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
    """Wait until `due_ns`. Returns True if data or the end of the connection arrives before `due_ns`."""
    while not has_come() and connection.ended_by is None:
        try:
            await connection.more(max(0.0, (due_ns - monotonic_ns()) / 1e9))
        except TimeoutError:
            return False
    return True


LINE_LIMIT = 4096


async def run_tcp(slot: Slot) -> None:
    await run_echo(slot, _open_lines)


async def _open_lines(slot: Slot, connection: HeldConnection, exchange: HeldExchange) -> "_Lines":
    exchange.position = 0
    return _Lines(slot, connection)


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
