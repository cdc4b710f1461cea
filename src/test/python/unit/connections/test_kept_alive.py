"""What keeps a connection alive is no loss: pings, heart-beats, tickets."""

import asyncio
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Ping, Request, TextMessage

from support.certificate import write_certificate
from support.connections import GOOD, Serve, keep_open, read_request, told
from support.servers import tcp_server
from switchover.connections.connection import HeldConnection, Route
from switchover.http.address import resolve
from switchover.model.held_kind import HeldKind

PATIENCE_S = 30.0


def serve_events(*blocks: bytes, last: bytes = b"") -> Serve:
    """Server-sent events in chunks, one by one; `last` comes in one piece with the end of the answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for block in blocks:
            writer.write(chunk(block))
            await writer.drain()
            await asyncio.sleep(0.05)
        if last:
            writer.write(chunk(last) + chunk(b""))
        await reader.read()

    return serve


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_an_event_end_in_one_piece_with_the_end_of_the_answer_is_polite_with_either_line_end(log: Path) -> None:
    rows = keep_open(HeldKind.SSE, serve_events(b"id: 1\r\n\r\n", last=b"event: end\r\n\r\n"), log, rows=3)
    assert told(rows) == [("", "", "0"), ("", "", "1"), ("", "close", "1")]


def serve_websocket(answer: Callable[[WSConnection, Event], list[bytes]]) -> Serve:
    """A WebSocket; the pieces of an answer are sent one by one."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = WSConnection(ConnectionType.SERVER)
        while data := await reader.read(65536):
            protocol.receive_data(data)
            for event in protocol.events():
                pieces = (
                    [protocol.send(AcceptConnection())] if isinstance(event, Request) else answer(protocol, event)
                )
                for piece in pieces:
                    writer.write(piece)
                    await asyncio.sleep(0.05)

    return serve


def test_a_ping_between_messages_is_answered_and_no_loss(log: Path) -> None:
    def echo_and_ping(protocol: WSConnection, event: Event) -> list[bytes]:
        if not isinstance(event, TextMessage):
            return []
        return [protocol.send(TextMessage(data=event.data)), protocol.send(Ping(payload=b"there?"))]

    rows = keep_open(HeldKind.WEBSOCKET, serve_websocket(echo_and_ping), log, rows=4)
    assert told(rows) == [("", "", str(number)) for number in range(4)]


def test_a_close_frame_in_one_piece_with_an_echo_is_polite(log: Path) -> None:
    def echo_and_close(protocol: WSConnection, event: Event) -> list[bytes]:
        if not isinstance(event, TextMessage):
            return []
        return [protocol.send(TextMessage(data=event.data)) + protocol.send(CloseConnection(code=1001))]

    rows = keep_open(HeldKind.WEBSOCKET, serve_websocket(echo_and_close), log, rows=4)
    assert told(rows) == [("", "", "0"), ("", "", "1"), ("", "close", "1"), ("", "", "0")]


async def _is_open_with_tickets(port: int, certificate: Path) -> bool:
    """Asked of a TLS connection whose session tickets have come while this process did nothing."""
    route = Route(resolve("127.0.0.1", port), ssl.create_default_context(cafile=str(certificate)), "localhost")
    connection = await HeldConnection.open(route, PATIENCE_S)
    assert connection._sock is not None
    select.select([connection._sock], [], [], 1.0)  # blocks, so asyncio reads nothing meanwhile
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await connection.is_open()
    finally:
        connection.close()


def test_session_tickets_that_were_not_read_yet_keep_nobody_waiting(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))

    def serve(connection: socket.socket, over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True):
            over.wait(PATIENCE_S)

    with tcp_server(serve) as port:
        assert asyncio.run(_is_open_with_tickets(port, certificate))


def test_a_close_that_came_with_the_last_answer_is_seen_before_the_next_request_is_sent() -> None:
    def answer_and_close(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(GOOD)
        connection.close()

    async def is_open_behind_the_answer(port: int) -> bool:
        connection = await HeldConnection.open(Route(resolve("127.0.0.1", port)), PATIENCE_S)
        assert connection._sock is not None
        both = select.poll()
        both.register(connection._sock, select.POLLRDHUP)
        both.poll(PATIENCE_S * 1000)  # blocks, so asyncio reads nothing meanwhile
        try:
            await connection.more(PATIENCE_S)
            assert connection.take() == GOOD and connection.ended_by is None
            return await connection.is_open()
        finally:
            connection.close()
            await asyncio.sleep(0)  # until asyncio has closed it

    with tcp_server(answer_and_close) as port:
        assert not asyncio.run(is_open_behind_the_answer(port))


def test_a_request_is_lost_if_this_process_stood_still_while_it_sent(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(GOOD)
        await read_request(reader)

    send = HeldConnection.send

    def send_and_stand_still(connection: HeldConnection, data: bytes) -> None:
        send(connection, data)
        time.sleep(0.01)

    monkeypatch.setattr(HeldConnection, "send", send_and_stand_still)
    rows = keep_open(HeldKind.POOLED, answer_once, log, rows=2)
    assert told(rows) == [("", "", "2"), ("truncated", "fin", "0")]
