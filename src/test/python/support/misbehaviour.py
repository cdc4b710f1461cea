"""What the misbehaving server does with a connection: a behaviour for each way in which a server goes wrong.

A behaviour is given an `Exchange` and drives it: read a request (which counts it), send bytes, end by FIN or by RST.
When the function returns, the connection is ended by FIN.
"""

import ssl
from collections.abc import Callable

from support.exchange import TURN_S, Exchange

PAGE = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nX-Balancer: lb1\r\nContent-Length: 5\r\n\r\nhello"
BEGUN = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\n"
CHUNKED = BEGUN + b"Transfer-Encoding: chunked\r\n\r\n"
FILLERS = b"".join(b"X-Filler-%d: %s\r\n" % (number, b"x" * 100) for number in range(1000))

Behaviour = Callable[[Exchange], None]


def after_request(answer: bytes, end: Behaviour = Exchange.fin, *, requests: int = 1) -> Behaviour:
    """Reads a request, sends this, reads further requests, and ends so."""

    def serve(exchange: Exchange) -> None:
        exchange.request()
        if answer:
            exchange.send(answer)
        for _ in range(1, requests):
            exchange.request()
        end(exchange)

    return serve


BEHAVIOURS: dict[str, Behaviour] = {
    "fin_on_accept": Exchange.fin,
    "rst_after_request": after_request(b"", Exchange.rst),
    "fin_after_request": after_request(b""),
    "fin_in_status_line": after_request(b"HTTP/1.1 2"),
    "fin_in_headers": after_request(BEGUN + b"Content-Le"),
    "fin_between_headers": after_request(BEGUN),  # Only the blank line is missing.
    "rst_in_headers": after_request(BEGUN, Exchange.rst),
    "stall_in_headers": after_request(BEGUN, Exchange.hang),
    "fin_in_body": after_request(PAGE[:-2]),
    "rst_in_body": after_request(PAGE[:-2], Exchange.rst),
    "stall_in_body": after_request(PAGE[:-2], Exchange.hang),
    "fin_in_chunks": after_request(CHUNKED + b"5\r\nhello\r\n"),  # A whole chunk, then neither another nor the last.
    "fin_in_a_chunk": after_request(CHUNKED + b"5\r\nhel"),
    "garbage_chunk": after_request(CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n"),  # Its size is no number.
    "garbage": after_request(b"SSH-2.0-OpenSSH_9.6\r\n"),  # Another protocol altogether.
    # More headers than http.client reads, and a line longer than it allows.
    "huge_headers": after_request(
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000 + b"\r\n" + FILLERS + b"Content-Length: 0\r\n\r\n", requests=2
    ),
    "read_timeout": after_request(b"", Exchange.hang),
    # A virtual address has moved: RST to whatever is sent on the kept connection.
    "kept_rst": after_request(PAGE, Exchange.rst, requests=2),
    "kept_fin": after_request(PAGE, requests=2),
    "kept_silent": after_request(PAGE, Exchange.hang, requests=2),
    "idle_fin": after_request(PAGE),  # Nothing announced it.
}
"""By name."""


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS[function.__name__] = function
    return function


@behaviour
def kept_interim(exchange: Exchange) -> None:
    """Early hints before each page."""
    while True:
        exchange.request()
        exchange.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + PAGE)


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
def idle_rst(exchange: Exchange) -> None:
    """A page, and RST after the client has had time to read it."""
    exchange.request()
    exchange.send(PAGE)
    exchange.over.wait(0.1)
    exchange.rst()


@behaviour
def tls_fin(exchange: Exchange) -> None:
    """FIN in the middle of the handshake."""
    exchange.some_bytes()


@behaviour
def tls_garbage(exchange: Exchange) -> None:
    """Plain text where the client expects a handshake."""
    exchange.some_bytes()
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
