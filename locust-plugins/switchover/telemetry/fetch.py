"""One question, one answer, from any kind of source; bounded in total time and in size."""

import base64
import contextlib
import http.client
import io
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from switchover.model.errors import TelemetryError
from switchover.process.command import Deadline, run_command
from switchover.process.groups import OrphanGuard
from switchover.target.telemetry_sources import Command, HttpPage, Source, TcpSocket, UnixSocket

TIMEOUT_S = 2.0
"""A source that needs longer than this tells nothing about the moment it was asked in."""
LIMIT_BYTES = 16 * 1024 * 1024
"""HAProxy's table takes 220 bytes a server (measured: 220 KB for 1000); this is room for 70,000."""
_CHUNK = 65536


def fetch(
    source: Source,
    request: bytes | None = None,
    timeout_s: float = TIMEOUT_S,
    limit_bytes: int = LIMIT_BYTES,
    orphan_guard: OrphanGuard | None = None,
    background: bool = False,
) -> bytes:
    """The whole answer of `source`, up to the end of the connection, page or command.

    `request` goes to a socket as it is and to a command's stdin; a page takes none. `orphan_guard` and `background`
    are for commands. `timeout_s` bounds the whole exchange, name resolution and connecting included. Raises
    TelemetryError, one line, without credentials.
    """
    if isinstance(source, Command):
        answer = bytearray()
        run_command(
            source.arguments,
            timeout_s,
            request=request,
            sink=answer.extend,
            limit_bytes=limit_bytes,
            orphan_guard=orphan_guard,
            variables=source.variables,
            background=background,
            end_children=True,
        ).check()
        return bytes(answer)
    deadline = Deadline(timeout_s)
    with _explained(source, timeout_s):
        if isinstance(source, HttpPage):
            return _fetch_page(source, deadline, limit_bytes)
        with _connect(source, deadline) as connection:
            if request is not None:
                connection.settimeout(deadline.check())
                connection.sendall(request)
            return _read_to_end(source, connection, deadline, limit_bytes)


def resolve(host: str, timeout_s: float) -> tuple[str, ...]:
    """The addresses of a host, IPv4 and IPv6; the resolver runs on a thread because nothing else bounds it."""
    with contextlib.suppress(ValueError):
        return (str(ipaddress.ip_address(host)),)
    found: list[str] = []
    failure: list[OSError] = []

    def ask() -> None:
        try:
            found.extend(str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            failure.append(error if isinstance(error, OSError) else OSError(str(error)))

    thread = threading.Thread(target=ask, name=f"resolve {host}", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if failure or not found:
        raise socket.gaierror(f"the name {host!r} has no address here")
    return tuple(dict.fromkeys(found))


@contextlib.contextmanager
def _explained(source: Source, timeout_s: float) -> Iterator[None]:
    """What went wrong at this source, as one line."""
    try:
        yield
    except TimeoutError as error:
        raise TelemetryError(f"{source} gave no complete answer within {timeout_s:g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise TelemetryError(f"{source} shows a certificate that is not trusted: {error.verify_message}") from error
    except http.client.HTTPException as error:
        raise TelemetryError(f"{source} did not speak HTTP as it must: {type(error).__name__}") from error
    except OSError as error:
        raise TelemetryError(f"{source} cannot be read: {error.strerror or error}") from error


def _connect(source: UnixSocket | TcpSocket, deadline: Deadline) -> socket.socket:
    if isinstance(source, TcpSocket):
        return connect_tcp(source.host, source.port, deadline)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(deadline.check())
        connection.connect(source.path)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_tcp(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A connection to the first address of `host` that accepts one."""
    failure: OSError | None = None
    for address in resolve(host, deadline.check()):
        try:
            return socket.create_connection((address, port), timeout=deadline.check())
        except OSError as error:
            failure = error
    raise failure or OSError("no address")


def _read_to_end(source: Source, connection: socket.socket, deadline: Deadline, limit_bytes: int) -> bytes:
    answer = bytearray()
    while True:
        connection.settimeout(deadline.check())
        piece = connection.recv(_CHUNK)
        if not piece:
            return bytes(answer)
        answer += piece
        if len(answer) > limit_bytes:
            raise TelemetryError(f"{source} sent more than {limit_bytes:,} bytes: not what was asked for")


def _fetch_page(source: HttpPage, deadline: Deadline, limit_bytes: int) -> bytes:
    parts = urlsplit(source.url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    connection = connect_tcp(host, parts.port or (443 if secure else 80), deadline)
    try:
        if secure:
            connection.settimeout(deadline.check())
            connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
        client = http.client.HTTPConnection(host, parts.port)
        client.sock = DeadlineSocket(connection, deadline)
        headers = {"Connection": "close", "User-Agent": "switchover", "Accept": "text/plain, */*"}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        try:
            client.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), headers=headers)
        except ValueError as error:
            raise TelemetryError(f"{source} is no URL that can be asked for: {error}") from error
        return _body(source, client.getresponse(), limit_bytes)
    finally:
        connection.close()


def _body(source: HttpPage, response: http.client.HTTPResponse, limit_bytes: int) -> bytes:
    with response:
        if response.status in (401, 403):
            raise TelemetryError(
                f"{source} answered {response.status}: write the page's user and password into its URL, "
                "http://user:password@host…"
            )
        if response.status != 200:
            raise TelemetryError(f"{source} answered {response.status}, not 200: is that the right page?")
        body = response.read(limit_bytes + 1)
        missing = response.length
    if missing and len(body) <= limit_bytes:
        raise TelemetryError(f"{source} was cut off {missing:,} bytes before its end")
    if len(body) > limit_bytes:
        raise TelemetryError(f"{source} sent more than {limit_bytes:,} bytes: not what was asked for")
    return body


class DeadlineSocket:
    """The part of a socket that http.client uses, with one deadline over all its reads and writes."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(self._deadline.check())
        self._connection.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb"
        return io.BufferedReader(_DeadlineReader(self._connection, self._deadline))

    def close(self) -> None:
        """The owner of the connection closes it."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.check())
        return self._connection.recv_into(buffer)
