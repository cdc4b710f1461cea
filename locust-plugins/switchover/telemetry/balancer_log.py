"""Lines of a balancer's own log: which server answered, what was asked for, and when.

HAProxy's HTTP format (`option httplog`, also `clf`, with a syslog header before it or not), Nginx's `combined` with
`$upstream_addr` somewhere behind it, and either written as JSON, a line each, or as CSV under a header.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from switchover.telemetry.log_lines import parse_log_line

_HAPROXY = re.compile(
    rb"\[(?P<stamp>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?:\.\d{3})?)[^\]]{0,8}\] "
    rb"\S{1,256} [^\s/]{1,256}/(?P<server>\S{1,256}) [-+\d/]{0,110}?/\+?(?P<took>-?\d{1,10}) (?P<status>-?\d{1,3}) "
    rb"\+?(?P<bytes>\d{1,18}) (?:\S{1,512} \S{1,512} (?P<ended>[A-Za-z-]{4}) )?"
    rb'[^"]{0,8192}(?:"(?P<request>[^"]{0,16384}))?'
)
_HAPROXY_CLF = re.compile(
    rb"\[(?P<stamp>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
    rb'"(?P<request>[^"]{0,16384})" (?P<status>-?\d{1,3}) (?P<bytes>\d{1,18}) "" "" \d{1,5} (?P<ms>\d{1,3}) '
    rb'"[^"]{0,256}" "[^"]{0,256}" "(?P<server>[^"]{0,256})" (?:-?\d{1,10} ){4}\+?(?P<took>-?\d{1,10}) '
    rb"(?P<ended>[A-Za-z-]{4})"
)
_EVENT = re.compile(
    rb"(?:(?:Backup )?[Ss]erver \S+/\S+ (?:is |was |\(|enters|leaves|ended|will)|[Pp]roxy \S+ (?:started|stopped)"
    rb"|backend \S+ has no server|Health check for |Connect from |Stopping |Pausing |Proxy \S+ |Reexecuting |Loading "
    rb"|New (?:worker|program)|Former |Current worker|Enabling |SSL handshake failure|Timeout during SSL"
    rb"|[Ll]istener \S+ )|haproxy version is|\]: \[(?:NOTICE|WARNING|ALERT)\]"
)
"""What HAProxy logs beside requests: servers that go down, workers that come and go."""
_HOST = re.compile(rb"^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|1 \S+|\d{4}-\S+) (?P<host>\S{1,255}) haproxy")
_BEHIND = re.compile(rb'"(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"')
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


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One line of HAProxy's HTTP log. The server is empty where HAProxy answered itself; `status` is -1 where the
    request was aborted before any."""

    time_us: int
    took_us: int
    server: str
    balancer: str
    """The host of the syslog header."""
    path: str
    status: str
    nbytes: int
    termination: str
    zoned: bool


def parse_haproxy_request(line: bytes) -> LoggedRequest | None:
    """None for a line that is no request of HAProxy's HTTP log."""
    match = _HAPROXY.search(line)
    zoned = match is None
    if match is None:
        match = _HAPROXY_CLF.search(line)
    if match is None:
        return None
    stamp = match["stamp"].decode()
    try:
        at = datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S" + (" %z" if zoned else ".%f" if "." in stamp else ""))
    except ValueError:
        return None
    time_us = _micro(at) + (int(match["ms"]) * 1000 if zoned else 0)
    host = _HOST.match(line)
    return LoggedRequest(
        time_us=time_us,
        took_us=max(0, int(match["took"])) * 1000,
        server=_server(match["server"].decode("utf-8", "replace")),
        balancer=host["host"].decode("utf-8", "replace") if host else "",
        path=_path((match["request"] or b"").decode("utf-8", "replace")),
        status=match["status"].decode(),
        nbytes=int(match["bytes"]),
        termination=(match["ended"] or b"").decode(),
        zoned=zoned,
    )


def is_haproxy_event(line: bytes) -> bool:
    """Whether a line tells of servers, proxies or workers, and of no request."""
    return _EVENT.search(line) is not None


def parse_haproxy_line(line: bytes) -> LoggedAnswer | None:
    found = parse_haproxy_request(line)
    if found is None:
        return None if b"{" not in line and is_haproxy_event(line) else _by_name(_json(line))
    if found.status == _NO_ANSWER:
        return None
    return LoggedAnswer(found.server, found.path, found.time_us, zoned=found.zoned)


def parse_nginx_line(line: bytes) -> LoggedAnswer | None:
    record = parse_log_line(line)
    if record is None:
        return _by_name(_json(line))
    return LoggedAnswer(last_upstream(text_behind_agent(line)), record.path, record.time_us, zoned=True)


def text_behind_agent(line: bytes) -> bytes:
    """What an access log has behind the referrer and the user agent, which may hold anything."""
    behind = _BEHIND.search(line)
    return line[behind.end() :] if behind else b""


def last_upstream(text: bytes) -> str:
    """The last address in `$upstream_addr`: over retries that of the server that answered."""
    servers = _ADDRESS.findall(text)
    return servers[-1].decode() if servers else ""


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
    named = dict(_named(values))
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
