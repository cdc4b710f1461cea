"""Send one request with `http.client`, with limits for the total time and the response size.

A server may send single bytes forever, so one deadline covers name resolution, connect, handshake, and all writes and
reads.
"""

import contextlib
import http.client
import io
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

from switchover.http.address import PORTS, authority, find_addresses
from switchover.process.command import Deadline


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One response. `body` has at most `limit_bytes` + 1 bytes. If `body` is longer than `limit_bytes`, the response
    body was cut off."""

    status: int
    headers: Message
    body: bytes
    missing: int


class HttpClient:
    """A client for one server, with one exchange at a time on a keep-alive connection."""

    def __init__(
        self,
        scheme: str,
        host: str,
        port: int | None,
        *,
        context: ssl.SSLContext | None = None,
        server_name: str | None = None,
    ) -> None:
        """`context`: None trusts the system's certificates. `server_name`: the name that the certificate must
        contain; by default `host`."""
        self._host = host.strip("[]")
        self._port = port or PORTS[scheme]
        self._authority = authority(scheme, self._host, self._port)
        self._is_secure = scheme == "https"
        self._context = context
        self._server_name = server_name or self._host
        self._socket: socket.socket | None = None
        self._client: http.client.HTTPConnection | None = None
        self._stopped = False

    @property
    def is_connected(self) -> bool:
        return self._client is not None

    def exchange(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        timeout_s: float,
        limit_bytes: int | None,
        connect_s: float | None = None,
    ) -> HttpAnswer:
        """Send a request and return the response. Redirects are not followed. If `limit_bytes` is None, no body is
        read.

        Raises OSError (TimeoutError at the deadline), HTTPException or ValueError.
        """
        deadline = Deadline(timeout_s)
        try:
            client = self._connected(deadline, Deadline(min(connect_s or timeout_s, timeout_s)))
            client.request(method, path, body, {"Host": self._authority, **headers})
            response = client.getresponse()
            content = b"" if limit_bytes is None else response.read(limit_bytes + 1)
            if self._stopped:  # `stop` ended the read, so the body may be incomplete
                raise ConnectionAbortedError
            answer = HttpAnswer(response.status, response.headers, content, response.length or 0)
            if not response.isclosed() or response.will_close:
                self.close()
        except BaseException:
            self.close()
            raise
        return answer

    def stop(self) -> None:
        """End the current exchange with an OSError, and refuse further exchanges. Thread-safe."""
        self._stopped = True
        connection = self._socket
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._client = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connected(self, deadline: Deadline, connect_deadline: Deadline) -> http.client.HTTPConnection:
        if self._socket is None or self._client is None:
            self._socket = connect_tcp(self._host, self._port, connect_deadline)
            if self._is_secure:
                context = self._context or ssl.create_default_context()
                self._socket.settimeout(connect_deadline.check())
                self._socket = context.wrap_socket(self._socket, server_hostname=self._server_name)
            self._client = http.client.HTTPConnection(self._host, self._port)
        if self._stopped:
            raise ConnectionAbortedError
        self._client.sock = _DeadlineSocket(self._socket, deadline)
        return self._client


def connect_tcp(host: str, port: int, deadline: Deadline) -> socket.socket:
    failure: OSError | None = None
    for address in find_addresses(host, deadline.check()):
        try:
            return socket.create_connection((address, port), timeout=deadline.check())
        except OSError as error:
            failure = error
    raise failure or OSError("no address")


class _DeadlineSocket(io.RawIOBase):
    """The socket methods that http.client uses, with one deadline for all reads and writes."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        unsent = memoryview(data)
        while unsent:
            self._connection.settimeout(self._deadline.check())
            unsent = unsent[self._connection.send(unsent) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def close(self) -> None:
        """Do nothing, because http.client calls this method before it reads the response."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.check())
        return self._connection.recv_into(buffer)
