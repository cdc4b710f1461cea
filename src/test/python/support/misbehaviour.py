"""What the misbehaving server does with a connection: one function for each way in which a server goes wrong.

A behaviour is given an `Exchange` and drives it: read a request (which counts it), send bytes, end by FIN or by RST.
When the function returns, the connection is ended by FIN.
"""

import ssl
from collections.abc import Callable

from support.exchange import TURN_S, Exchange

PAGE = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nX-Balancer: lb1\r\nContent-Length: 5\r\n\r\nhello"

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
