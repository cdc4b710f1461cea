"""The kind `websocket`: a numbered text message every 200 ms, which the server echoes.

A message that is missing or out of order is a loss. The end of the connection without a close frame is also a loss.
`position` is the number of the last echoed message.
"""

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
from switchover.connections.numbered import StreamEndedError, echo_repeatedly
from switchover.connections.records import HeldExchange
from switchover.connections.slot import STREAM_PAUSE_S, Slot
from switchover.connections.spec import USER_AGENT
from switchover.http.head import AnswerHead
from switchover.http.request import authority, headers_of, path_of
from switchover.model.failure_kind import FailureKind


async def run_websocket(slot: Slot) -> None:
    while True:
        await slot.rest(STREAM_PAUSE_S)
        stream: _WebSocket | None = None
        async with slot.exchange() as exchange:
            connection = await slot.fit_connection(exchange)
            connection.forget()
            stream = await _shake_hands(slot, connection, exchange)
        if stream is not None:
            await echo_repeatedly(slot, connection, stream.send, stream.receive, stream.has_come)
        slot.drop()


async def _shake_hands(slot: Slot, connection: HeldConnection, exchange: HeldExchange) -> "_WebSocket | None":
    """Open the WebSocket stream. Returns None if the server refused the stream; the exchange then has the reason."""
    stream = _WebSocket(slot, connection)
    exchange.attempts, exchange.sent_bytes = 1, stream.ask()
    try:
        event = await stream.next_event()
    except StreamEndedError:
        slot.fail_by_end(exchange, connection, "the request to open a WebSocket")
        return None
    exchange.first_ns, exchange.position = connection.first_ns, 0
    if isinstance(event, AcceptConnection | RejectConnection):
        exchange.head = _head_of(slot, event)
    if isinstance(event, AcceptConnection):
        stream.begin()
        return stream
    if isinstance(event, RejectConnection):
        exchange.fail(FailureKind.STATUS, f"status {event.status_code} in response to a WebSocket handshake")
    else:
        exchange.fail(FailureKind.PROTOCOL, "no answer to the request to open a WebSocket")
    return None


def _head_of(slot: Slot, event: AcceptConnection | RejectConnection) -> AnswerHead:
    """Return the head of the response. If the status is 101, the head lacks the headers that wsproto uses itself."""
    headers = event.extra_headers if isinstance(event, AcceptConnection) else event.headers
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    status = 101 if isinstance(event, AcceptConnection) else event.status_code
    return slot.shared.heads.head_of(status, pairs)


class _WebSocket:
    def __init__(self, slot: Slot, connection: HeldConnection) -> None:
        self._slot = slot
        self._connection = connection
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._events: list[Event] = []
        self._is_broken = False
        self._timeout_s = slot.spec.timeout_read_s

    def ask(self) -> int:
        endpoint = self._slot.endpoint
        headers = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in headers_of(endpoint, USER_AGENT)
            if name.lower() != "host"
        ]
        host = endpoint.host_header or authority(endpoint)
        return self._send(self._protocol.send(Request(host=host, target=path_of(endpoint), extra_headers=headers)))

    def begin(self) -> None:
        self._timeout_s = self._slot.spec.timeout_of(self._slot.kind)

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
                await self._connection.more(self._timeout_s)
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
        if isinstance(event, Ping) and self._protocol.state is ConnectionState.OPEN:  # not possible after a close
            self._send(self._protocol.send(event.response()))

    def _send(self, data: bytes) -> int:
        self._connection.send(data)
        return len(data)
