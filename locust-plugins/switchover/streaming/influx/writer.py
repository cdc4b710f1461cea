"""Post one batch, and interpret the answer of InfluxDB 1, 2 or 3, or of a proxy in front of InfluxDB. Every error is
returned as a `WriteResult`. The Python and the Java tests read the same test vectors (`answers` in
`contract/influx.json`)."""

import email.utils
import http.client
import json
import re
import ssl
import time
import zlib
from enum import StrEnum
from typing import NamedTuple

from switchover import __version__
from switchover.http.exchange import HttpClient
from switchover.model.errors import TelemetryError, reason_of
from switchover.streaming.influx.destination import Database

LONGEST_RETRY_S = 60.0
"""The maximum wait, in seconds, after an answer with `Retry-After`. The database may recover earlier than it
announced."""
TEXT_LENGTH = 200

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DROPPED = re.compile(r"partial write: .*dropped=([0-9]{1,9})", re.DOTALL)
_OF_LINES = re.compile(
    r"unable to parse|partial write|field type conflict|dropped=|beyond retention|max-(?:series|values)-per"
)
"""Messages about single invalid lines. Another message means a wrong address: no line is dropped."""


class Meaning(StrEnum):
    TAKEN = "taken"
    """The database has all lines, except `refused` lines."""
    HALVE = "halve"
    """The batch is too large, or has an invalid line. Send each half separately. A single line counts as refused."""
    WAIT = "wait"
    """It is unknown whether the database has the lines. Send the batch again later."""


class WriteResult(NamedTuple):
    meaning: Meaning
    refused: int = 0
    retry_after_s: float | None = None
    """The seconds from `Retry-After`. None: the answer has no such header."""
    why: str = ""
    too_large: bool = False


def read_write_result(
    status: int, body: bytes, *, retry_after: str | None = None, location: str | None = None
) -> WriteResult:
    """Interpret an answer. Only status 204 is a success, because a login page has status 200."""
    if status == 204:
        return WriteResult(Meaning.TAKEN)
    message, lines = _message(body)
    why = shortened(f"{status}: {message}" if message else str(status))
    if status == 413:
        return WriteResult(Meaning.HALVE, why=why, too_large=True)
    if status in (400, 422):
        return _of_lines(message, lines, why)
    if 300 <= status < 400 and location:
        why = f"{status}: redirect to {shortened(location.partition('?')[0])}"
    return WriteResult(Meaning.WAIT, retry_after_s=_seconds(retry_after) if status in (429, 503) else None, why=why)


def shortened(text: str) -> str:
    line = _CONTROL.sub(" ", text).strip()
    return line if len(line) <= TEXT_LENGTH else line[: TEXT_LENGTH - 1] + "…"


def _of_lines(message: str, lines: int | None, why: str) -> WriteResult:
    """Interpret a refusal of lines. InfluxDB 1 and 2 report the number of dropped lines, and InfluxDB 3 lists these
    lines."""
    if lines:
        return WriteResult(Meaning.TAKEN, refused=lines, why=why)
    dropped = _DROPPED.search(message)
    if dropped and int(dropped[1]) and "unable to parse" not in message:
        return WriteResult(Meaning.TAKEN, refused=int(dropped[1]), why=why)
    return WriteResult(Meaning.HALVE if _OF_LINES.search(message) else Meaning.WAIT, why=why)


def _message(body: bytes) -> tuple[str, int | None]:
    """Return the error message, and the number of refused lines that the answer lists. None: the answer has no
    list."""
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
"""The timeout of a whole exchange in seconds. InfluxDB cancels a write after 10 s (setting `write-timeout`)."""
CONNECT_S = 3.0
"""The connect timeout in seconds. A handshake needs only one round trip."""
BODY_LIMIT = 64 * 1024
COMPRESSION = 1
"""The gzip level. Level 1 reduces the size to a tenth, level 9 to a twelfth with ten times the CPU time."""
LATE, STOPPED = "no answer in time", "no answer before the end of the run"
_GZIP = 16 + zlib.MAX_WBITS


class Writer:
    def __init__(self, database: Database, *, timeout_s: float = TIMEOUT_S) -> None:
        self._destination = database.destination
        self._secrets = [secret.encode() for secret in database.credentials.secrets]
        self._headers = _headers(database)
        self._timeout_s = timeout_s
        to = database.destination
        self._client = HttpClient(to.scheme, to.host, to.port)
        self._stopped = False
        self._why = ""

    def post(self, lines: bytes) -> WriteResult:
        compressor = zlib.compressobj(COMPRESSION, zlib.DEFLATED, _GZIP)
        body = compressor.compress(lines) + compressor.flush()
        # The server may have closed an idle connection. Sending a batch twice is harmless.
        was_kept = self._client.is_connected
        answer = self._try(body)
        return answer or (was_kept and self._try(body)) or self._failed()

    def stop(self) -> None:
        self._stopped = True
        self._client.stop()

    def close(self) -> None:
        self._client.close()

    def _try(self, body: bytes) -> WriteResult | None:
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
    """Return the HTTP headers of a write. The credentials are sent as Basic for a `db` with a user, otherwise as a
    token."""
    credentials = database.credentials
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Encoding": "gzip",
        "Accept": "application/json",
        "User-Agent": f"switchover/{__version__}",
    }
    if database.destination.db and credentials.user:
        headers["Authorization"] = f"Basic {credentials.as_basic}"
    elif credentials.as_token:
        headers["Authorization"] = f"Token {credentials.as_token}"
    return {name: value.encode().decode("latin-1") for name, value in headers.items()}


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return LATE
    if isinstance(error, ssl.SSLCertVerificationError):
        return shortened(f"untrusted certificate: {error.verify_message}")
    return shortened(reason_of(error))


NO_POINTS = "writing requires points"
"""The answer of early versions of InfluxDB 2 to an empty batch if the token and the bucket are correct."""


def try_database(database: Database | None) -> str:
    """Return the address of the database if it accepts points. Raises TelemetryError otherwise."""
    if database is None:
        return "no database is named"
    writer = Writer(database)
    answer = writer.post(b"")
    writer.close()
    if answer.meaning is not Meaning.TAKEN and NO_POINTS not in answer.why:
        raise TelemetryError(f"{database.destination.url} accepts no points: {answer.why}")
    return f"{database.destination.url} accepts points"
