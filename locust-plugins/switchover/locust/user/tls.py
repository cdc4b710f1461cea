"""TLS in memory buffers on a non-blocking socket. The client keeps control of the socket and its timeouts."""

import contextlib
import functools
import ssl

# The C module: socket.socket is gevent's here, which waits by itself.
from _socket import socket as Socket  # noqa: N812

from switchover.model.errors import UsageError

READ, WRITE = 1, 2
"""The events that a connection can wait for, as numbers of libev."""
RECORD = 16 * 1024
"""The maximum size of a TLS record in bytes. At most this much is encrypted at a time."""


@functools.cache
def context(*, insecure: bool, ca: str | None) -> ssl.SSLContext:
    """Return the context for all connections of the process. TLS sessions are not resumed."""
    try:
        made = ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise UsageError(f"cannot read CA certificates in {ca!r}: {error.strerror or error}") from error
    if insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    made.set_alpn_protocols(["http/1.1"])
    return made


class TlsStream:
    """A TLS stream with the methods of a non-blocking socket. They raise `BlockingIOError` if they would wait.

    An end of the stream without TLS's close message raises `ssl.SSLEOFError`, because it may be truncated.
    """

    __slots__ = ("_accepted", "_incoming", "_object", "_outgoing", "_sock", "_unsent")

    def __init__(self, sock: Socket, name: str, context: ssl.SSLContext) -> None:
        self._sock = sock
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._unsent = b""
        self._accepted = 0
        """The number of plain-text bytes that are encrypted in `_unsent`."""

    def shake(self) -> int:
        """Continue the handshake.

        Returns 0 if the handshake is complete, otherwise the awaited event `READ` or `WRITE`.
        """
        while True:
            wanted = 0
            try:
                self._object.do_handshake()
            except ssl.SSLWantReadError:
                wanted = READ
            except ssl.SSLError:
                self._flush_if_possible()  # The other side may learn why.
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
        """Send data. After `BlockingIOError`, call it again with the same data."""
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
                # If reading requires a send, such as a new key, the next send includes it.
                self._fetch()

    def pending(self) -> bool:
        return self._object.pending() > 0 or self._incoming.pending > 0

    def send_close(self) -> None:
        """Send TLS's close message, if this needs no wait."""
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
