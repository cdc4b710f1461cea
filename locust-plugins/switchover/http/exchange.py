"""Send one request with `http.client`, within a total time and up to a size of the response.

A slow server may send single bytes forever. So one deadline covers the resolver, the connect, the handshake, and all
writes and reads.
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

from switchover.http.address import find_addresses
from switchover.process.command import Deadline

PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One response. `body` has at most `limit_bytes` + 1 bytes, so a caller can detect that the body was longer than
    the limit."""

    status: int
    headers: Message
    body: bytes
    missing: int
    """The number of bytes that Content-Length announced and that were not read."""


class HttpClient:
    """A client for one server. It makes one exchange at a time, on a keep-alive connection. Another thread may call
    `stop`."""

    def __init__(
        self,
        scheme: str,
        host: str,
        port: int | None,
        *,
        context: ssl.SSLContext | None = None,
        server_name: str | None = None,
    ) -> None:
        """`context` None: trust the system's certificates. `server_name`: the name in the TLS handshake, by default
        `host`."""
        self._host = host.strip("[]")
        self._port = port or PORTS[scheme]
        self._named_port = None if self._port == PORTS[scheme] else self._port
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
        """Send a request and return the response. Redirects are not followed.

        Raises OSError (TimeoutError at the deadline), HTTPException or ValueError. `limit_bytes` None: the body is
        not read.
        """
        deadline = Deadline(timeout_s)
        try:
            client = self._connected(deadline, Deadline(min(connect_s or timeout_s, timeout_s)))
            client.request(method, path, body, dict(headers))
            response = client.getresponse()
            content = b"" if limit_bytes is None else response.read(limit_bytes + 1)
            if self._stopped:  # `stop` ended the read, so the content may be incomplete
                raise ConnectionAbortedError
            answer = HttpAnswer(response.status, response.headers, content, response.length or 0)
            if not response.isclosed() or response.will_close:
                self.close()
        except BaseException:
            self.close()
            raise
        return answer

    def stop(self) -> None:
        """End the current exchange with an OSError, and refuse further exchanges."""
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
            named_host = f"[{self._host}]" if ":" in self._host else self._host
            self._client = http.client.HTTPConnection(named_host, self._named_port)
        if self._stopped:
            raise ConnectionAbortedError
        self._client.sock = _DeadlineSocket(self._socket, deadline)
        return self._client


def connect_tcp(host: str, port: int, deadline: Deadline) -> socket.socket:
    """Connect to the first address of `host` that accepts a connection."""
    failure: OSError | None = None
    for address in find_addresses(host, deadline.check()):
        try:
            return socket.create_connection((address, port), timeout=deadline.check())
        except OSError as error:
            failure = error
    raise failure or OSError("no address")


class _DeadlineSocket:
    """The socket methods that http.client uses, with one deadline for all reads and writes."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        unsent = memoryview(data)
        while unsent:
            self._connection.settimeout(self._deadline.check())
            unsent = unsent[self._connection.send(unsent) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb"
        return io.BufferedReader(_DeadlineReader(self._connection, self._deadline))

    def close(self) -> None:
        """Do nothing: the owner of the connection closes it."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.check())
        return self._connection.recv_into(buffer)
