"""One TCP connection, optionally with TLS. The connection stores the received bytes, and how the connection ended."""

import asyncio
import socket
import ssl
from dataclasses import dataclass
from time import monotonic_ns

from switchover.http.address import Peer
from switchover.rundir.sample_log import EndedBy

CATCH_UP_ROUNDS = 4
"""The maximum number of event loop rounds that `catch_up` waits. asyncio reads the bytes in one round, and a FIN in
the next round."""


@dataclass(frozen=True, slots=True)
class Route:
    peer: Peer
    tls: ssl.SSLContext | None = None
    server_name: str | None = None


class HeldConnection(asyncio.Protocol):
    """A connection that stores received bytes. Only one task at a time may wait for `more`."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.first_ns = 0
        """The time when the first byte arrived. A new request sets the time to 0."""
        self.last_ns = 0
        self.ended_by: EndedBy | None = None
        """FIN or RST, as soon as it was received from the peer. None: the peer may still send data."""
        self.ended_ns = 0
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._sock: socket.socket | None = None

    @classmethod
    async def open(cls, route: Route, timeout_s: float) -> "HeldConnection":
        """Open the connection. Raises OSError or TimeoutError."""
        loop = asyncio.get_running_loop()
        sock = socket.socket(route.peer.family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        async with asyncio.timeout(timeout_s):
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                await loop.sock_connect(sock, route.peer.address)
            except BaseException:
                sock.close()
                raise
            # From here on, the transport owns the socket. If the socket were closed here, the next connection would
            # get the same file descriptor while the transport still reads from this descriptor.
            transport, connection = await loop.create_connection(cls, sock=sock)
            connection._sock = sock
            if route.tls is not None:
                try:
                    connection._transport = await loop.start_tls(
                        transport, connection, route.tls, server_hostname=route.server_name
                    )
                except BaseException:
                    transport.abort()
                    raise
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self.last_ns = monotonic_ns()
        self.first_ns = self.first_ns or self.last_ns
        self.received += data
        self._wake()

    def eof_received(self) -> bool:
        self._end(EndedBy.FIN)
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self._end(EndedBy.FIN if error is None or isinstance(error, ssl.SSLError) else EndedBy.RST)

    def take(self) -> bytes:
        data = bytes(self.received)
        self.received.clear()
        return data

    def send(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    async def more(self, timeout_s: float) -> bool:
        """Wait until bytes arrive. Returns False if the connection has ended. Raises TimeoutError."""
        if not self.received and self.ended_by is None:
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            try:
                async with asyncio.timeout(timeout_s):
                    await self._waiter
            finally:
                self._waiter = None
        return bool(self.received)

    async def is_open(self) -> bool:
        """Return True if the connection is open and there is nothing to read.

        If a response and a FIN arrive while this process waits for a processor, asyncio first reads only the
        response. Without this check, the client would send a request up to 72 ms after the FIN.
        """
        while self.ended_by is None and not self.received and self._has_unread():
            await asyncio.sleep(0)  # wait until asyncio has read the bytes or the FIN
        return self.ended_by is None and not self.received

    async def catch_up(self) -> None:
        """Wait until asyncio has read all received bytes, and the connection's task has handled these bytes."""
        for _ in range(CATCH_UP_ROUNDS):
            if self.ended_by is not None or not (self.received or self._has_unread()):
                return
            await asyncio.sleep(0)

    def _has_unread(self) -> bool:
        assert self._sock is not None
        try:
            self._sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False  # asyncio has read a TLS record that contains no data, such as a session ticket
        except OSError:
            pass
        return True

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
        self._end(EndedBy.FIN)

    def _end(self, how: EndedBy) -> None:
        if self.ended_by is None:
            self.ended_by, self.ended_ns = how, monotonic_ns()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
