"""Parse access log lines in the formats `combined` and `common` of Nginx and Apache, optionally after `$msec` or a
host."""

import re
from dataclasses import dataclass
from datetime import datetime

_LINE = re.compile(
    rb"(?:(?P<msec>\d{9,11}\.\d{3}) )?(?:[\w.*-]{1,253}(?::\d{1,5})? )?(?P<remote>[0-9A-Fa-f.:]{2,45}) "
    rb"\S{1,64} [^\[\]]{1,128} \[(?P<stamp>[^\]]{20,32})\] "
    rb'"(?P<request>(?:[^"\\]|\\.){0,8192})" (?P<status>\d{3}) (?P<bytes>\d{1,18}|-)',
    re.DOTALL,
)
_STAMP = re.compile(r"\d\d/[A-Z][a-z]{2}/[12]\d{3}:\d\d:\d\d:\d\d [+-](?:0\d|1[0-4])[0-5]\d", re.ASCII)
"""Matches the time stamp that Nginx and Apache write. Unlike `strptime`, the pattern refuses damaged text, such as
the time zone +1500."""
_PATH_LIMIT = 200
"""The maximum length of a stored path: this is enough to distinguish a health check from a request."""
_texts: dict[bytes, str] = {}
"""A table that stores repeated texts only once. Without this table, a million records would not fit into memory."""
_TEXTS_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One request as a server logged it. `time_us` is the time of logging on the server's clock."""

    time_us: int
    remote: str
    status: int
    nbytes: int
    method: str
    path: str


def parse_log_line(line: bytes) -> LogRecord | None:
    """Parse a line. None: the line has another format. If the line has no `$msec`, the time is a whole second."""
    match = _LINE.match(line)
    if match is None:
        return None
    msec = match["msec"]
    try:
        time_us = int(msec.replace(b".", b"")) * 1000 if msec else _stamp_us(match["stamp"].decode("ascii"))
    except ValueError:
        return None
    method, _, rest = match["request"].partition(b" ")
    path = rest.rpartition(b" ")[0] or rest
    nbytes = match["bytes"]
    return LogRecord(
        time_us=time_us,
        remote=_text(match["remote"]),
        status=int(match["status"]),
        nbytes=0 if nbytes == b"-" else int(nbytes),
        method=_text(method[:16]),
        path=_text(path[:_PATH_LIMIT]),
    )


def _text(raw: bytes) -> str:
    text = _texts.get(raw)
    if text is None:
        text = raw.decode("utf-8", "replace")
        if len(_texts) < _TEXTS_LIMIT:
            _texts[raw] = text
    return text


def _stamp_us(stamp: str) -> int:
    """Return the time in us. Raises ValueError if the text is not a time."""
    if _STAMP.fullmatch(stamp) is None:
        raise ValueError(stamp)
    return round(datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S %z").timestamp()) * 1_000_000
