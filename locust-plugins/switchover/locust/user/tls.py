"""TLS on a socket that never waits, by memory: the socket stays ours, and so do its timeouts and its end."""

import contextlib
import ssl

# The C module: socket.socket is gevent's here, which waits by itself.
from _socket import socket as Socket  # noqa: N812

from switchover.model.errors import UsageError

READ, WRITE = 1, 2
"""Events that a connection can wait for, by libev's numbers."""
RECORD = 16 * 1024
"""Bytes of a TLS record, and what is encrypted at a time."""

_contexts: dict[tuple[bool, str | None], ssl.SSLContext] = {}


def context(*, insecure: bool, ca: str | None) -> ssl.SSLContext:
    """One for all connections of the process. Sessions are not resumed: a new client of a new master has none."""
    key = (insecure, ca)
    known = _contexts.get(key)
    if known is None:
        try:
            known = _contexts[key] = ssl.create_default_context(cafile=ca)
        except OSError as error:
            raise UsageError(f"cannot read CA certificates in {ca!r}: {error.strerror or error}") from error
        if insecure:
            known.check_hostname = False
            known.verify_mode = ssl.CERT_NONE
        known.set_alpn_protocols(["http/1.1"])
    return known


class TlsStream:
    """Send and receive as a non-blocking socket does: `BlockingIOError` where it would wait.

    The end of the stream without TLS's own goodbye is `ssl.SSLEOFError`: it may have been cut off.
    """

    __slots__ = ("_accepted", "_incoming", "_object", "_outgoing", "_sock", "_unsent")

    def __init__(self, sock: Socket, name: str, context: ssl.SSLContext) -> None:
        self._sock = sock
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._unsent = b""
        self._accepted = 0
        """Bytes of the plain text that are encrypted in `_unsent`."""

    def shake(self) -> int:
        """Go on with the handshake: 0 when it is done, else what it waits for, `READ` or `WRITE`."""
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
        """If it would wait, it wants the same data again."""
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
                # What reading wants to send, a new key say, goes out with the next data.
                self._fetch()

    def pending(self) -> bool:
        return self._object.pending() > 0 or self._incoming.pending > 0

    def say_goodbye(self) -> None:
        """Tell the other side that nothing follows, if that can be done at once."""
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
