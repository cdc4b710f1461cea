"""Manage the non-blocking sockets of probes: connect, send, receive, time out and close.

Connections are closed with RST (SO_LINGER with time 0), because connections in TIME_WAIT would use up the ports. On a
local network, the request can be sent directly after the connect call, so a probe needs only one epoll registration.
"""

import errno
import os
import select
import socket
import ssl
import struct
from collections import deque
from collections.abc import Callable
from time import monotonic_ns

from switchover.http.address import Peer
from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import HeadReader
from switchover.http.request import request_head
from switchover.http.timestamps import ANCILLARY_BYTES, Ancillary, PacketStamps
from switchover.http.tls import server_name, shake, tls_context, wrap
from switchover.model.failure_kind import FailureKind, kind_of_errno, kind_of_os_error
from switchover.prober.account import ProbeStream
from switchover.prober.records import ProbeConnection, SentProbe
from switchover.prober.spec import USER_AGENT, ProberSpec

IDLE_LIMIT = 4

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_RECEIVE = 16 * 1024
_EPOLLIN, _EPOLLOUT = select.EPOLLIN, select.EPOLLOUT
_SOCKET_TYPE = socket.SOCK_STREAM | socket.SOCK_NONBLOCK
_UNDER_WAY = (0, errno.EINPROGRESS)
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class ProbeSockets:
    """All probes in progress. `done` is called once for each probe, when the probe ends."""

    def __init__(
        self,
        spec: ProberSpec,
        peer: Peer,
        heads: HeadReader,
        epoll: select.epoll,
        done: Callable[[SentProbe], None],
        shown: Callable[[bytes], None],
    ) -> None:
        self._family, self._address = peer.family, peer.address
        self._heads = heads
        self._epoll = epoll
        self._done, self._shown = done, shown
        endpoint = spec.endpoint
        self._tls = tls_context(endpoint.ca, endpoint.insecure) if endpoint.url.startswith("https:") else None
        self._server_name = server_name(endpoint)
        self._stamps = PacketStamps() if self._tls is None and PacketStamps.available() else None
        """None for TLS, because the kernel stamps packets, not decrypted data."""
        self._requests = {keep: request_head(endpoint, agent=USER_AGENT, keep=keep) for keep in (False, True)}
        self._expect = endpoint.expect
        self._connect_ns = round(spec.timeout_connect_s * 1e9)
        self._read_ns = round(spec.timeout_read_s * 1e9)
        self._connecting: deque[SentProbe] = deque()
        """Probes that started to connect, sorted by deadline. A probe that no longer connects is removed later."""
        self._reading: deque[SentProbe] = deque()
        self._idle: list[ProbeConnection] = []
        self.connections: dict[int, ProbeConnection] = {}
        self.open = 0
        self.next_expiry_ns = 0

    def send(self, stream: ProbeStream, due_ns: int) -> None:
        """Send a due probe on a new connection or, in the stream `kept`, on an idle connection."""
        self.open += 1
        probe = SentProbe(stream, CountedAnswer(self._heads.read), due_ns=due_ns)
        connection: ProbeConnection | None
        if stream.keeps and self._idle:
            connection = self._idle.pop()
            connection.probe, probe.connection = probe, connection
            probe.start_ns = probe.connected_ns = monotonic_ns()
            probe.deadline_ns = probe.start_ns + self._read_ns
        else:
            connection = self._connect(probe)
            if connection is None:
                return
        if self._tls is None or connection.secured:
            self._transmit(connection, probe)
        else:
            self._watch(connection, _EPOLLOUT)
        if not probe.sent_ns and not probe.end_ns:
            self._connecting.append(probe)

    def ready(self, connection: ProbeConnection) -> None:
        probe = connection.probe
        if probe is None:
            # The server closed an idle connection, or sent data without a request.
            self._idle.remove(connection)
            self._close(connection)
        elif probe.sent_ns:
            self._receive(connection, probe)
        elif self._tls is None or connection.secured:
            self._transmit(connection, probe)
        else:
            self._secure(connection, probe, self._tls)

    def expire(self, now_ns: int) -> None:
        next_expiry_ns = now_ns + min(self._connect_ns, self._read_ns)
        for probes in (self._connecting, self._reading):
            while probes:
                probe = probes[0]
                if not probe.end_ns and (probes is self._reading or not probe.sent_ns):
                    if probe.deadline_ns > now_ns:
                        next_expiry_ns = min(next_expiry_ns, probe.deadline_ns)
                        break
                    if probe.connected_ns:
                        text = f"no complete answer within {self._read_ns / 1e6:g} ms"
                        self._fail(probe, FailureKind.READ_TIMEOUT, text)
                    else:
                        text = f"no connection within {self._connect_ns / 1e6:g} ms"
                        self._fail(probe, FailureKind.CONNECT_TIMEOUT, text)
                probes.popleft()
        self.next_expiry_ns = next_expiry_ns

    def close(self) -> None:
        if self._stamps is not None:
            self._stamps.close()
        for connection in list(self.connections.values()):
            self._close(connection)

    def _connect(self, probe: SentProbe) -> ProbeConnection | None:
        try:
            sock = socket.SocketType(self._family, _SOCKET_TYPE)
        except OSError as error:
            probe.start_ns = monotonic_ns()
            self._fail(probe, kind_of_os_error(error, connecting=True), error.strerror or str(error))
            return None
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        if self._stamps is not None:
            self._stamps.ask(sock)
        probe.start_ns = monotonic_ns()
        probe.deadline_ns = probe.start_ns + self._connect_ns
        number = sock.connect_ex(self._address)
        if number not in _UNDER_WAY:
            sock.close()
            self._fail(probe, kind_of_errno(number, connecting=True), os.strerror(number))
            return None
        connection = probe.connection = ProbeConnection(sock, sock.fileno(), probe)
        self.connections[connection.fd] = connection
        return connection

    def _secure(self, connection: ProbeConnection, probe: SentProbe, tls: ssl.SSLContext) -> None:
        try:
            if not connection.wrapped:
                number = connection.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if number:
                    raise OSError(number, os.strerror(number))
                connection.sock = wrap(connection.sock, tls, self._server_name)
                connection.wrapped = True
            assert isinstance(connection.sock, ssl.SSLSocket)
            event = shake(connection.sock)
        except (OSError, ValueError) as error:
            self._fail_by(probe, error)
            return
        if event:
            self._watch(connection, event)
        else:
            connection.secured = True
            self._shown(connection.sock.getpeercert(binary_form=True) or b"")
            self._transmit(connection, probe)

    def _transmit(self, connection: ProbeConnection, probe: SentProbe) -> None:
        """Send the request, or its unsent rest, perhaps before the connection is established."""
        request = self._requests[probe.stream.keeps]
        before_ns = monotonic_ns()
        try:
            probe.sent_bytes += connection.sock.send(request[probe.sent_bytes :] if probe.sent_bytes else request)
        except _NOT_YET:
            self._watch(connection, _EPOLLOUT)
            return
        except OSError as error:
            self._fail_by(probe, error)
            return
        probe.connected_ns = probe.connected_ns or before_ns
        if probe.sent_bytes < len(request):
            self._watch(connection, _EPOLLOUT)
            return
        probe.sent_ns = monotonic_ns()
        probe.deadline_ns = probe.sent_ns + self._read_ns
        self._reading.append(probe)
        self._watch(connection, _EPOLLIN)

    def _receive(self, connection: ProbeConnection, probe: SentProbe) -> None:
        more = True
        while more:
            ancillary: Ancillary = ()
            try:
                if self._stamps is None:
                    data = connection.sock.recv(_RECEIVE)
                else:
                    data, ancillary, _, _ = connection.sock.recvmsg(_RECEIVE, ANCILLARY_BYTES)
            except _NOT_YET:
                return
            except OSError as error:
                self._fail_by(probe, error)
                return
            now_ns = monotonic_ns()
            if ancillary and self._stamps is not None:
                now_ns = self._stamps.arrived_ns(ancillary, now_ns, probe.first_ns or probe.sent_ns)
            if data:
                probe.first_ns = probe.first_ns or now_ns
                progress = probe.answer.feed(data)
            else:
                progress = probe.answer.end()
            if progress is AnswerProgress.DONE:
                self._finish(connection, probe, now_ns)
                return
            if progress is AnswerProgress.BROKEN:
                self._fail(probe, FailureKind.PROTOCOL, probe.answer.violation, now_ns)
                return
            if not data:
                received = probe.answer.nbytes
                self._fail(probe, FailureKind.TRUNCATED, f"closed after {received} bytes of the answer", now_ns)
                return
            # Data that TLS has already decrypted causes no further event.
            more = connection.secured and isinstance(connection.sock, ssl.SSLSocket) and connection.sock.pending() > 0

    def _finish(self, connection: ProbeConnection, probe: SentProbe, end_ns: int) -> None:
        head = probe.answer.head
        assert head is not None
        if head.status not in self._expect:
            probe.error = FailureKind.STATUS
            probe.message = f"status {head.status} is not among {self._expect}"
        reusable = probe.stream.keeps and head.persistent and not probe.answer.surplus
        if reusable and len(self._idle) < IDLE_LIMIT:
            connection.probe = None
            self._idle.append(connection)
        else:
            self._close(connection)
        self._conclude(probe, end_ns)

    def _fail_by(self, probe: SentProbe, error: OSError | ValueError) -> None:
        if isinstance(error, OSError):
            kind = kind_of_os_error(error, connecting=not probe.connected_ns)
            self._fail(probe, kind, error.strerror or str(error))
        else:
            self._fail(probe, FailureKind.TLS, str(error))

    def _fail(self, probe: SentProbe, kind: FailureKind, message: str, end_ns: int = 0) -> None:
        probe.error = kind
        probe.message = message
        if probe.connection is not None:
            self._close(probe.connection)
        self._conclude(probe, end_ns or monotonic_ns())

    def _conclude(self, probe: SentProbe, end_ns: int) -> None:
        probe.end_ns = end_ns
        probe.connection = None
        self.open -= 1
        self._done(probe)

    def _watch(self, connection: ProbeConnection, events: int) -> None:
        if connection.watched == events:
            return
        if connection.watched:
            self._epoll.modify(connection.fd, events)
        else:
            self._epoll.register(connection.fd, events)
        connection.watched = events

    def _close(self, connection: ProbeConnection) -> None:
        del self.connections[connection.fd]
        connection.probe = None
        connection.sock.close()
