"""Fetch one answer from a source of any kind, with limits on the total time and on the size of the answer."""

import base64
import contextlib
import http.client
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from switchover.http.exchange import HttpClient, connect_tcp
from switchover.model.errors import TelemetryError
from switchover.process.command import Deadline, run_command
from switchover.target.telemetry_sources import Command, HttpPage, Source, TcpSocket, UnixSocket

SCRAPE_S = 2.0
"""The time limit of a scrape, in seconds. A later answer would not describe the state at the time of the request."""
QUERY_S = 10.0
"""The time limit, in seconds, of a single query before or after a run. An ssh login may take several seconds."""
LIMIT_BYTES = 16 * 1024 * 1024
"""The size limit of one answer. HAProxy's table has 220 bytes per server, so 70,000 servers fit."""
_CHUNK = 65536
T = TypeVar("T")
R = TypeVar("R")


def fetch(
    source: Source,
    request: bytes | None = None,
    timeout_s: float = QUERY_S,
    limit_bytes: int = LIMIT_BYTES,
    background: bool = False,
) -> bytes:
    """Return the complete answer of `source`, within `timeout_s` in total. Raises TelemetryError. `request`: the
    bytes for a socket or for the stdin of a command. `background`: run a command with low priority."""
    if isinstance(source, Command):
        answer = bytearray()
        run_command(
            source.arguments,
            timeout_s,
            request=request,
            sink=answer.extend,
            limit_bytes=limit_bytes,
            is_guarded=True,
            variables=source.variables,
            background=background,
            end_children=True,
        ).check()
        return bytes(answer)
    deadline = Deadline(timeout_s)
    with _explained(source, timeout_s):
        if isinstance(source, HttpPage):
            return _fetch_page(source, timeout_s, limit_bytes)
        with _connect(source, deadline) as connection:
            if request is not None:
                connection.settimeout(deadline.check())
                connection.sendall(request)
            return _read_to_end(source, connection, deadline, limit_bytes)


def fetch_text(source: Source, timeout_s: float = QUERY_S, limit_bytes: int = LIMIT_BYTES) -> str:
    return fetch(source, None, timeout_s, limit_bytes).decode("utf-8", "replace")


def ask_all(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Apply `work` to all items in parallel, because each query of a node may take seconds."""
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="query") as pool:
        return list(pool.map(work, items))


@contextlib.contextmanager
def _explained(source: Source, timeout_s: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise TelemetryError(f"{source} gave no complete answer within {timeout_s:g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise TelemetryError(f"{source} has an untrusted certificate: {error.verify_message}") from error
    except http.client.HTTPException as error:
        raise TelemetryError(f"{source} sent an invalid HTTP response: {type(error).__name__}") from error
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


def _read_to_end(source: Source, connection: socket.socket, deadline: Deadline, limit_bytes: int) -> bytes:
    answer = bytearray()
    while True:
        connection.settimeout(deadline.check())
        piece = connection.recv(_CHUNK)
        if not piece:
            return bytes(answer)
        answer += piece
        if len(answer) > limit_bytes:
            raise _too_long(source, limit_bytes)


def _too_long(source: Source, limit_bytes: int) -> TelemetryError:
    return TelemetryError(f"{source} sent more than {limit_bytes:,} bytes: check the source")


def _fetch_page(source: HttpPage, timeout_s: float, limit_bytes: int) -> bytes:
    parts = urlsplit(source.url)
    headers = {"Connection": "close", "User-Agent": "switchover", "Accept": "text/plain, */*"}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    client = HttpClient(parts.scheme, parts.hostname or "", parts.port)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        answer = client.exchange("GET", path, headers, timeout_s=timeout_s, limit_bytes=limit_bytes)
    except ValueError as error:
        raise TelemetryError(f"{source} is not a valid URL: {error}") from error
    finally:
        client.close()
    if answer.status in (401, 403):
        raise TelemetryError(
            f"{source} answered {answer.status}: write the page's user and password into its URL, "
            "http://user:password@host…"
        )
    if answer.status != 200:
        raise TelemetryError(f"{source} answered {answer.status}, not 200: check the address of the page")
    if len(answer.body) > limit_bytes:
        raise _too_long(source, limit_bytes)
    if answer.missing:
        raise TelemetryError(f"{source} was cut off {answer.missing:,} bytes before its end")
    return answer.body
