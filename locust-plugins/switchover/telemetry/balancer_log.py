"""Lines of a balancer's own log: which server answered, what was asked for, and when.

HAProxy's HTTP format (`option httplog`, also `clf`, with a syslog header before it or not), Nginx's `combined` with
`$upstream_addr` somewhere behind it, and either written with names (`named_log.py`).
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from switchover.telemetry.log_lines import parse_log_line
from switchover.telemetry.named_log import NO_ANSWER, LoggedAnswer, name_server, parse_json_line, path_asked

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
    utc = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    time_us = round(utc.timestamp() * 1e6) + (int(match["ms"]) * 1000 if zoned else 0)
    return LoggedRequest(
        time_us=time_us,
        took_us=max(0, int(match["took"])) * 1000,
        server=name_server(match["server"].decode("utf-8", "replace")),
        balancer=host_of(line),
        path=path_asked((match["request"] or b"").decode("utf-8", "replace")),
        status=match["status"].decode(),
        nbytes=int(match["bytes"]),
        termination=(match["ended"] or b"").decode(),
        zoned=zoned,
    )


def host_of(line: bytes) -> str:
    """The host of a syslog header; empty where there is none."""
    host = _HOST.match(line)
    return host["host"].decode("utf-8", "replace") if host else ""


def is_haproxy_event(line: bytes) -> bool:
    """Whether a line tells of servers, proxies or workers, and of no request."""
    return _EVENT.search(line) is not None


def parse_haproxy_line(line: bytes) -> LoggedAnswer | None:
    found = parse_haproxy_request(line)
    if found is None:
        return None if b"{" not in line and is_haproxy_event(line) else parse_json_line(line)
    if found.status == NO_ANSWER:
        return None
    return LoggedAnswer(found.server, found.path, found.time_us, zoned=found.zoned)


def parse_nginx_line(line: bytes) -> LoggedAnswer | None:
    record = parse_log_line(line)
    if record is None:
        return parse_json_line(line)
    return LoggedAnswer(last_upstream(text_behind_agent(line)), record.path, record.time_us, zoned=True)


def text_behind_agent(line: bytes) -> bytes:
    """What an access log has behind the referrer and the user agent, which may hold anything."""
    behind = _BEHIND.search(line)
    return line[behind.end() :] if behind else b""


def last_upstream(text: bytes) -> str:
    """The last address in `$upstream_addr`: over retries that of the server that answered."""
    servers = _ADDRESS.findall(text)
    return servers[-1].decode() if servers else ""
