"""TLS in memory buffers on a non-blocking socket. With memory buffers, the client controls the socket and its
timeouts."""

import contextlib
import functools
import ssl

# The C module is used, because socket.socket is gevent's class here, and gevent's class waits by itself.
from _socket import socket as Socket  # noqa: N812

from switchover.model.errors import UsageError

READ, WRITE = 1, 2
"""The events for which a connection can wait, as numbers of libev."""
RECORD = 16 * 1024
"""The maximum size of a TLS record, in bytes. At most this number of bytes is encrypted at a time."""


@functools.cache
def context(*, insecure: bool, ca: str | None) -> ssl.SSLContext:
    """Return the TLS context for all connections of the process. TLS sessions are not resumed."""
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
    """A TLS stream with the methods of a non-blocking socket. A method raises `BlockingIOError` if it would have to
    wait.

    If the stream ends without TLS's close message, a method raises `ssl.SSLEOFError`, because the data may be
    truncated.
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
        """Continue the handshake.

        Returns 0 if the handshake is complete, otherwise the event for which the caller must wait: `READ` or `WRITE`.
        """
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
        """Send TLS's close message, if it can be sent without waiting."""
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
