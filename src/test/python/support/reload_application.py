"""What answers behind a balancer that is reloaded: requests, endless streams, a WebSocket, lines that are echoed."""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PAUSE_S = 0.05
KEY = base64.b64encode(bytes(16)).decode()
ACCEPT = base64.b64encode(
    hashlib.sha1(f"{KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode(), usedforsecurity=False).digest()
).decode()


@asynccontextmanager
async def closing(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """Close a connection, whatever ends its use."""
    try:
        yield
    finally:
        writer.close()
        with suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(writer.wait_closed(), 0.5)
        writer.transport.abort()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        async with closing(writer):
            await _answer(reader, writer)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split()[1]
        if "upgrade: websocket" in head.lower():
            writer.write(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + ACCEPT.encode() + b"\r\n\r\n"
            )
            await _repeat(reader, writer)
            return
        length = next(
            (int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0
        )
        await reader.readexactly(length)
        if path in ("/download", "/events"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000000\r\n\r\n")
            while True:
                writer.write(b"data: 1\n\n")
                await writer.drain()
                await asyncio.sleep(PAUSE_S)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.CancelledError):
        async with closing(writer):
            await _repeat(reader, writer)


async def _repeat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1000):
        writer.write(data)
        await writer.drain()
