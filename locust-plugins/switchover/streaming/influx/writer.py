"""Posts one batch. Errors of the network and of the database become a `WriteResult`, never an exception.

One request at a time on a kept connection, with a limit on the whole exchange. Redirects are not followed.
"""

import base64
import http.client
import ssl
import zlib

from switchover import __version__
from switchover.http.exchange import HttpClient
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
        to = database.destination
        self._client = HttpClient(to.scheme, to.host, to.port)
        self._stopped = False
        self._why = ""

    def post(self, lines: bytes) -> WriteResult:
        """Line protocol, each line with its newline."""
        compressor = zlib.compressobj(COMPRESSION, zlib.DEFLATED, _GZIP)
        body = compressor.compress(lines) + compressor.flush()
        # A kept connection may have been closed meanwhile, and a batch that is sent twice changes nothing.
        was_kept = self._client.is_connected
        answer = self._try(body)
        return answer or (was_kept and self._try(body)) or self._failed()

    def stop(self) -> None:
        """An exchange that is under way ends now, and none is begun any more."""
        self._stopped = True
        self._client.stop()

    def close(self) -> None:
        self._client.close()

    def _try(self, body: bytes) -> WriteResult | None:
        """None: the connection broke, and why is kept."""
        try:
            answer = self._client.exchange(
                "POST",
                self._destination.write_path,
                self._headers,
                body,
                timeout_s=self._timeout_s,
                limit_bytes=BODY_LIMIT,
                connect_s=CONNECT_S,
            )
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._why = _reason(error)
            return self._failed() if self._stopped or isinstance(error, TimeoutError) else None
        return read_write_result(
            answer.status,
            self._without_secrets(answer.body),
            retry_after=answer.headers.get("Retry-After"),
            location=answer.headers.get("Location"),
        )

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
