"""Posts one batch, and reads what the database's answer means: InfluxDB 1, 2 and 3, and proxies in front of them.

Errors of the network and of the database become a `WriteResult`, never an exception. One request at a time on a kept
connection, with a limit on the whole exchange. Redirects are not followed. The vectors `answers` of
`contract/influx.json`, which Java reads too, hold the meaning of answers.
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
"""A longer `Retry-After` is cut to this: the database may come back sooner than it said."""
TEXT_LENGTH = 200

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DROPPED = re.compile(r"partial write: .*dropped=([0-9]{1,9})", re.DOTALL)
_OF_LINES = re.compile(
    r"unable to parse|partial write|field type conflict|dropped=|beyond retention|max-(?:series|values)-per"
)
"""What a database says when single lines are at fault: sent without them, the others are taken. Everything else that
it calls a bad request is wrong with the address or the database, and no line is given up for it."""


class Meaning(StrEnum):
    TAKEN = "taken"
    """All of it, but for `refused` lines."""
    HALVE = "halve"
    """Too large, or a line in it is at fault: send the halves; a single line is refused."""
    WAIT = "wait"
    """Nothing of it, as far as is known: send it again later."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    meaning: Meaning
    refused: int = 0
    retry_after_s: float | None = None
    """None: it does not say."""
    why: str = ""
    """In the database's words, cleaned and shortened."""
    too_large: bool = False


def read_write_result(
    status: int, body: bytes, *, retry_after: str | None = None, location: str | None = None
) -> WriteResult:
    """204 is the only good one: 200 is what a login page says, and a redirect is not followed with credentials."""
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
    """InfluxDB 1 and 2 say how many they dropped, and InfluxDB 3 lists them; the others are written."""
    if lines:
        return WriteResult(Meaning.TAKEN, refused=lines, why=why)
    dropped = _DROPPED.search(message)
    if dropped and int(dropped[1]) and "unable to parse" not in message:
        return WriteResult(Meaning.TAKEN, refused=int(dropped[1]), why=why)
    return WriteResult(Meaning.HALVE if _OF_LINES.search(message) else Meaning.WAIT, why=why)


def _message(body: bytes) -> tuple[str, int | None]:
    """The error, and how many lines it lists."""
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
    """Seconds, or a date (RFC 9110 section 10.2.3)."""
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
"""For a whole exchange. InfluxDB itself gives a write up after 10 s (`write-timeout` of its configuration)."""
CONNECT_S = 3.0
"""A handshake takes a round trip: a database that has not answered by now is away."""
BODY_LIMIT = 64 * 1024
COMPRESSION = 1
"""Lines repeat each other: the fastest level makes a tenth of them, the best one a twelfth for ten times the work."""
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
"""The answer of early versions of InfluxDB 2 to an empty batch, once they know token and bucket."""


def try_database(database: Database | None) -> str:
    """The address that takes points; TelemetryError if it takes none."""
    if database is None:
        return "none is named"
    writer = Writer(database)
    answer = writer.post(b"")
    writer.close()
    if answer.meaning is not Meaning.TAKEN and NO_POINTS not in answer.why:
        raise TelemetryError(f"{database.destination.url} takes no points: {answer.why}")
    return f"{database.destination.url} takes points"
