"""One connection to the misbehaving server, as its behaviours see it, and what is counted there."""

import contextlib
import socket
import struct
import threading
from dataclasses import dataclass

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with which close sends RST."""


TURN_S = 0.2
"""How long a blocked read takes to see that the test is over."""


@dataclass(slots=True)
class Seen:
    """What arrived for one behaviour."""

    connections: int = 0
    requests: int = 0
    """Complete ones: the head, and as much body as it announces."""
    nbytes: int = 0
    """Bytes of the complete requests."""
    ended: int = 0
    """Connections on which the server has said its last: FIN or RST is out."""


class GoneError(Exception):
    """The client has closed the connection, or the test is over."""


class Exchange:
    """One accepted connection."""

    def __init__(self, sock: socket.socket, seen: Seen, lock: threading.Lock, over: threading.Event) -> None:
        self.sock = sock
        self.over = over
        self._seen, self._lock = seen, lock
        self._buffer = b""
        self._said_last = False

    def request(self) -> tuple[str, str, dict[str, str], bytes]:
        """Method, target, headers in lower case and body of the next request. Raises `GoneError` if there is none."""
        while b"\r\n\r\n" not in self._buffer:
            self._receive()
        head, _, _ = self._buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        start = len(head) + 4
        if headers.get("transfer-encoding") == "chunked":
            while not self._buffer.endswith(b"0\r\n\r\n"):
                self._receive()
            length = len(self._buffer) - start
        else:
            length = int(headers.get("content-length", "0"))
            while len(self._buffer) < start + length:
                self._receive()
        body = self._buffer[start : start + length]
        self._buffer = self._buffer[start + length :]
        with self._lock:
            self._seen.requests += 1
            self._seen.nbytes += start + length
        return method, target, headers, body

    def some_bytes(self) -> None:
        """Whatever comes next, and be it no HTTP."""
        self._receive()

    def send(self, data: bytes) -> None:
        try:
            self.sock.sendall(data)
        except OSError:
            raise GoneError from None

    def fin(self) -> None:
        """Half-close, then listen on: a close with unread bytes would send RST."""
        self._last()
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
        with contextlib.suppress(GoneError):
            while True:
                self.request()

    def rst(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.sock.close()
        self._last()

    def hang(self) -> None:
        """Say nothing more until the client gives up."""
        while True:
            self._receive()

    def close(self) -> None:
        if self.sock.fileno() >= 0:
            self.fin()
            self.sock.close()

    def _last(self) -> None:
        if not self._said_last:
            self._said_last = True
            with self._lock:
                self._seen.ended += 1

    def _receive(self) -> None:
        """More bytes. Waits in short turns, because nothing else ends a blocked read when the test is over."""
        while not self.over.is_set():
            try:
                data = self.sock.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                raise GoneError from None
            if not data:
                raise GoneError
            self._buffer += data
            return
        raise GoneError
