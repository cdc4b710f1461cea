"""One connection of the held connections: opened, or given up without a trace."""

import asyncio
import contextlib
import socket
import ssl
import threading
from pathlib import Path

import pytest

from support.certificate import write_certificate
from support.servers import tcp_server
from switchover.connections.connection import HeldConnection, Route
from switchover.http.address import resolve


def route_to(port: int, certificate: Path) -> Route:
    return Route(resolve("127.0.0.1", port), ssl.create_default_context(cafile=certificate), "127.0.0.1")


class GivenUp(HeldConnection):
    """One that its task gives up at the moment at which it is there."""

    task: "asyncio.Task[HeldConnection]"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.task.cancel()


def test_one_that_is_given_up_leaves_its_socket_to_no_other(tmp_path: Path) -> None:
    """A number that is closed under asyncio's transport is given to the next connection, which breaks off."""
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, tmp_path / "key.pem")

    def shake_hands(connection: socket.socket, over: threading.Event) -> None:
        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True):
            over.wait()

    async def open_in_vain(route: Route) -> None:
        for _ in range(3):
            GivenUp.task = asyncio.create_task(GivenUp.open(route, 5.0))
            with pytest.raises(asyncio.CancelledError):
                await GivenUp.task

    with tcp_server(shake_hands) as port:
        asyncio.run(open_in_vain(route_to(port, certificate)))


def test_bytes_go_both_ways_over_tls_and_its_end_is_seen(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, tmp_path / "key.pem")

    def echo_once(connection: socket.socket, _over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.sendall(tls.recv(100))

    async def talk(route: Route) -> tuple[bytes, bool]:
        connection = await HeldConnection.open(route, 5.0)
        connection.send(b"hello")
        assert await connection.more(5.0)
        answer = connection.take()
        return answer, await connection.more(5.0)

    with tcp_server(echo_once) as port:
        assert asyncio.run(talk(route_to(port, certificate))) == (b"hello", False)
