"""The application that serves held connections, on the host of a web server.

    `python -P -m switchover.lab.on_host.held_app HTTP_PORT TCP_PORT`

`POST /connections/post` answers at once, or after N ms if the query is ?ms=N. `POST /connections/upload` answers
after the complete body has arrived. `GET /connections/download` sends numbered lines for N seconds if the query is
?s=N, `sse` sends a numbered event every 200 ms, and `websocket` echoes messages. Lines on TCP_PORT are echoed. After
SIGTERM, each stream ends as its protocol requires.
"""

import asyncio
import signal
import sys
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Request, TextMessage
from wsproto.utilities import RemoteProtocolError

from switchover.lab.on_host.app import MAX_HEAD, drop_body, read_head, until_broken

DOWNLOAD_S = 8.0
LINE_S = 0.1
EVENT_S = 0.2
GOING_AWAY = 1001
LAST_WORDS_S = 1.0
"""The time limit, in seconds after SIGTERM, for all streams to end."""

_STOPPING = asyncio.Event()


async def serve_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with until_broken(writer, RemoteProtocolError):
        while True:
            await _answer(reader, writer)


async def serve_lines(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with until_broken(writer):
        while line := await reader.readline():
            writer.write(line)
            await writer.drain()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    first, headers, raw = await read_head(reader)
    method, target, _ = first.split(" ", 2)
    parts = urlsplit(target)
    query = {name: float(values[0]) for name, values in parse_qs(parts.query).items()}
    if headers.get("upgrade", "").lower() == "websocket":
        await _echo_messages(raw, reader, writer)
        raise ConnectionResetError
    await drop_body(reader, headers)
    if parts.path == "/connections/download":
        await _send_lines(writer, query.get("s", DOWNLOAD_S))
    elif parts.path == "/connections/sse":
        await _push_events(writer)
        raise ConnectionResetError
    else:
        if "ms" in query:
            await asyncio.sleep(query["ms"] / 1000)
        body = b"" if method == "HEAD" else b"ok\n"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n" + body)
        await writer.drain()


async def _send_lines(writer: asyncio.StreamWriter, lasts_s: float) -> None:
    lines = max(1, round(lasts_s / LINE_S))
    writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {16 * lines}\r\n\r\n".encode())
    for number in range(lines):
        writer.write(b"%015d\n" % number)
        await writer.drain()
        await asyncio.sleep(LINE_S)


async def _push_events(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    number = 0
    while not _STOPPING.is_set():
        number += 1
        writer.write(b"id: %d\ndata: %d\n\n" % (number, number))
        await writer.drain()
        with suppress(TimeoutError):
            await asyncio.wait_for(_STOPPING.wait(), EVENT_S)
    writer.write(b"event: end\ndata: bye\n\n")
    await writer.drain()


async def _echo_messages(raw: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    protocol = WSConnection(ConnectionType.SERVER)
    protocol.receive_data(raw)
    stopping = asyncio.create_task(_announce_end(protocol, writer))
    try:
        while True:
            for event in protocol.events():
                if isinstance(event, Request):
                    writer.write(protocol.send(AcceptConnection()))
                elif isinstance(event, TextMessage):
                    writer.write(protocol.send(TextMessage(event.data, event.frame_finished, event.message_finished)))
                elif isinstance(event, Ping):
                    writer.write(protocol.send(event.response()))
                elif isinstance(event, CloseConnection):
                    if not stopping.done():
                        writer.write(protocol.send(event.response()))
                    return
            await writer.drain()
            data = await reader.read(65536)
            if not data:
                return
            protocol.receive_data(data)
    finally:
        stopping.cancel()


async def _announce_end(protocol: WSConnection, writer: asyncio.StreamWriter) -> None:
    await _STOPPING.wait()
    writer.write(protocol.send(CloseConnection(code=GOING_AWAY)))


async def serve(http_port: int, tcp_port: int) -> None:
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, _STOPPING.set)
    await asyncio.start_server(serve_http, "0.0.0.0", http_port, backlog=4096, limit=MAX_HEAD)
    await asyncio.start_server(serve_lines, "0.0.0.0", tcp_port, backlog=4096, limit=MAX_HEAD)
    await _STOPPING.wait()
    await asyncio.sleep(LAST_WORDS_S)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
