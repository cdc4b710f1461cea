"""A real balancer that is reloaded while connections of every kind are open: what became of each of them.

Small sockets that never resend. A close counts as announced where an answer on that connection had said it
(`Connection: close`, GOAWAY): only then can a client know that its next request needs another connection.
"""

import asyncio
import base64
import hashlib
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.ports import free_ports
from switchover.faults.reload_promise.promise import Fate, Promise

PORTS = ("front", "h2_front", "tcp_front", "back", "tcp_back")
"""The names of the ports in a template: `{front}` and so on. The balancer listens on the first three."""
CONNECTIONS = 6
PAUSE_S = 0.05
SILENCE_S = 3.0
"""Of an idle connection between two requests."""
WATCH_S = 3.2
"""Until each idle connection has asked once more."""
KEY = base64.b64encode(bytes(16)).decode()
ACCEPT = base64.b64encode(
    hashlib.sha1(f"{KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode(), usedforsecurity=False).digest()
).decode()


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


@dataclass(frozen=True)
class Balancer:
    """A running program, and how it is reloaded."""

    directory: Path
    ports: dict[str, int]
    reload: Callable[[], None]


@contextmanager
def haproxy(directory: Path, template: str, start: str = "-W") -> Iterator[Balancer]:
    """`start` is -W; nothing where the file says master-worker; or -db: then a reload is a second program with -sf.

    With `-db -x` the second takes the listening sockets over by the socket `{directory}/s`.
    """
    ports = _ports()
    conf = _write(directory / "haproxy.cfg", template, directory, ports)
    command = ["haproxy", "-f", str(conf), *start.split()[:1]]
    log = (directory / "log").open("w")
    processes = [subprocess.Popen(command, stdout=log, stderr=log)]

    def reload() -> None:
        if not start.startswith("-db"):
            processes[0].send_signal(signal.SIGUSR2)
            return
        more = ["-x", f"{directory}/s"] if start.endswith("-x") else []
        old = str(processes[0].pid)
        processes.append(subprocess.Popen([*command, *more, "-sf", old], stdout=log, stderr=log))

    with log:
        try:
            yield Balancer(directory, ports, reload)
        finally:
            _end(processes)


@contextmanager
def nginx(directory: Path, template: str) -> Iterator[Balancer]:
    ports = _ports()
    conf = _write(directory / "nginx.conf", template, directory, ports)
    log = (directory / "log").open("w")
    command = ["nginx", "-p", str(directory), "-c", str(conf), "-g", "daemon off;"]
    processes = [subprocess.Popen(command, stdout=log, stderr=log)]
    with log:
        try:
            yield Balancer(directory, ports, lambda: processes[0].send_signal(signal.SIGHUP))
        finally:
            _end(processes)


def try_reload(balancer: Balancer, watch_s: float = WATCH_S) -> dict[str, Fates]:
    """Open connections of every kind, reload, and watch them for `watch_s`."""
    return asyncio.run(_try_reload(balancer, watch_s))


def _ports() -> dict[str, int]:
    return dict(zip(PORTS, free_ports(len(PORTS)), strict=True))


def _write(conf: Path, template: str, directory: Path, ports: dict[str, int]) -> Path:
    text = template.replace("{directory}", str(directory))
    for name, port in ports.items():
        text = text.replace(f"{{{name}}}", str(port))
    conf.write_text(text)
    return conf


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """The first of each program ends those that it has started."""
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


async def _try_reload(balancer: Balancer, watch_s: float) -> dict[str, Fates]:
    ports = balancer.ports
    trial = Trial(ports)
    web = await asyncio.start_server(_serve, "127.0.0.1", ports["back"])
    echo = await asyncio.start_server(_echo, "127.0.0.1", ports["tcp_back"])
    for name in ("front", "h2_front", "tcp_front"):
        await _wait_for_port(ports[name])
    kinds: dict[str, tuple[int, Callable[[Trial], Coroutine[None, None, None]]]] = {
        "fresh": (2, _fresh),
        "pooled": (CONNECTIONS, _pooled),
        "idle": (CONNECTIONS, _idle),
        "download": (2, _download),
        "upload": (2, _upload),
        "sse": (2, _events),
        "websocket": (2, _websocket),
        "tcp": (2, _tcp),
        "h2": (2, _h2),
    }
    tasks: list[asyncio.Task[None]] = []
    for kind, (count, run) in kinds.items():
        trial.fates[kind] = Fates(opened=count)
        tasks += [asyncio.create_task(run(trial)) for _ in range(count)]
    await asyncio.sleep(0.6)
    trial.reloaded_at = time.monotonic()
    balancer.reload()
    await asyncio.sleep(watch_s)
    trial.over = True
    for task in tasks:
        task.cancel()
    failures = [
        result for result in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(result, Exception)
    ]
    web.close()
    echo.close()
    assert not failures, failures
    return trial.fates


async def _wait_for_port(port: int) -> None:
    for _ in range(500):
        with suppress(OSError):
            async with _connected(port):
                return
        await asyncio.sleep(0.02)
    raise AssertionError(f"nothing listens on {port}")


@asynccontextmanager
async def _closing(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """Close a connection, whatever ends its use."""
    try:
        yield
    finally:
        writer.close()
        with suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(writer.wait_closed(), 0.5)
        writer.transport.abort()


@asynccontextmanager
async def _connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with _closing(writer):
        yield reader, writer


# The application behind the balancer.


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        async with _closing(writer):
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


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.CancelledError):
        async with _closing(writer):
            await _repeat(reader, writer)


async def _repeat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1000):
        writer.write(data)
        await writer.drain()


# The clients. Each opens again what was closed, but for the streams.


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
            async with _connected(trial.ports["front"]) as (reader, writer):
                await _ask(reader, writer)
        except _LOST:
            trial.lose("fresh")
        await asyncio.sleep(0.002)


async def _pooled(trial: Trial) -> None:
    await _kept(trial, "pooled", PAUSE_S)


async def _idle(trial: Trial) -> None:
    await _kept(trial, "idle", SILENCE_S)


async def _kept(trial: Trial, kind: str, pause_s: float) -> None:
    while not trial.over:
        async with _connected(trial.ports["front"]) as (reader, writer):
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
    async with _connected(port) as (reader, writer):
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


async def _download(trial: Trial) -> None:
    await _stream(trial, "download", trial.ports["front"], _request("/download"))


async def _upload(trial: Trial) -> None:
    hello = _request("/upload", "Content-Length: 1000000", method="POST")
    await _stream(trial, "upload", trial.ports["front"], hello, talks=b"line\n", hears=False)


async def _events(trial: Trial) -> None:
    await _stream(trial, "sse", trial.ports["front"], _request("/events"))


async def _websocket(trial: Trial) -> None:
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13")
    await _stream(trial, "websocket", trial.ports["front"], _request("/ws", *upgrade), talks=b"\x81\x80\0\0\0\0")


async def _tcp(trial: Trial) -> None:
    await _stream(trial, "tcp", trial.ports["tcp_front"], b"", talks=b"hello\n")


DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


async def _h2(trial: Trial) -> None:
    """A stream each 50 ms on one connection, begun without TLS. Those above the last of a GOAWAY were not taken."""
    fates = trial.fates["h2"]
    while not trial.over:
        async with _connected(trial.ports["h2_front"]) as (reader, writer):
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


def broken_promises(promises: dict[str, Promise], fates: dict[str, Fates]) -> list[str]:
    """Each kind of load whose connections fared otherwise than promised, in one line."""
    found = [(kind, promise, _disagreement(promise, fates[kind])) for kind, promise in promises.items()]
    return [
        f"{kind}: {promise.text} ({promise.because}), but {why}: {describe(kind, fates[kind])}"
        for kind, promise, why in found
        if why
    ]


def _disagreement(promise: Promise, fates: Fates) -> str:
    ended = [*fates.lost_after_s, *fates.unannounced_after_s]
    if promise.fate is Fate.KEPT and ended:
        return "some were lost or closed without a word"
    if promise.fate is Fate.MAY_BE_LOST and not ended:
        return "all were kept or told before"
    if promise.fate is Fate.CUT:
        assert promise.cut_after_s is not None
        if promise.cut_after_s > WATCH_S:
            return "some were cut before" if ended else ""
        if len(ended) < fates.opened:
            return "not all were cut"
        if min(ended) < promise.cut_after_s:
            return "some were cut before"
    return ""


def describe(kind: str, fates: Fates) -> str:
    """One line, for a failed test and for a look by hand."""
    return (
        f"{kind} open {fates.opened}, lost {_times(fates.lost_after_s)}, closed without a word "
        f"{_times(fates.unannounced_after_s)}, told before {fates.announced}"
    )


def _times(found: list[float]) -> str:
    return f"{len(found)} ({min(found):.2f} to {max(found):.2f} s)" if found else "0"
