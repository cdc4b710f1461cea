"""Clients of every kind on a balancer that is reloaded. Small sockets that never resend.

A close counts as announced where an answer on that connection had said it (`Connection: close`, GOAWAY): only then
can a client know that its next request needs another connection.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from support.reload_application import KEY, PAUSE_S, closing

SILENCE_S = 3.0
"""Of an idle connection between two requests."""
CONNECTIONS = 6


@dataclass
class Fates:
    """What became of the connections of one kind."""

    opened: int = 0
    """Open when the reload was asked for."""
    lost_after_s: list[float] = field(default_factory=list)
    """A request or a stream that was under way and did not end whole: when, after the signal."""
    unannounced_after_s: list[float] = field(default_factory=list)
    """A kept connection that was closed without a word: a request sent at that moment is lost."""
    announced: int = 0


@dataclass
class Trial:
    """One balancer, and when it was told to reload."""

    ports: dict[str, int]
    fates: dict[str, Fates] = field(default_factory=dict)
    reloaded_at: float | None = None
    over: bool = False

    def since_reload_s(self) -> float:
        return 0.0 if self.reloaded_at is None else time.monotonic() - self.reloaded_at

    def lose(self, kind: str) -> None:
        if not self.over:
            self.fates[kind].lost_after_s.append(self.since_reload_s())


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with closing(writer):
        yield reader, writer


def _request(path: str, *lines: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: a.example", *lines, "", ""]).encode()


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """One POST and its whole answer. True: the answer says that the connection is closed. Raises where it is lost."""
    writer.write(_request("/post", "Content-Length: 2", method="POST") + b"hi")
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    await reader.readexactly(2)
    return "connection: close" in head


_LOST = (OSError, asyncio.IncompleteReadError)


async def _fresh(trial: Trial) -> None:
    while not trial.over:
        try:
            async with connected(trial.ports["front"]) as (reader, writer):
                await _ask(reader, writer)
        except _LOST:
            trial.lose("fresh")
        await asyncio.sleep(0.002)


async def _kept(trial: Trial, kind: str, pause_s: float) -> None:
    while not trial.over:
        async with connected(trial.ports["front"]) as (reader, writer):
            try:
                await _ask_again_and_again(trial, kind, pause_s, reader, writer)
            except _LOST:
                trial.lose(kind)


async def _ask_again_and_again(
    trial: Trial, kind: str, pause_s: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Until the connection closes, announced in an answer or not."""
    fates = trial.fates[kind]
    while not trial.over:
        if await _ask(reader, writer):
            fates.announced += trial.reloaded_at is not None
            return
        try:
            await asyncio.wait_for(reader.read(1), pause_s)
        except TimeoutError:
            continue
        except OSError:
            pass
        if trial.reloaded_at is not None and not trial.over:
            fates.unannounced_after_s.append(trial.since_reload_s())
        return


async def _stream(
    trial: Trial, kind: str, port: int, hello: bytes, *, talks: bytes = b"", hears: bool = True
) -> None:
    """Open once; lost where the other side ends it before the trial is over."""
    async with connected(port) as (reader, writer):
        try:
            writer.write(hello)
            if hears and hello:
                await reader.readuntil(b"\r\n\r\n")
            while not trial.over:
                if talks:
                    writer.write(talks)
                    await writer.drain()
                try:
                    found = await asyncio.wait_for(reader.read(10_000), PAUSE_S)
                except TimeoutError:
                    continue
                if not found or not hears:
                    raise ConnectionResetError
                await asyncio.sleep(PAUSE_S)
        except _LOST:
            trial.lose(kind)


async def _upload(trial: Trial) -> None:
    hello = _request("/upload", "Content-Length: 1000000", method="POST")
    await _stream(trial, "upload", trial.ports["front"], hello, talks=b"line\n", hears=False)


async def _websocket(trial: Trial) -> None:
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13")
    await _stream(trial, "websocket", trial.ports["front"], _request("/ws", *upgrade), talks=b"\x81\x80\0\0\0\0")


DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


async def _h2(trial: Trial) -> None:
    """A stream each 50 ms on one connection, begun without TLS. Those above the last of a GOAWAY were not taken."""
    fates = trial.fates["h2"]
    while not trial.over:
        async with connected(trial.ports["h2_front"]) as (reader, writer):
            streams = _Streams()
            try:
                await streams.run(trial, reader, writer)
                fates.announced += streams.told is not None
            except _LOST:
                if streams.open:
                    trial.lose("h2")
                elif trial.reloaded_at is not None and streams.told is None:
                    fates.unannounced_after_s.append(trial.since_reload_s())


class _Streams:
    """The streams of one connection, until a GOAWAY has been told and those that it took have ended."""

    def __init__(self) -> None:
        self.open: set[int] = set()
        self.told: int | None = None

    async def run(self, trial: Trial, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(SETTINGS, 0, 0))
        stream, due = 1, time.monotonic()
        while not trial.over and (self.told is None or self.open):
            if self.told is None and time.monotonic() >= due:
                writer.write(_frame(HEADERS, 5, stream, b"\x82\x86\x84\x01\x01a"))
                self.open.add(stream)
                stream, due = stream + 2, due + PAUSE_S
            try:
                head = await asyncio.wait_for(reader.readexactly(9), 0.01)
            except TimeoutError:
                continue
            self._take(head, await reader.readexactly(int.from_bytes(head[:3], "big")), trial, writer)

    def _take(self, head: bytes, payload: bytes, trial: Trial, writer: asyncio.StreamWriter) -> None:
        kind, flags, number = head[3], head[4], int.from_bytes(head[5:9], "big")
        if kind in (SETTINGS, PING) and not flags & 1:
            writer.write(_frame(kind, 1, 0, payload if kind == PING else b""))
        elif kind == GOAWAY:
            told = int.from_bytes(payload[:4], "big")
            self.told = told
            self.open = {one for one in self.open if one <= told}
        elif kind == RST_STREAM:
            self.open.discard(number)
            trial.lose("h2")
        elif kind in (DATA, HEADERS) and flags & 1:
            self.open.discard(number)


KINDS: dict[str, tuple[int, Callable[[Trial], Coroutine[None, None, None]]]] = {
    "fresh": (2, _fresh),
    "pooled": (CONNECTIONS, lambda trial: _kept(trial, "pooled", PAUSE_S)),
    "idle": (CONNECTIONS, lambda trial: _kept(trial, "idle", SILENCE_S)),
    "download": (2, lambda trial: _stream(trial, "download", trial.ports["front"], _request("/download"))),
    "upload": (2, _upload),
    "sse": (2, lambda trial: _stream(trial, "sse", trial.ports["front"], _request("/events"))),
    "websocket": (2, _websocket),
    "tcp": (2, lambda trial: _stream(trial, "tcp", trial.ports["tcp_front"], b"", talks=b"hello\n")),
    "h2": (2, _h2),
}
"""How many connections of each kind, and what keeps one open."""
