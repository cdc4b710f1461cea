"""The kind `h2`: many streams on one HTTP/2 connection. Each stream is a POST request, which is due 50 to 150 ms
after the previous response.

A stream is lost if a GOAWAY, a reset or the end of the connection ended the stream after the server accepted the
stream. If GOAWAY or REFUSED_STREAM reports that the server did not accept a stream, the stream counts as closed
gracefully. `position` is the number of received body bytes. A stream that times out is reset. If the connection
received no byte after the timed-out stream was sent, all its streams are lost with the end `silence`, as in Go's
client and OkHttp.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic_ns

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

from switchover.connections.connection import HeldConnection
from switchover.connections.records import HeldExchange
from switchover.connections.slot import Slot
from switchover.connections.spec import USER_AGENT
from switchover.connections.transfers import BODY, PAUSE_S
from switchover.http.request import headers_of, host_of, path_of
from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import EndedBy

FRAME_HEAD = 9
GOAWAY = 7
"""The frame type of GOAWAY (RFC 9113 section 6.8)."""


async def run_h2(slots: Sequence[Slot]) -> None:
    sessions = _Sessions(slots[0])
    try:
        await asyncio.gather(*(_post_repeatedly(slot, sessions) for slot in slots))
    finally:
        sessions.close()


async def _post_repeatedly(slot: Slot, sessions: "_Sessions") -> None:
    due_ns = monotonic_ns() + slot.pause_ns(PAUSE_S)
    while True:
        await asyncio.sleep(max(0, due_ns - monotonic_ns()) / 1e9)
        async with slot.exchange(due_ns) as exchange:
            session = await sessions.fit_session()
            exchange.thread = f"{slot.kind} {slot.number}.{session.number}"
            slot.session = session.connection
            await session.post(slot, exchange)
        due_ns = monotonic_ns() + slot.pause_ns(PAUSE_S)


class _Sessions:
    """The HTTP/2 connections of the kind `h2`. After a GOAWAY, a session only finishes the streams that are already
    open."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._sessions: list[_Session] = []
        self._opening = asyncio.Lock()
        self._count = 0
        self._failed: tuple[int, OSError] | None = None
        self._readers: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        for reader in self._readers:
            reader.cancel()

    async def fit_session(self) -> "_Session":
        """Return a session for a new stream. If the connect fails, all waiting callers get the same OSError."""
        start_ns = monotonic_ns()
        async with self._opening:
            if self._failed is not None and self._failed[0] > start_ns:
                raise self._failed[1]
            while (session := next((each for each in self._sessions if each.takes_streams), None)) is not None:
                await session.connection.catch_up()  # a GOAWAY or a FIN may have arrived during the wait
                if session.takes_streams:
                    return session
            self._sessions = [each for each in self._sessions if not each.is_over]
            return await self._open()

    async def _open(self) -> "_Session":
        slot = self._slot
        try:
            connection = await HeldConnection.open(slot.route, slot.spec.timeout_connect_s)
        except OSError as error:
            self._failed = monotonic_ns(), error
            raise
        self._count += 1
        session = _Session(slot, connection, self._count)
        self._sessions.append(session)
        reader = asyncio.create_task(session.read_to_its_end())
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)
        return session


@dataclass(slots=True, eq=False)
class _H2Stream:
    number: int
    exchange: HeldExchange
    done: asyncio.Event = field(default_factory=asyncio.Event)


class _Session:
    def __init__(self, slot: Slot, connection: HeldConnection, number: int) -> None:
        self._slot = slot
        self.connection = connection
        self.number = number
        self._protocol = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=True, header_encoding="latin-1")
        )
        self._protocol.initiate_connection()
        self._streams: dict[int, _H2Stream] = {}
        self._last_taken: int | None = None
        """The highest stream number that the server accepted, according to a GOAWAY."""
        self._window_changed = asyncio.Event()
        self._is_given_up = False
        self._flush()

    @property
    def is_over(self) -> bool:
        return self._last_taken is not None or self.connection.ended_by is not None

    @property
    def takes_streams(self) -> bool:
        protocol = self._protocol
        is_full = protocol.open_outbound_streams >= protocol.remote_settings.max_concurrent_streams
        return not self.is_over and not is_full

    async def post(self, slot: Slot, exchange: HeldExchange) -> None:
        number = self._protocol.get_next_available_stream_id()
        endpoint = slot.endpoint
        pairs = [
            (":method", "POST"),
            (":scheme", endpoint.url.partition(":")[0]),
            (":authority", host_of(endpoint)),
            (":path", path_of(endpoint)),
            *((name, value) for name, (_, value) in headers_of(endpoint, USER_AGENT).items() if name != "host"),
            ("content-length", str(len(BODY))),
        ]
        stream = self._streams[number] = _H2Stream(number, exchange)
        try:
            self._protocol.send_headers(number, pairs)
            exchange.attempts, exchange.sent_bytes = 1, self._flush()
            sent_ns = monotonic_ns()
            async with asyncio.timeout(slot.spec.timeout_read_s):
                await self._send_body(stream)
                await stream.done.wait()
        except TimeoutError:
            self._give_up(slot, stream, sent_ns)
            raise
        except h2.exceptions.ProtocolError as error:
            exchange.fail(FailureKind.PROTOCOL, f"cannot send a request on the HTTP/2 connection: {error}")
            self._reset(number)
        finally:
            self._streams.pop(number, None)
        head = exchange.head
        if exchange.error is None and exchange.ended_by is None and head:
            exchange.check_status(head.status, endpoint.expect)

    async def _send_body(self, stream: _H2Stream) -> None:
        """Send the body as far as the flow-control windows allow (RFC 9113 section 5.2)."""
        protocol, number = self._protocol, stream.number
        while not stream.done.is_set():
            if protocol.local_flow_control_window(number) >= len(BODY):
                protocol.send_data(number, BODY, end_stream=True)
                stream.exchange.sent_bytes += self._flush()
                return
            self._window_changed.clear()
            await self._window_changed.wait()
        self._reset(number)

    def _give_up(self, slot: Slot, stream: _H2Stream, sent_ns: int) -> None:
        """End a stream that timed out. Also close the connection if no byte has arrived since the stream was sent,
        unless this process ran late."""
        self._reset(stream.number)
        if self.connection.last_ns < sent_ns and not slot.stood_still_ms(stream.exchange, slot.spec.timeout_read_s):
            self._streams.pop(stream.number, None)
            self._is_given_up = True
            self.connection.close()
            self._end_all(
                FailureKind.READ_TIMEOUT, "the HTTP/2 connection was dead: no data arrived", EndedBy.SILENCE
            )

    def _reset(self, number: int) -> None:
        """Reset a stream. A stream that is not reset stays open until its response arrives."""
        with suppress(h2.exceptions.ProtocolError):  # the stream or the session has already ended
            self._protocol.reset_stream(number, h2.errors.ErrorCodes.CANCEL)
            self._flush()

    async def read_to_its_end(self) -> None:
        try:
            await self._read()
        finally:
            self.connection.close()

    async def _read(self) -> None:
        connection, buffer = self.connection, bytearray()
        while connection.received or connection.ended_by is None:
            try:
                await connection.more(1.0)
            except TimeoutError:
                continue
            buffer += connection.take()
            try:
                self._take_frames(buffer)
            except h2.exceptions.ProtocolError as error:
                self._end_all(FailureKind.PROTOCOL, f"error in the HTTP/2 protocol: {error}", None)
                break
            if self._last_taken is not None and not self._streams:
                break
        had_streams = bool(self._streams)
        if connection.ended_by is EndedBy.RST:
            self._end_all(FailureKind.RESET, "the HTTP/2 connection was reset", EndedBy.RST)
        else:
            self._end_all(FailureKind.TRUNCATED, "the HTTP/2 connection was closed", EndedBy.FIN)
        if not had_streams and not self._is_given_up:
            await self._slot.close_gracefully(
                connection, EndedBy.GOAWAY if self._last_taken is not None else connection.ended_by
            )

    def _take_frames(self, buffer: bytearray) -> None:
        """Handle GOAWAY frames, because the package h2 would refuse all frames after a GOAWAY.

        After a GOAWAY, streams that the server accepted still get their responses (RFC 9113 section 6.8).
        """
        while len(buffer) >= FRAME_HEAD:
            size = FRAME_HEAD + int.from_bytes(buffer[:3])
            if len(buffer) < size:
                return
            frame = bytes(buffer[:size])
            del buffer[:size]
            if frame[3] == GOAWAY and size >= FRAME_HEAD + 4:
                self._goes_away(int.from_bytes(frame[FRAME_HEAD : FRAME_HEAD + 4]) & 0x7FFFFFFF)
                continue
            for event in self._protocol.receive_data(frame):
                self._take_event(event)
            self._flush()

    def _goes_away(self, last_taken: int) -> None:
        self._last_taken = last_taken
        for number, stream in list(self._streams.items()):
            if number > last_taken:
                self._end_untaken(stream, EndedBy.GOAWAY)

    def _take_event(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.WindowUpdated | h2.events.RemoteSettingsChanged):
            self._window_changed.set()
        number = getattr(event, "stream_id", None)
        stream = self._streams.get(number) if number else None
        if stream is None:
            return
        exchange = stream.exchange
        if isinstance(event, h2.events.ResponseReceived):
            pairs = [(str(name), str(value)) for name, value in event.headers or ()]
            status = dict(pairs).get(":status", "")
            exchange.first_ns, exchange.position = monotonic_ns(), 0
            exchange.head = self._slot.shared.heads.head_of(int(status) if status.isdecimal() else 0, pairs)
        elif isinstance(event, h2.events.DataReceived):
            exchange.nbytes += len(event.data or b"")
            exchange.position = exchange.nbytes
            self._protocol.acknowledge_received_data(event.flow_controlled_length or 0, number or 0)
        elif isinstance(event, h2.events.StreamEnded):
            self._finish(stream)
        elif isinstance(event, h2.events.StreamReset):
            if event.error_code == h2.errors.ErrorCodes.REFUSED_STREAM:
                self._end_untaken(stream, EndedBy.RST)
            else:
                exchange.fail(FailureKind.RESET, f"the stream was reset: error code {event.error_code}", EndedBy.RST)
                self._finish(stream)

    def _end_untaken(self, stream: _H2Stream, by: EndedBy) -> None:
        """End a stream that the server did not process. A client may safely repeat the request of such a stream."""
        stream.exchange.attempts, stream.exchange.ended_by = 0, by
        self._finish(stream)

    def _end_all(self, error: FailureKind, message: str, by: EndedBy | None) -> None:
        for stream in list(self._streams.values()):
            stream.exchange.fail(error, message, by)
            stream.exchange.end_ns = self.connection.ended_ns
            self._finish(stream)

    def _finish(self, stream: _H2Stream) -> None:
        self._streams.pop(stream.number, None)
        stream.done.set()
        self._window_changed.set()  # the stream may wait for flow control before it sends the body

    def _flush(self) -> int:
        data = self._protocol.data_to_send()
        self.connection.send(data)
        return len(data)
