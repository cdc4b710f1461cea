"""Lines of a balancer's own log: which server answered, what was asked for, and when.

HAProxy's HTTP format (`option httplog`, with a syslog header before it or not), Nginx's `combined` with
`$upstream_addr` somewhere behind it, and either written as JSON, a line each, or as CSV under a header.
"""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from switchover.telemetry.log_lines import parse_log_line

_HAPROXY = re.compile(
    rb"\[(?P<stamp>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?:\.\d{3})?)[^\]]{0,8}\] "
    rb"\S{1,256} [^\s/]{1,256}/(?P<server>\S{1,256}) [-+\d/]{5,120} (?P<status>-?\d{1,3}) "
    rb'[^"]{0,8192}(?:"(?P<request>[^"]{0,16384}))?'
)
_BEHIND = re.compile(rb'"(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"')
"""The referrer and the user agent, which may hold anything."""
_ADDRESS = re.compile(rb"(?:[0-9A-Za-z.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):\d{1,5}(?![\d.])|unix:[^\s\",]{1,200}")

_SERVER = ("server", "servername", "srv", "srvname", "upstreamaddr", "upstream")
_STATUS = ("status", "statuscode", "httpstatus")
_ASKED = ("path", "uri", "requesturi", "url", "request", "httprequest", "httppath")
_TIME = ("time", "timestamp", "timelocal", "timeiso8601", "date", "datetime", "acceptdate", "msec", "ts")

_NO_ANSWER = "-1"
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


def parse_haproxy_line(line: bytes) -> LoggedAnswer | None:
    match = _HAPROXY.search(line)
    if match is None:
        return _by_name(_json(line))
    if match["status"].decode() == _NO_ANSWER:
        return None
    request = (match["request"] or b"").decode("utf-8", "replace")
    stamp = match["stamp"].decode()
    form = "%d/%b/%Y:%H:%M:%S.%f" if "." in stamp else "%d/%b/%Y:%H:%M:%S"
    at = datetime.strptime(stamp, form).replace(tzinfo=UTC)
    return LoggedAnswer(_server(match["server"].decode("utf-8", "replace")), _path(request), _micro(at), zoned=False)


def parse_nginx_line(line: bytes) -> LoggedAnswer | None:
    record = parse_log_line(line)
    if record is None:
        return _by_name(_json(line))
    behind = _BEHIND.search(line)
    servers = _ADDRESS.findall(line, behind.end()) if behind else []
    server = servers[-1].decode() if servers else ""
    return LoggedAnswer(server, record.path, record.time_us, zoned=True)


def csv_parser(header: bytes) -> Parser | None:
    """For the lines under a header that names a server and a status; None if it is no such header."""
    names = _fields(header)
    if not {_key(name) for name in names} & set(_SERVER) or not {_key(name) for name in names} & set(_STATUS):
        return None

    def parse(line: bytes) -> LoggedAnswer | None:
        values = _fields(line)
        if len(values) != len(names):
            raise ValueError("wrong number of columns")
        return _by_name(dict(zip(names, values, strict=True)))

    return parse


def _fields(line: bytes) -> list[str]:
    try:
        return next(csv.reader([line.decode("utf-8", "replace").rstrip("\r")]), [])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _json(line: bytes) -> Mapping[str, object]:
    """The object that a line ends with."""
    found = json.loads(line[line.index(b"{") :])
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _by_name(values: Mapping[str, object]) -> LoggedAnswer | None:
    named = {_key(name): str(value) for name, value in values.items() if value is not None}
    server, status, asked, time = (_first(named, names) for names in (_SERVER, _STATUS, _ASKED, _TIME))
    if server is None or status is None:
        raise ValueError("neither a server nor a status")
    if status == _NO_ANSWER:
        return None
    at = None if time is None else _time(time)
    last = re.split(r",| : ", server)[-1].strip()
    asked = _path(asked or "")
    if at is None:
        return LoggedAnswer(_server(last), asked, None, zoned=False)
    return LoggedAnswer(_server(last), asked, _micro(at), zoned=at.tzinfo is not None)


def _key(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def _first(named: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _server(name: str) -> str:
    return "" if name.startswith("<") or name == "-" else name


def _path(request: str) -> str:
    """Of `GET /a?b HTTP/1.1`, or of what stands for itself."""
    words = request.split(" ")
    return words[1] if len(words) > 1 else words[0]


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
