"""A place of held connections against a server of the test's own, in one event loop."""

import asyncio
import contextlib
import csv
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from switchover.connections.connection import Route
from switchover.connections.process import run_places
from switchover.connections.records import HeldRecords
from switchover.connections.slot import Lateness, Shared, Slot
from switchover.connections.spec import HeldSpec, KeptOpen
from switchover.http.address import resolve
from switchover.http.head import HeadReader
from switchover.model.clock import Clock
from switchover.model.held_kind import HeldKind
from switchover.target.model import Endpoint

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
PATIENCE_S = 30.0
SHORT_S = 0.5
"""Until silence is one."""
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Worker: 17\r\nX-Backend: web1\r\nX-Balancer: lb1\r\n\r\nok"


def keep_open(
    kind: HeldKind,
    serve: Serve,
    log: Path,
    *,
    rows: int,
    count: int = 1,
    body_s: float = 0.3,
    timeout_s: float = PATIENCE_S,
) -> list[dict[str, str]]:
    """The first rows of a kind whose connections `serve` answers; it is silent only to whoever waits less long."""
    return asyncio.run(_keep_open(kind, serve, log, rows, count, body_s, timeout_s))


async def _keep_open(
    kind: HeldKind, serve: Serve, log: Path, rows: int, count: int, body_s: float, timeout_s: float
) -> list[dict[str, str]]:
    served: set[asyncio.Task[None]] = set()

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        served.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    scheme = "tcp" if kind is HeldKind.TCP else "http"
    load = KeptOpen(kind, count, f"{scheme}://127.0.0.1:{port}/")
    endpoint = Endpoint(url=f"http://127.0.0.1:{port}/")
    spec = HeldSpec(endpoint, log, (load,), body_s=body_s, timeout_read_s=timeout_s)
    records = HeldRecords(spec, Clock.of_process().anchor_ns)
    shared = Shared(spec, HeadReader(spec.identity), records, Lateness())
    route = Route(resolve("127.0.0.1", port))
    slots = [Slot(load, number, route, endpoint, shared) for number in range(1, count + 1)]
    task = asyncio.create_task(run_places(kind, slots))
    found: list[dict[str, str]] = []
    async with asyncio.timeout(2 * PATIENCE_S):
        while len(found) < rows and not task.done():
            await asyncio.sleep(0.02)
            records.flush()
            found = read_rows(log)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    for slot in slots:
        slot.drop()
    records.close()
    server.close()
    for handler in served:
        handler.cancel()
    await asyncio.gather(*served, return_exceptions=True)
    await asyncio.sleep(0.01)  # until asyncio has closed what was told to close
    return found[:rows]


def read_rows(log: Path) -> list[dict[str, str]]:
    with log.open(newline="") as file:
        return list(csv.DictReader(file))


def told(rows: Sequence[dict[str, str]]) -> list[tuple[str, str, str]]:
    """Error, what ended it, and the position of each row."""
    return [(row["error"], row["ended_by"], row["position"]) for row in rows]


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Head and body of a request."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0
    )
    return head + await reader.readexactly(length)


def reset(writer: asyncio.StreamWriter) -> None:
    """Close by RST."""
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
