"""What the misbehaving server does with a connection: one function for each way in which a server goes wrong.

A behaviour is given an `Exchange` and drives it: read a request (which counts it), send bytes, end by FIN or by RST.
When the function returns, the connection is ended by FIN.
"""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass

PAGE = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nX-Balancer: lb1\r\nContent-Length: 5\r\n\r\nhello"
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with which close sends RST."""


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


class Gone(Exception):
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
        """Method, target, headers in lower case and body of the next request. Raises `Gone` if there is none."""
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

    def send(self, data: bytes) -> None:
        try:
            self.sock.sendall(data)
        except OSError:
            raise Gone from None

    def fin(self) -> None:
        """Half-close, then listen on: a close with unread bytes would send RST."""
        self._last()
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
        with contextlib.suppress(Gone):
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
                raise Gone from None
            if not data:
                raise Gone
            self._buffer += data
            return
        raise Gone


Behaviour = Callable[[Exchange], None]
BEHAVIOURS: dict[str, Behaviour] = {}
"""By name, which is that of the function."""


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS[function.__name__] = function
    return function


@behaviour
def rst_on_accept(exchange: Exchange) -> None:
    exchange.rst()


@behaviour
def fin_on_accept(exchange: Exchange) -> None:
    exchange.fin()


@behaviour
def rst_after_request(exchange: Exchange) -> None:
    exchange.request()
    exchange.rst()


@behaviour
def fin_after_request(exchange: Exchange) -> None:
    exchange.request()
    exchange.fin()


@behaviour
def fin_in_status_line(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(b"HTTP/1.1 2")


@behaviour
def fin_in_headers(exchange: Exchange) -> None:
    """In the middle of a header line."""
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Le")


@behaviour
def fin_between_headers(exchange: Exchange) -> None:
    """After a whole header line: only the blank line is missing."""
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\n")


@behaviour
def rst_in_headers(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\n")
    exchange.rst()


@behaviour
def stall_in_headers(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\n")
    exchange.hang()


@behaviour
def fin_in_body(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(PAGE[:-2])


@behaviour
def rst_in_body(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(PAGE[:-2])
    exchange.rst()


@behaviour
def stall_in_body(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(PAGE[:-2])
    exchange.hang()


@behaviour
def slow_body(exchange: Exchange) -> None:
    """A whole page, a byte every 20 ms."""
    while True:
        exchange.request()
        exchange.send(PAGE[:-5])
        for byte in PAGE[-5:]:
            exchange.over.wait(0.02)
            exchange.send(bytes([byte]))


@behaviour
def fin_in_chunks(exchange: Exchange) -> None:
    """A whole chunk, and then neither another nor the last."""
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")


@behaviour
def fin_in_a_chunk(exchange: Exchange) -> None:
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")


@behaviour
def garbage_chunk(exchange: Exchange) -> None:
    """A chunk whose size is no number."""
    exchange.request()
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n")


@behaviour
def garbage(exchange: Exchange) -> None:
    """Another protocol altogether."""
    exchange.request()
    exchange.send(b"SSH-2.0-OpenSSH_9.6\r\n")


@behaviour
def huge_headers(exchange: Exchange) -> None:
    """More headers than http.client reads, and a line longer than it allows."""
    exchange.request()
    many = b"".join(b"X-Filler-%d: %s\r\n" % (number, b"x" * 100) for number in range(1000))
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000 + b"\r\n" + many + b"Content-Length: 0\r\n\r\n")
    exchange.request()


@behaviour
def read_timeout(exchange: Exchange) -> None:
    exchange.request()
    exchange.hang()


@behaviour
def kept_rst(exchange: Exchange) -> None:
    """A page, and RST to whatever is sent on the kept connection: a virtual address has moved."""
    exchange.request()
    exchange.send(PAGE)
    exchange.request()
    exchange.rst()


@behaviour
def kept_fin(exchange: Exchange) -> None:
    """A page, and FIN as soon as the next request has arrived."""
    exchange.request()
    exchange.send(PAGE)
    exchange.request()
    exchange.fin()


@behaviour
def kept_silent(exchange: Exchange) -> None:
    """A page, and no word more on the kept connection."""
    exchange.request()
    exchange.send(PAGE)
    exchange.request()
    exchange.hang()


@behaviour
def idle_fin(exchange: Exchange) -> None:
    """A page, and FIN behind it although nothing announced it."""
    exchange.request()
    exchange.send(PAGE)
    exchange.fin()


@behaviour
def idle_rst(exchange: Exchange) -> None:
    """A page, and RST after the client has had time to read it."""
    exchange.request()
    exchange.send(PAGE)
    exchange.over.wait(0.1)
    exchange.rst()


@behaviour
def tls_fin(exchange: Exchange) -> None:
    """FIN in the middle of the handshake."""
    exchange.sock.recv(65536)


@behaviour
def tls_garbage(exchange: Exchange) -> None:
    """Plain text where the client expects a handshake."""
    exchange.sock.recv(65536)
    exchange.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def secured(inner: Behaviour, context: ssl.SSLContext) -> Behaviour:
    """The same behind TLS."""

    def serve(exchange: Exchange) -> None:
        exchange.sock.settimeout(5)
        try:
            exchange.sock = context.wrap_socket(exchange.sock, server_side=True)
        except OSError:
            exchange.sock.close()
            return
        exchange.sock.settimeout(TURN_S)
        inner(exchange)

    return serve


TURN_S = 0.2
"""How long a blocked read takes to see that the test is over."""
