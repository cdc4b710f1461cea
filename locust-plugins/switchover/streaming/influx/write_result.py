"""What a database's answer to a batch means: InfluxDB 1, 2 and 3, and proxies in front of them.

Checked by the vectors `answers` of `contract/influx.json`, which Java reads too.
"""

import email.utils
import json
import re
import time
from dataclasses import dataclass
from enum import StrEnum

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
    """One line, fit for a screen."""
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
