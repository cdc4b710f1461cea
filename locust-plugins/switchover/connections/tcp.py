"""`tcp`: a numbered line every 200 ms over plain TCP, which the server echoes.

A loss: a line is missing or out of order, or the connection ends. Every end is a loss, because plain TCP has no close
message. `position` is the number of the last echoed line.
"""

from switchover.connections.connection import HeldConnection
from switchover.connections.numbered import StreamEndedError, echo_repeatedly
from switchover.connections.slot import STREAM_PAUSE_S, Slot

LINE_LIMIT = 4096
"""The maximum length of a received line in bytes. A longer line does not come from an echo server."""


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
