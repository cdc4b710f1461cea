"""The kind `websocket`: a numbered text message every 200 ms, which the server echoes.

A missing message, a message out of order, and an end without a close frame are losses. `position` is the number of
the last echoed message.
"""

from http.client import SWITCHING_PROTOCOLS

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import RemoteProtocolError

from switchover.connections.connection import HeldConnection
from switchover.connections.numbered import StreamEndedError, run_echo
from switchover.connections.records import HeldExchange
from switchover.connections.slot import Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.request import headers_of, host_of, path_of
from switchover.model.failure_kind import FailureKind


async def run_websocket(slot: Slot) -> None:
    await run_echo(slot, _shake_hands)


async def _shake_hands(slot: Slot, connection: HeldConnection, exchange: HeldExchange) -> "_WebSocket | None":
    stream = _WebSocket(slot, connection)
    exchange.attempts, exchange.sent_bytes = 1, stream.ask()
    try:
        event = await stream.next_event()
    except StreamEndedError:
        slot.fail_by_end(exchange, connection, "the request to open a WebSocket")
        return None
    exchange.first_ns, exchange.position = connection.first_ns, 0
    if isinstance(event, AcceptConnection):
        status, headers = SWITCHING_PROTOCOLS, event.extra_headers  # without headers that wsproto uses
    elif isinstance(event, RejectConnection):
        status, headers = event.status_code, event.headers
    else:
        exchange.fail(FailureKind.PROTOCOL, "no answer to the request to open a WebSocket")
        return None
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    exchange.head = slot.shared.heads.head_of(status, pairs)
    if status == SWITCHING_PROTOCOLS:
        stream.timeout_s = slot.spec.timeout_of(slot.kind)
        return stream
    exchange.fail(FailureKind.STATUS, f"status {status} in response to a WebSocket handshake")
    return None


class _WebSocket:
    def __init__(self, slot: Slot, connection: HeldConnection) -> None:
        self._slot = slot
        self._connection = connection
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._events: list[Event] = []
        self._is_broken = False
        self.timeout_s = slot.spec.timeout_read_s

    def ask(self) -> int:
        endpoint = self._slot.endpoint
        pairs = [pair for name, pair in headers_of(endpoint, USER_AGENT).items() if name != "host"]
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
        request = Request(host=host_of(endpoint), target=path_of(endpoint), extra_headers=headers)
        return self._send(self._protocol.send(request))

    def send(self, text: str) -> int:
        return self._send(self._protocol.send(TextMessage(data=text)))

    def has_come(self) -> bool:
        """Return True if a message, a close or invalid data was received. Also answer pings."""
        try:
            self._read()
        except StreamEndedError:
            return True
        while self._events and isinstance(self._events[0], Ping | Pong):
            self._heed(self._events.pop(0))
        return bool(self._events)

    async def receive(self) -> str | None:
        text = ""
        while True:
            event = await self.next_event()
            if isinstance(event, CloseConnection):
                self._send(self._protocol.send(event.response()))
                return None
            self._heed(event)
            if isinstance(event, TextMessage):
                text += event.data
                if event.message_finished:
                    return text

    async def next_event(self) -> Event:
        while not self._events:
            if self._connection.received or self._is_broken:
                self._read()
            elif self._connection.ended_by is not None:
                raise StreamEndedError
            else:
                await self._connection.more(self.timeout_s)
        return self._events.pop(0)

    def _read(self) -> None:
        """Read WebSocket events. After invalid data, this call and all later calls raise `StreamEndedError`."""
        if self._is_broken:
            raise StreamEndedError
        try:
            if self._connection.received:
                self._protocol.receive_data(self._connection.take())
                self._events.extend(self._protocol.events())
        except RemoteProtocolError as error:
            self._is_broken = True
            raise StreamEndedError from error

    def _heed(self, event: Event) -> None:
        if isinstance(event, Ping) and self._protocol.state is ConnectionState.OPEN:  # no pong after a close
            self._send(self._protocol.send(event.response()))

    def _send(self, data: bytes) -> int:
        self._connection.send(data)
        return len(data)
