"""Lines of a balancer's log whose fields have names: JSON, an object a line, or CSV under a header.

Every administrator gives other names; the usual ones are known, in any case and with any signs between their words.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite

_SERVER = ("server", "servername", "srv", "srvname", "upstreamaddr", "upstream")
_STATUS = ("status", "statuscode", "httpstatus")
_ASKED = ("path", "uri", "requesturi", "url", "request", "httprequest", "httppath")
_TIME = ("time", "timestamp", "timelocal", "timeiso8601", "date", "datetime", "acceptdate", "msec", "ts")
_EXACT_TIME = ("msec", *_TIME)
_TOOK = ("ta", "timeactive", "activetime", "tt", "timetotal", "totaltime", "requesttime", "reqtime", "rt")
"""HAProxy's `%Ta` and `%Tt`, and Nginx's `$request_time`."""
_BYTES = ("bytes", "bytessent", "bodybytessent", "bytesread")
_ENDED = ("terminationstate", "termination", "tsc", "ts")
_BALANCER = ("balancer", "node", "hostname")
_HEADER_TOOK = ("upstreamheadertime", "uht")
"""Nginx's `$upstream_header_time`: `-` where the server sent none, so that Nginx made the answer itself."""

NO_ANSWER = "-1"
"""What HAProxy writes for the status of a request that was aborted before any."""


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One request that was answered through a balancer; the server is empty where the balancer answered itself."""

    server: str
    asked: str
    time_us: int | None
    zoned: bool
    """Its time says what zone it is in."""


Parser = Callable[[bytes], LoggedAnswer | None]
"""None: the line is no answer. ValueError: it cannot be read."""


@dataclass(frozen=True, slots=True)
class NamedRequest:
    """One request of a JSON log."""

    start_us: int
    took_us: int | None
    """None: the line does not say it."""
    server: str
    balancer: str
    path: str
    status: str
    nbytes: int
    termination: str
    zoned: bool


def parse_json_line(line: bytes) -> LoggedAnswer | None:
    return _answer(_json(line))


def parse_json_request(line: bytes) -> NamedRequest:
    """Nginx logs the end of a request and its length in seconds with decimals, HAProxy the begin and whole
    milliseconds. ValueError: the line has no status or no time."""
    named = dict(_named(_json(line)))
    server, status, asked, time = (_first(named, names) for names in (_SERVER, _STATUS, _ASKED, _EXACT_TIME))
    at = None if time is None else _time(time)
    if status is None or at is None:
        raise ValueError("neither a status nor a time")
    took = _first(named, _TOOK)
    in_seconds = took is not None and "." in took
    if took is not None and not isfinite(float(took)):
        raise ValueError("an endless duration")
    took_us = None if took is None else max(0, round(float(took) * (1_000_000 if in_seconds else 1000)))
    ended = _first(named, _ENDED) or ""
    return NamedRequest(
        start_us=_micro(at) - (took_us or 0 if in_seconds else 0),
        took_us=took_us,
        server="" if _last_of(_first(named, _HEADER_TOOK) or "") == "-" else name_server(_last_of(server or "")),
        balancer=_first(named, _BALANCER) or "",
        path=path_asked(asked or ""),
        status=status,
        nbytes=int(_first(named, _BYTES) or 0),
        termination=ended if re.fullmatch("[A-Za-z-]{2,4}", ended) else "",
        zoned=at.tzinfo is not None,
    )


def csv_parser(header: bytes) -> Parser | None:
    """For the lines under a header that names a server and a status; None if it is no such header."""
    names = _fields(header)
    if not {_key(name) for name in names} & set(_SERVER) or not {_key(name) for name in names} & set(_STATUS):
        return None

    def parse(line: bytes) -> LoggedAnswer | None:
        values = _fields(line)
        if len(values) != len(names):
            raise ValueError("wrong number of columns")
        return _answer(dict(zip(names, values, strict=True)))

    return parse


def name_server(name: str) -> str:
    """Empty where the balancer names none: `<NOSRV>`, or `-`."""
    return "" if name.startswith("<") or name == "-" else name


def path_asked(request: str) -> str:
    """Of `GET /a?b HTTP/1.1`, or of what stands for itself."""
    words = request.split(" ")
    return words[1] if len(words) > 1 else words[0]


def _fields(line: bytes) -> list[str]:
    try:
        return next(csv.reader([line.decode("utf-8", "replace").rstrip("\r")]), [])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _json(line: bytes) -> Mapping[str, object]:
    """The object that a line ends with."""
    try:
        found = json.loads(line[line.index(b"{") :])
    except RecursionError as error:
        raise ValueError("objects within objects without end") from error
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _answer(values: Mapping[str, object]) -> LoggedAnswer | None:
    named = dict(_named(values))
    server, status, asked, time = (_first(named, names) for names in (_SERVER, _STATUS, _ASKED, _TIME))
    if server is None or status is None:
        raise ValueError("neither a server nor a status")
    if status == NO_ANSWER:
        return None
    at = None if time is None else _time(time)
    path = path_asked(asked or "")
    if at is None:
        return LoggedAnswer(name_server(_last_of(server)), path, None, zoned=False)
    return LoggedAnswer(name_server(_last_of(server)), path, _micro(at), zoned=at.tzinfo is not None)


def _last_of(values: str) -> str:
    """Over retries Nginx has a list, of which the last one answered."""
    return re.split(r",| : ", values)[-1].strip()


def _named(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Values by their names, and those of objects within by theirs; an outer one comes last and counts."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _named(value, prefix + name)
    for name, value in values.items():
        if value is not None and not isinstance(value, Mapping):
            yield _key(prefix + name), str(value)
            yield _key(name), str(value)


def _key(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def _first(named: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _time(text: str) -> datetime | None:
    for read in _READERS:
        try:
            return read(text)
        except (ValueError, OverflowError, OSError):
            continue
    return None


_READERS: Sequence[Callable[[str], datetime]] = (
    lambda text: datetime.fromtimestamp(float(text) / (1000 if float(text) > 1e11 else 1), UTC),
    datetime.fromisoformat,
    lambda text: datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z"),
    lambda text: datetime.strptime(text, "%d/%b/%Y:%H:%M:%S.%f"),
)
"""Seconds or milliseconds since the epoch, ISO 8601, and the forms of Nginx and of HAProxy."""


def _micro(at: datetime) -> int:
    zoned = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return round(zoned.timestamp() * 1e6)
