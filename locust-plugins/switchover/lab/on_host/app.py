"""A small application server: `app.py PORT SERVICE_MS BODY_BYTES KEEPALIVE(0|1) NAME ACCESS_LOG`.

The server serves one request at a time: it multiplies two random 20 x 20 matrices and waits for SERVICE_MS. NAME is
the value of the header X-Backend (`-`: no header). The access log has the format of the lab's Nginx. /health is
answered at once.
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress

SIZE = 20
MAX_HEAD = 64 * 1024


def multiply_random_matrices() -> float:
    """Multiply two matrices and return the trace of the product."""
    first = [[random.random() for _ in range(SIZE)] for _ in range(SIZE)]
    right = [[random.random() for _ in range(SIZE)] for _ in range(SIZE)]
    columns = list(zip(*right, strict=True))
    product = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in first]
    return sum((product[index][index] for index in range(SIZE)), 0.0)


class AppServer:
    def __init__(self, service_s: float, body_bytes: int, keepalive: bool, name: str, log: int) -> None:
        self._service_s = service_s
        self._body = b"x" * body_bytes
        self._keepalive = keepalive
        self._name = "" if name == "-" else f"X-Backend: {name}\r\n"
        self._log = log
        self._free_at = 0.0
        """The time on the monotonic clock when all waiting requests will have been served, one after the other."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with until_broken(writer):
            while await self._answer_one(reader, writer):
                pass

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request. Return False if the connection must be closed."""
        first, headers, _ = await read_head(reader)
        await drop_body(reader, headers)
        method, _, rest = first.partition(" ")
        path, _, protocol = rest.rpartition(" ")
        body = b"ok"
        if path != "/health":
            body = self._body
            await self._work_and_wait()
            if reader.at_eof():
                return False
            self._write_log(str(writer.get_extra_info("peername")[0]), first, len(body) * (method != "HEAD"))
        asks_to_close = headers.get("connection", "").lower() == "close" or protocol != "HTTP/1.1"
        is_persistent = self._keepalive and not asks_to_close
        state = "keep-alive" if is_persistent else "close"
        answer = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n"
            f"{self._name}Connection: {state}\r\n\r\n"
        )
        writer.write(answer.encode("ascii") + (body if method != "HEAD" else b""))
        await writer.drain()
        return is_persistent

    async def _work_and_wait(self) -> None:
        multiply_random_matrices()
        if self._service_s:
            self._free_at = max(self._free_at, time.monotonic()) + self._service_s
            await asyncio.sleep(self._free_at - time.monotonic())

    def _write_log(self, address: str, request: str, size: int) -> None:
        now = time.time()
        stamp = time.strftime("%d/%b/%Y:%H:%M:%S %z", time.localtime(now))
        quoted = request.replace('"', "\\x22")
        os.write(self._log, f'{now:.3f} {address} - - [{stamp}] "{quoted}" 200 {size} "-" "-"\n'.encode())


@contextmanager
def until_broken(writer: asyncio.StreamWriter, *errors: type[Exception]) -> Iterator[None]:
    """Run the block, then close the connection. Ignore the errors of a broken connection and of malformed data."""
    with (
        closing(writer),
        suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, *errors),
    ):
        yield


async def read_head(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    """Return the request line, the headers, and the raw bytes of both."""
    raw = await reader.readuntil(b"\r\n\r\n")
    first, *lines = raw.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    return first, {name.lower(): value.strip() for name, _, value in pairs}, raw


async def drop_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> None:
    """Read and discard a body that has a Content-Length or is chunked (RFC 9112 section 7.1)."""
    length = headers.get("content-length", "0")
    remaining = int(length) if length.isdecimal() else 0
    while remaining:
        remaining -= len(await reader.readexactly(min(remaining, MAX_HEAD)))
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            await drop_body(reader, {"content-length": str(size + 2)})
        while await reader.readuntil(b"\r\n") != b"\r\n":
            pass  # trailers


async def main(arguments: list[str]) -> None:
    port, service_ms, body_bytes, keepalive, name, log_file = arguments
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
    log = os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    app = AppServer(float(service_ms) / 1000, int(body_bytes), bool(int(keepalive)), name, log)
    server = await asyncio.start_server(app.serve, "0.0.0.0", int(port), backlog=4096, limit=MAX_HEAD)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
