"""TLS in memory buffers, so that the client controls the socket and its timeouts."""

import contextlib
import functools
import ssl

# The C module is used, because socket.socket is gevent's class here, and gevent's class waits by itself.
from _socket import socket as Socket  # noqa: N812

from switchover.http.tls import tls_context

READ, WRITE = 1, 2
"""The events for which a connection can wait, as numbers of libev."""
RECORD = 16 * 1024


shared_context = functools.cache(tls_context)


class TlsStream:
    """A TLS stream with the methods of a non-blocking socket. A method raises `BlockingIOError` instead of waiting.

    A method raises `ssl.SSLEOFError` if the stream ends without TLS's close message and may be truncated.
    """

    __slots__ = ("_accepted", "_incoming", "_object", "_outgoing", "_sock", "_unsent")

    def __init__(self, sock: Socket, name: str, context: ssl.SSLContext) -> None:
        self._sock = sock
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._unsent = b""
        self._accepted = 0
        """The number of plain-text bytes whose encrypted form is in `_unsent`."""

    def shake(self) -> int:
        """Continue the handshake. Returns 0 if the handshake is complete, otherwise the event to wait for: `READ` or
        `WRITE`."""
        while True:
            wanted = 0
            try:
                self._object.do_handshake()
            except ssl.SSLWantReadError:
                wanted = READ
            except ssl.SSLError:
                self._flush_if_possible()  # Send the TLS alert, so that the server gets the reason.
                raise
            try:
                self._flush()
            except BlockingIOError:
                return WRITE
            if not wanted:
                return 0
            try:
                self._fetch()
            except BlockingIOError:
                return READ

    def send(self, data: bytes | memoryview) -> int:
        """Send data. After `BlockingIOError`, call this method again with the same data."""
        if not self._accepted:
            self._accepted = self._object.write(data[:RECORD])
        self._flush()
        accepted, self._accepted = self._accepted, 0
        return accepted

    def recv(self, size: int) -> bytes:
        while True:
            try:
                return self._object.read(size)
            except ssl.SSLWantReadError:
                # If reading requires TLS to send data, such as a new key, the next send includes this data.
                self._fetch()

    def pending(self) -> bool:
        return self._object.pending() > 0 or self._incoming.pending > 0

    def send_close(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._object.unwrap()
        self._flush_if_possible()

    def _fetch(self) -> None:
        data = self._sock.recv(2 * RECORD)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def _flush_if_possible(self) -> None:
        with contextlib.suppress(OSError):
            self._flush()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._unsent += self._outgoing.read()
        while self._unsent:
            self._unsent = self._unsent[self._sock.send(self._unsent) :]
