"""Posts one batch. Errors of the network and of the database become a `WriteResult`, never an exception.

One request at a time on a kept connection, with a limit on the whole exchange. Redirects are not followed.
"""

import base64
import contextlib
import http.client
import socket
import ssl
import threading
import zlib

from switchover import __version__
from switchover.model.errors import TelemetryError
from switchover.streaming.influx.destination import Credentials, Database
from switchover.streaming.influx.write_result import Meaning, WriteResult, read_write_result, shortened

TIMEOUT_S = 10.0
"""For a whole exchange. InfluxDB itself gives a write up after 10 s (`write-timeout` of its configuration)."""
CONNECT_S = 3.0
"""A handshake takes a round trip: a database that has not answered by now is away."""
BODY_LIMIT = 64 * 1024
COMPRESSION = 1
"""Lines repeat each other: the fastest level makes a tenth of them, the best one a twelfth for ten times the work."""
LATE, STOPPED = "no answer in time", "no answer before the end"
_GZIP = 16 + zlib.MAX_WBITS


class Writer:
    """To one database. `post` is for one thread; `stop` may be called from another."""

    def __init__(self, database: Database, *, timeout_s: float = TIMEOUT_S) -> None:
        self._destination = database.destination
        self._secrets = _secrets(database.credentials)
        self._headers = _headers(database)
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None
        self._stopped = self._overdue = False
        self._why = ""

    def post(self, lines: bytes) -> WriteResult:
        """Line protocol, each line with its newline."""
        compressor = zlib.compressobj(COMPRESSION, zlib.DEFLATED, _GZIP)
        body = compressor.compress(lines) + compressor.flush()
        # A kept connection may have been closed meanwhile, and a batch that is sent twice changes nothing.
        was_kept = self._connection is not None
        answer = self._try(body)
        return answer or (was_kept and self._try(body)) or self._failed()

    def stop(self) -> None:
        """An exchange that is under way ends now, and none is begun any more."""
        self._stopped = True
        self._cut()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _try(self, body: bytes) -> WriteResult | None:
        """None: the connection broke, and why is kept."""
        try:
            return self._exchange(body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            self._why = LATE if self._overdue else _reason(error)
        return self._failed() if self._overdue or self._stopped else None

    def _exchange(self, body: bytes) -> WriteResult:
        connection = self._connected()
        self._overdue = False
        # A server may send a byte now and then for ever: only the end of the connection ends that.
        limit = threading.Timer(self._timeout_s, self._expire)
        limit.daemon = True
        limit.start()
        try:
            if self._stopped:
                raise ConnectionAbortedError(STOPPED)
            connection.request("POST", self._destination.write_path, body, self._headers)
            response = connection.getresponse()
            content = response.read(BODY_LIMIT)
            if self._overdue:
                raise TimeoutError(LATE)
            if not response.isclosed() or response.will_close:
                self.close()
            return read_write_result(
                response.status,
                self._without_secrets(content),
                retry_after=response.getheader("Retry-After"),
                location=response.getheader("Location"),
            )
        finally:
            limit.cancel()

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None:
            destination = self._destination
            host = destination.host.strip("[]")
            if destination.scheme == "https":
                connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                    host, destination.port, timeout=CONNECT_S, context=ssl.create_default_context()
                )
            else:
                connection = http.client.HTTPConnection(host, destination.port, timeout=CONNECT_S)
            connection.connect()
            connection.sock.settimeout(self._timeout_s)
            self._connection = connection
        return self._connection

    def _expire(self) -> None:
        self._overdue = True
        self._cut()

    def _cut(self) -> None:
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def _failed(self) -> WriteResult:
        return WriteResult(Meaning.WAIT, why=STOPPED if self._stopped else self._why)

    def _without_secrets(self, content: bytes) -> bytes:
        """Some proxies answer with the request that they did not like."""
        for secret in self._secrets:
            content = content.replace(secret, b"***")
        return content


def _headers(database: Database) -> dict[str, str]:
    """A token where one is expected, else a name and a password: InfluxDB 1.8 takes these as a token, too."""
    known = database.credentials
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Encoding": "gzip",
        "Accept": "application/json",
        "User-Agent": f"switchover/{__version__}",
    }
    if database.destination.db and known.user:
        headers["Authorization"] = f"Basic {_basic(known)}"
    elif known.token or known.user:
        headers["Authorization"] = f"Token {known.token or f'{known.user}:{known.password}'}"
    return {name: value.encode().decode("latin-1") for name, value in headers.items()}


def _basic(known: Credentials) -> str:
    return base64.b64encode(f"{known.user}:{known.password}".encode()).decode("ascii")


def _secrets(known: Credentials) -> list[bytes]:
    found = {known.token.encode(), known.password.encode()} | ({_basic(known).encode()} if known.user else set())
    return sorted((secret for secret in found if secret), key=len, reverse=True)


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return LATE
    if isinstance(error, ssl.SSLCertVerificationError):
        return shortened(f"its certificate is not trusted: {error.verify_message}")
    if isinstance(error, OSError) and error.strerror:
        return shortened(error.strerror)
    return shortened(str(error) or type(error).__name__)


NO_POINTS = "writing requires points"
"""What early versions of InfluxDB 2 say of an empty batch, once they know token and bucket; others take it."""


def try_database(database: Database | None) -> str:
    """Where points would go; TelemetryError if they would not be taken."""
    if database is None:
        return "none is named"
    writer = Writer(database)
    answer = writer.post(b"")
    writer.close()
    if answer.meaning is not Meaning.TAKEN and NO_POINTS not in answer.why:
        raise TelemetryError(f"{database.destination.url} takes no points: {answer.why}")
    return f"{database.destination.url} takes points"
