"""The post of one batch and the meaning of its answer, from InfluxDB 1, 2 and 3 and from proxies in front of them.

Errors of the network and of the database become a `WriteResult`, never an exception. One kept connection has one
request at a time, with a limit on the whole exchange. Redirects are not followed. The vectors `answers` of
`contract/influx.json`, which Java reads too, check the meaning of answers.
"""

import base64
import email.utils
import http.client
import json
import re
import ssl
import time
import zlib
from dataclasses import dataclass
from enum import StrEnum

from switchover import __version__
from switchover.http.exchange import HttpClient
from switchover.model.errors import TelemetryError
from switchover.streaming.influx.destination import Credentials, Database

LONGEST_RETRY_S = 60.0
"""The longest `Retry-After` in seconds that is respected. The database may be back sooner than it announced."""
TEXT_LENGTH = 200

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DROPPED = re.compile(r"partial write: .*dropped=([0-9]{1,9})", re.DOTALL)
_OF_LINES = re.compile(
    r"unable to parse|partial write|field type conflict|dropped=|beyond retention|max-(?:series|values)-per"
)
"""Messages of a database about single wrong lines. It accepts the other lines without them.

Any other bad request is an error of the address or the database, so no line is dropped for it.
"""


class Meaning(StrEnum):
    TAKEN = "taken"
    """All lines were taken, except `refused` lines."""
    HALVE = "halve"
    """The batch is too large or has a wrong line: send its halves. A single line is refused."""
    WAIT = "wait"
    """No line is known to be taken: send the batch again later."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    meaning: Meaning
    refused: int = 0
    retry_after_s: float | None = None
    """Seconds from `Retry-After`; None without that header."""
    why: str = ""
    """The database's message, cleaned and shortened."""
    too_large: bool = False


def read_write_result(
    status: int, body: bytes, *, retry_after: str | None = None, location: str | None = None
) -> WriteResult:
    """Return the meaning of an answer. Only 204 is good: a login page sends 200, and redirects are not followed."""
    if status == 204:
        return WriteResult(Meaning.TAKEN)
    message, lines = _message(body)
    why = shortened(f"{status}: {message}" if message else str(status))
    if status == 413:
        return WriteResult(Meaning.HALVE, why=why, too_large=True)
    if status in (400, 422):
        return _of_lines(message, lines, why)
    if 300 <= status < 400 and location:
        why = f"{status}: elsewhere: {shortened(location.partition('?')[0])}"
    return WriteResult(Meaning.WAIT, retry_after_s=_seconds(retry_after) if status in (429, 503) else None, why=why)


def shortened(text: str) -> str:
    line = _CONTROL.sub(" ", text).strip()
    return line if len(line) <= TEXT_LENGTH else line[: TEXT_LENGTH - 1] + "…"


def _of_lines(message: str, lines: int | None, why: str) -> WriteResult:
    """Read the dropped lines. InfluxDB 1 and 2 count them, and InfluxDB 3 lists them. The other lines are written."""
    if lines:
        return WriteResult(Meaning.TAKEN, refused=lines, why=why)
    dropped = _DROPPED.search(message)
    if dropped and int(dropped[1]) and "unable to parse" not in message:
        return WriteResult(Meaning.TAKEN, refused=int(dropped[1]), why=why)
    return WriteResult(Meaning.HALVE if _OF_LINES.search(message) else Meaning.WAIT, why=why)


def _message(body: bytes) -> tuple[str, int | None]:
    """Return the error and the number of lines that it lists."""
    text = body.decode("utf-8", "replace")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return text, None
    if not isinstance(values, dict):
        return text, None
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    error = texts.get("error", "")
    listed = values.get("data") if "partial write" in error else None
    return error or texts.get("message") or text, len(listed) if isinstance(listed, list) else None


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds of a `Retry-After`, which may be a date (RFC 9110 section 10.2.3)."""
    if not retry_after:
        return None
    text = retry_after.strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:6]), LONGEST_RETRY_S)
    try:
        at = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return min(max(at.timestamp() - time.time(), 0.0), LONGEST_RETRY_S)


TIMEOUT_S = 10.0
"""Seconds for a whole exchange. InfluxDB itself cancels a write after 10 s (`write-timeout` of its configuration)."""
CONNECT_S = 3.0
"""Seconds to connect. A handshake takes one round trip, so a database that takes longer is away."""
BODY_LIMIT = 64 * 1024
COMPRESSION = 1
"""The gzip level. Level 1 reduces lines to a tenth; the best level to a twelfth, for ten times the work."""
LATE, STOPPED = "no answer in time", "no answer before the end"
_GZIP = 16 + zlib.MAX_WBITS


class Writer:
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
        compressor = zlib.compressobj(COMPRESSION, zlib.DEFLATED, _GZIP)
        body = compressor.compress(lines) + compressor.flush()
        # The server may have closed a kept connection, and sending a batch twice changes nothing.
        was_kept = self._client.is_connected
        answer = self._try(body)
        return answer or (was_kept and self._try(body)) or self._failed()

    def stop(self) -> None:
        """End a running exchange now, and begin no further one."""
        self._stopped = True
        self._client.stop()

    def close(self) -> None:
        self._client.close()

    def _try(self, body: bytes) -> WriteResult | None:
        """Post once. Returns None if the connection broke, and keeps the reason."""
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
        for secret in self._secrets:
            content = content.replace(secret, b"***")
        return content


def _headers(database: Database) -> dict[str, str]:
    """Return the headers. A `db` with a user gets Basic credentials.

    Otherwise they have a token, made of user and password if there is none. InfluxDB 1.8 accepts such a token.
    """
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
"""The answer of early versions of InfluxDB 2 to an empty batch, if token and bucket are right."""


def try_database(database: Database | None) -> str:
    """Return the address of the database if it accepts points. Raises TelemetryError if it does not."""
    if database is None:
        return "none is named"
    writer = Writer(database)
    answer = writer.post(b"")
    writer.close()
    if answer.meaning is not Meaning.TAKEN and NO_POINTS not in answer.why:
        raise TelemetryError(f"{database.destination.url} takes no points: {answer.why}")
    return f"{database.destination.url} takes points"
