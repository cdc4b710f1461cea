"""A connection that waits only in gevent's loop, until a deadline.

A request takes only microseconds of processor time, so requests share one watcher and one timer of the connection.
The loop watches the socket all the time, also between requests. When the timer fires, it compares the time with the
deadline of the current request.

After an answer is complete or lost, a connection is closed with RST (SO_LINGER with time 0). After FIN, the port of
the connection would stay in TIME_WAIT for a minute. Idle connections are closed with FIN.
"""

import contextlib
import functools
import os
import socket
import ssl
import struct

# The C module is used, because socket.socket is gevent's class here, and gevent's class waits by itself.
from _socket import socket as Socket  # noqa: N812
from collections.abc import Callable
from errno import EINPROGRESS, EWOULDBLOCK
from time import monotonic_ns
from typing import Any

from gevent import getcurrent
from gevent.hub import get_hub
from gevent.monkey import get_original

from switchover.http.address import Peer
from switchover.http.timestamps import ANCILLARY_BYTES, PacketStamps
from switchover.locust.user.tls import READ, WRITE, TlsStream


@functools.cache
def stamps() -> PacketStamps | None:
    """Return the packet time stamps, made by the first call after Locust's forks. None: not available."""
    return PacketStamps() if PacketStamps.available() else None


_poll: Any = get_original("select", "poll")


RECEIVE = 32 * 1024
NEVER_NS = 1 << 63

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_UNDER_WAY = (0, EINPROGRESS, EWOULDBLOCK)


class Connection:
    def __init__(self, peer: Peer) -> None:
        self.closed = False
        sock = self._sock = Socket(peer.family, socket.SOCK_STREAM)
        self._stamps = stamps()
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._stamps is not None:
                self._stamps.ask(sock)
            number = sock.connect_ex(peer.address)
            if number not in _UNDER_WAY:
                raise OSError(number, os.strerror(number))
        except BaseException:
            sock.close()
            raise
        self.send: Callable[[bytes | memoryview], int] = sock.send
        """Send bytes, and return the number of bytes that were sent. Raises BlockingIOError instead of waiting."""
        self.arrived_ns = 0
        """The arrival of the last bytes, from the kernel's time stamp. Without a time stamp, the time when the bytes
        were read."""
        self._tls: TlsStream | None = None
        self._peek: Callable[[], object] | None = None
        hub = get_hub()
        self._loop, self._switch = hub.loop, hub.switch
        self._greenlet: Any = None
        self._late = False
        """True if the timer woke the greenlet at the deadline."""
        self.idle = False
        """True while no request uses the connection. `Exchanges` sets `idle`, and `wake` clears `idle`."""
        self._deadline_ns = 0
        self._fires_ns = NEVER_NS
        self._timer: Any = None
        self._io = self._loop.io(sock.fileno(), READ)
        self._io.start(self._ready)

    def establish(self, deadline_ns: int, name: str, context: ssl.SSLContext | None) -> bool:
        """Wait until the connection is usable. Returns False at the deadline. Raises OSError."""
        sock = self._sock
        try:
            sock.getpeername()
        except OSError:
            if not self.wait(WRITE, deadline_ns):
                return False
            number = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if number:
                raise OSError(number, os.strerror(number)) from None
        if context is None:
            return True
        tls = TlsStream(sock, name, context)
        while wanted := tls.shake():
            if not self.wait(wanted, deadline_ns):
                return False
        self._tls = tls
        self.send = tls.send
        return True

    def receive(self, not_before_ns: int = 0) -> bytes | None:
        """Return the received bytes: empty at the end of the stream, None if nothing has arrived. Raises OSError."""
        try:
            if self._tls is not None:
                data = self._tls.recv(RECEIVE)
            elif self._stamps is not None:
                data, ancillary, _, _ = self._sock.recvmsg(RECEIVE, ANCILLARY_BYTES)
                self.arrived_ns = self._stamps.arrived_ns(ancillary, monotonic_ns(), not_before_ns)
                return data
            else:
                data = self._sock.recv(RECEIVE)
        except BlockingIOError:
            return None
        self.arrived_ns = monotonic_ns()
        return data

    @property
    def pending(self) -> bool:
        return self._tls is not None and self._tls.pending()

    def wait(self, events: int, deadline_ns: int) -> bool:
        """Wait until an event occurs on the socket. Returns False at the deadline."""
        if events != READ:
            self._watch(events)
        self._deadline_ns = deadline_ns
        if deadline_ns < self._fires_ns:
            self._set_timer(deadline_ns)
        self._greenlet = getcurrent()
        try:
            while self._greenlet is not None:
                self._switch()
        finally:
            self._greenlet = None
        if events != READ:
            self._watch(READ)
        if self._late:
            self._late = False
            return False
        return True

    def wake(self) -> bool:
        """Return True if an idle connection can be used again. Otherwise, close the connection."""
        self.idle = False
        if self.closed:
            return False
        if self._peek is None:
            # A read without data costs four times as much as poll(2).
            poll = _poll()
            poll.register(self._sock.fileno(), 1)
            self._peek = functools.partial(poll.poll, 0)
        if self._peek() and not self._is_alive():
            self.close(reset=False)
            return False
        return True

    def close(self, *, reset: bool) -> None:
        """Close the connection with RST if `reset` is True, otherwise with FIN. A second call does nothing."""
        if self.closed:
            return
        self.closed = True
        self._io.stop()
        self._io.close()
        if self._timer is not None:
            self._timer.stop()
            self._timer.close()
        if reset:
            # Setting the option fails if the connection no longer exists.
            with contextlib.suppress(OSError):
                self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        elif self._tls is not None:
            self._tls.send_close()
        self._sock.close()
        # These objects form reference cycles with this object, and garbage is not collected while the load runs.
        self._timer = self._tls = self._peek = None
        del self.send

    def _ready(self) -> None:
        greenlet = self._greenlet
        if greenlet is not None:
            self._greenlet = None
            greenlet.switch()
        elif self.idle and not self._is_alive():
            self.close(reset=False)

    def _is_alive(self) -> bool:
        """Return True if the bytes that arrived on an idle connection are only TLS messages, such as session
        tickets."""
        try:
            return self._tls is not None and self.receive() is None
        except OSError:
            return False

    def _watch(self, events: int) -> None:
        self._io.stop()
        self._io.events = events
        self._io.start(self._ready)

    def _set_timer(self, at_ns: int) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer.close()
        self._fires_ns = at_ns
        self._timer = self._loop.timer(max(0, at_ns - monotonic_ns()) / 1e9, ref=False)
        self._timer.start(self._expired)

    def _expired(self) -> None:
        self._fires_ns = NEVER_NS
        greenlet = self._greenlet
        if greenlet is None:
            return
        if monotonic_ns() < self._deadline_ns:
            self._set_timer(self._deadline_ns)
            return
        self._greenlet = None
        self._late = True
        greenlet.switch()
