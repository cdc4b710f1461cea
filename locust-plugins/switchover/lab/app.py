"""A small application server that serves one request at a time.

    app.py PORT WORK SERVICE_MS BODY_BYTES KEEPALIVE(0|1) NAME ACCESS_LOG

Each answer costs the multiplication of two random 20 x 20 matrices, WORK times, and SERVICE_MS of waiting in the
order of arrival: the capacity is 1000 / SERVICE_MS a second without using the cores. NAME is sent as X-Backend,
unless it is `-`. One epoll loop; HTTP/1.1 with persistent connections and pipelining. The log has the format of the
lab's Nginx: `$msec $remote_addr - - [time] "request" status bytes "-" "-"`. /health costs nothing and is not logged.
"""

import os
import random
import selectors
import signal
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field

SIZE = 20
MAX_HEAD = 64 * 1024


def multiply_random_matrices() -> float:
    """The trace of the product, so that nothing of the work is for nothing."""
    left = [[random.random() for _ in range(SIZE)] for _ in range(SIZE)]
    right = [[random.random() for _ in range(SIZE)] for _ in range(SIZE)]
    columns = list(zip(*right, strict=True))
    product = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left]
    return sum((product[index][index] for index in range(SIZE)), 0.0)


@dataclass(eq=False, slots=True)
class AppConnection:
    """One client: what it has sent and what it has not read yet."""

    socket: socket.socket
    address: str
    incoming: bytearray = field(default_factory=bytearray)
    outgoing: bytearray = field(default_factory=bytearray)
    closing: bool = False
    gone: bool = False
    waiting: int = 0
    """Answers that are not due yet."""
    skip: int = 0
    """Bytes of a request body still to come; they are read and dropped."""
    in_chunks: bool = False
    """The body comes in chunks (RFC 9112 section 7.1), and its last one is still to come."""


class AppServer:
    def __init__(
        self,
        listener: socket.socket,
        work: int,
        body_bytes: int,
        keepalive: bool,
        log: int,
        *,
        service_s: float = 0.0,
        name: str = "-",
    ) -> None:
        self._listener = listener
        self._work = work
        self._service_s = service_s
        self._free_at = 0.0
        """When the one worker has served all that waits, by the monotonic clock."""
        self._waiting: deque[tuple[float, AppConnection, bytes, str, int]] = deque()
        """Answers in the order of their requests: when due, for whom, what, and the log's request and size."""
        self._name = "" if name == "-" else f"X-Backend: {name}\r\n"
        self._body = b"x" * body_bytes
        self._keepalive = keepalive
        self._log = log
        self._selector = selectors.DefaultSelector()
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ)

    def serve_forever(self) -> None:
        while True:
            wait_s = max(0.0, self._waiting[0][0] - time.monotonic()) if self._waiting else None
            for key, _ in self._selector.select(wait_s):
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    self._turn(key.data)
            self._send_due()

    def _send_due(self) -> None:
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            _, connection, answer, request, size = self._waiting.popleft()
            connection.waiting -= 1
            if not connection.gone:
                connection.outgoing += answer
                self._write_log(connection.address, request, size)
                self._turn(connection)

    def _accept(self) -> None:
        try:
            accepted, address = self._listener.accept()
        except OSError:
            return
        accepted.setblocking(False)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(accepted, selectors.EVENT_READ, AppConnection(accepted, str(address[0])))

    def _turn(self, connection: AppConnection) -> None:
        """Read what there is, answer every whole request, send what goes out."""
        try:
            if not connection.closing or connection.waiting:
                self._read(connection)
            while not connection.closing and self._answer_one(connection):
                pass
            if connection.outgoing:
                del connection.outgoing[: connection.socket.send(connection.outgoing)]
        except BlockingIOError:
            pass
        except (OSError, ValueError):  # it has gone away, or its chunks are none
            connection.outgoing.clear()
            connection.closing, connection.waiting = True, 0
        if connection.closing and not connection.outgoing and not connection.waiting:
            self._selector.unregister(connection.socket)
            connection.socket.close()
            connection.gone = True
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.outgoing else 0)
        if connection.closing:
            events = selectors.EVENT_WRITE if connection.outgoing else selectors.EVENT_READ
        self._selector.modify(connection.socket, events, connection)

    def _read(self, connection: AppConnection) -> None:
        try:
            data = connection.socket.recv(65536)
        except BlockingIOError:
            return
        if not data:
            connection.closing, connection.waiting = True, 0
        connection.incoming += data
        in_body = connection.skip or connection.in_chunks
        if len(connection.incoming) > MAX_HEAD and b"\r\n\r\n" not in connection.incoming and not in_body:
            connection.closing = True

    def _answer_one(self, connection: AppConnection) -> bool:
        """True when a whole request was there and has been answered."""
        if not _drop_body(connection):
            return False
        end = connection.incoming.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(connection.incoming[:end]).decode("latin-1").split("\r\n")
        del connection.incoming[: end + 4]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        length = headers.get("content-length", "0")
        connection.skip = int(length) if length.isdecimal() else 0
        connection.in_chunks = headers.get("transfer-encoding", "").lower() == "chunked"
        if "expect" in headers and not connection.waiting:
            connection.outgoing += b"HTTP/1.1 100 Continue\r\n\r\n"
        method, _, rest = head[0].partition(" ")
        path, _, protocol = rest.rpartition(" ")
        kept = self._keepalive and headers.get("connection", "").lower() != "close" and protocol == "HTTP/1.1"
        body = b"ok" if path == "/health" else self._work_for(path)
        state = "keep-alive" if kept else "close"
        answer = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n"
            f"{self._name}Connection: {state}\r\n\r\n"
        ).encode("ascii")
        size = len(body) if method != "HEAD" else 0
        answer += body[:size]
        connection.closing = not kept
        if self._service_s and path != "/health":
            self._free_at = max(self._free_at, time.monotonic()) + self._service_s
            self._waiting.append((self._free_at, connection, answer, head[0], size))
            connection.waiting += 1
            return True
        connection.outgoing += answer
        if path != "/health":
            self._write_log(connection.address, head[0], size)
        return True

    def _work_for(self, path: str) -> bytes:
        for _ in range(self._work):
            multiply_random_matrices()
        return self._body

    def _write_log(self, address: str, request: str, size: int) -> None:
        now = time.time()
        stamp = time.strftime("%d/%b/%Y:%H:%M:%S %z", time.localtime(now))
        quoted = request.replace('"', "\\x22")
        os.write(self._log, f'{now:.3f} {address} - - [{stamp}] "{quoted}" 200 {size} "-" "-"\n'.encode())


def _drop_body(connection: AppConnection) -> bool:
    """Whether the body of the last request has come whole, and is dropped."""
    incoming = connection.incoming
    while True:
        dropped = min(connection.skip, len(incoming))
        del incoming[:dropped]
        connection.skip -= dropped
        if connection.skip or not connection.in_chunks:
            return not connection.skip
        size, end, _ = incoming.partition(b"\r\n")
        if not end:
            return False
        length = int(size.partition(b";")[0] or b"0", 16)
        if not length and b"\r\n\r\n" not in incoming:
            return False  # the last chunk, and trailers behind it
        del incoming[: len(size) + 2 if length else incoming.index(b"\r\n\r\n") + 4]
        connection.skip, connection.in_chunks = (length + 2, True) if length else (0, False)


def main(arguments: list[str]) -> None:
    port, work, service_ms = int(arguments[0]), int(arguments[1]), float(arguments[2])
    body_bytes, keepalive, name = int(arguments[3]), bool(int(arguments[4])), arguments[5]
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
    listener = socket.create_server(("0.0.0.0", port), backlog=4096)
    log = os.open(arguments[6], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    server = AppServer(listener, work, body_bytes, keepalive, log, service_s=service_ms / 1000, name=name)
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
