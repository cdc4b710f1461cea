"""HAProxy's log with `option httplog` or `option tcplog`, with or without a syslog header."""

import re
from datetime import datetime
from functools import lru_cache

from switchover.evidence.logs.format import LoggedRequest, epoch_us, line_format
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

_BEGIN = (
    rb"\[(?P<stamp>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d)(?:\.(?P<ms>\d{3}))?[^\]]{0,8}\] "
    rb"(?P<frontend>\S{1,256}) [^\s/]{1,256}/(?P<server>\S{1,256}) "
)
_HTTP = re.compile(
    _BEGIN + rb"[-+\d/]{0,110}?/\+?(?P<took>-?\d{1,10}) (?P<status>-?\d{1,3}) "
    rb"\+?(?P<bytes>\d{1,18}) (?:\S{1,512} \S{1,512} (?P<ended>[A-Za-z-]{4}) )?"
    rb'[^"]{0,8192}(?:"(?P<request>[^"]{0,16384}))?'
)
_TCP = re.compile(
    _BEGIN + rb"-?\d{1,10}/-?\d{1,10}/\+?(?P<took>\d{1,10}) \+?(?P<bytes>\d{1,18}) (?P<ended>[A-Za-z-]{2}) "
    rb"\d{1,10}/\d{1,10}/\d{1,10}/\d{1,10}/\+?\d{1,10} \d{1,10}/\d{1,10}"
)
_EVENT = re.compile(
    rb"(?:(?:Backup )?[Ss]erver \S+/\S+ (?:is |was |\(|enters|leaves|ended|will)|[Pp]roxy \S+ (?:started|stopped)"
    rb"|backend \S+ has no server|Health check for |Connect from |Stopping |Pausing |Proxy \S+ |Reexecuting |Loading "
    rb"|New (?:worker|program)|Former |Current worker|Enabling |SSL handshake failure|Timeout during SSL"
    rb"|[Ll]istener \S+ |Server \S+/\S+ administratively |(?<!\S)[\w.:-]{1,128}/[\w.:-]{1,128} changed its )"
    rb"|haproxy version is|\]: \[(?:NOTICE|WARNING|ALERT)\]"
    rb"|\[\d\d/[A-Z][a-z]{2}/\d{4}:[\d:.]{8,15}\] \S{1,256}/\S{1,256}: [A-Z]"
)
"""A line that is not a request: a message about a server, an address or a worker, or a connection without a request.
By default (`error-log-format`), HAProxy logs a connection without a request as `frontend/listener: Connection closed
during …`."""
_NO_REQUEST = re.compile(rb"(?:^| )[Cc]R[A-Za-z-]{2} ")
"""Matches the termination state that HAProxy logs if a client connected but sent no complete request (`<BADREQ>`)."""
_HOST = re.compile(rb"^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|1 \S+|\d{4}-\S+) (?P<host>\S{1,255}) haproxy")
_TCP_FAILURES = {"S": FailureKind.REFUSED, "s": FailureKind.CONNECT_TIMEOUT}
"""The kind of failure for each termination state of a session that never reached a server."""

_BEFORE_THE_ANSWER = frozenset("RQCHT")
"""The stages before the server's response: request, queue, connection, response headers, tarpit (configuration
manual, section 8.5). If a request ends in one of these stages, HAProxy generates the response."""
_CUT_BY = frozenset("SsPDKRIU")
"""The letters of termination states for a response that was cut by the server, a server timeout, HAProxy, a change of
the server, or an administrator."""
_CUT_BY_CLIENT = frozenset("Cc")
"""The letters of termination states for a response that was cut by the client, or by a client timeout."""
NO_ANSWER = "-1"
"""The status that HAProxy writes for a request that was aborted before a response."""


def parse_haproxy(line: bytes) -> LoggedRequest | None:
    """Parse a line of HAProxy's log. Return None if the line is neither a request nor a session."""
    if _is_without_request(line):
        return None
    return _parse_request(line) or _parse_session(line)


def _parse_request(line: bytes) -> LoggedRequest | None:
    match = _HTTP.search(line)
    if match is None:
        return None
    start_us = _stamp_us(match["stamp"].decode()) + int(match["ms"] or 0) * 1000
    code = match["status"].decode().replace(NO_ANSWER, "")
    ended = (match["ended"] or b"").decode()
    server = "" if is_made_by_haproxy(ended) else name_server(match["server"].decode("utf-8", "replace"))
    url = path_asked((match["request"] or b"").decode("utf-8", "replace"))
    answered_by = AnsweredBy.BACKEND if server else AnsweredBy.BALANCER
    return LoggedRequest(
        start_us=start_us,
        took_us=max(0, int(match["took"])) * 1000,
        zoned=False,
        code=code,
        success="200" <= code < "400" and not is_cut(ended),
        label=url.partition("?")[0],
        message=ended_text(ended),
        url=url,
        nbytes=int(match["bytes"]),
        identity=Identity(server if code else "", host_of(line), answered_by if code else AnsweredBy.NONE),
        error=why_failed(code, ended),
    )


def _parse_session(line: bytes) -> LoggedRequest | None:
    """Parse a TCP session. A session is good if the session was not cut, or if the client closed the session after
    the client received data."""
    match = _TCP.search(line)
    if match is None:
        return None
    start_us = _stamp_us(match["stamp"].decode()) + int(match["ms"] or 0) * 1000
    ended = match["ended"].decode()
    by_whom, state = ended[0], ended[1]
    nbytes = int(match["bytes"])
    success = by_whom == "-" or (by_whom in "Cc" and state == "D" and nbytes > 0)
    server = name_server(match["server"].decode("utf-8", "replace"))
    balancer = host_of(line)
    answered = Identity(server, balancer, AnsweredBy.BACKEND) if server else None
    return LoggedRequest(
        start_us=start_us,
        took_us=int(match["took"]) * 1000,
        zoned=False,
        success=success,
        label=match["frontend"].decode("utf-8", "replace").rstrip("~"),
        message=ended_text(ended),
        nbytes=nbytes,
        identity=answered if success and answered else Identity("", balancer, AnsweredBy.NONE),
        error=_TCP_FAILURES.get(by_whom, FailureKind.RESET) if state == "C" else FailureKind.RESET,
    )


@lru_cache(maxsize=4096)
def _stamp_us(stamp: str) -> int:
    """Convert a date in UTC to microseconds since the epoch."""
    return epoch_us(datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S"))


def is_cut(state: str) -> bool:
    """Return True if the termination state shows that a response was cut before its last byte."""
    return state[:1] in _CUT_BY | _CUT_BY_CLIENT and state[1:2] == "D"


def is_made_by_haproxy(state: str) -> bool:
    """Return True if the termination state shows that HAProxy generated the response."""
    return state[1:2] in _BEFORE_THE_ANSWER


def why_failed(code: str, state: str) -> FailureKind:
    """Return the kind of failure of a request from its status and its termination state."""
    if code >= "400":
        return FailureKind.STATUS
    if code and state[:1] in _CUT_BY_CLIENT:
        return FailureKind.GENERATOR
    return FailureKind.TRUNCATED if code and is_cut(state) else FailureKind.RESET


def ended_text(state: str) -> str:
    return f"termination state {state}" if state.strip("-") else ""


def name_server(name: str) -> str:
    """Return the name of a server; empty for `<NOSRV>` and `-`."""
    return "" if name.startswith("<") or name == "-" else name


def path_asked(request: str) -> str:
    """Return the path of a request line: `/a?b` of `GET /a?b HTTP/1.1`. A text without blanks is already a path."""
    return request.split(" ", 2)[1] if " " in request else request


def host_of(line: bytes) -> str:
    """Return the host in the syslog header; empty if the line has no syslog header."""
    host = _HOST.match(line)
    return host["host"].decode("utf-8", "replace") if host else ""


def is_haproxy_event(line: bytes) -> bool:
    """Return True for a line that is not a request, such as a message about servers, proxies or workers."""
    return _is_without_request(line) or _EVENT.search(line) is not None


def _is_without_request(line: bytes) -> bool:
    return b'"<BADREQ>"' in line and _NO_REQUEST.search(line) is not None


def _parse(line: bytes) -> LoggedRequest | None:
    request = parse_haproxy(line)
    if request is None and not is_haproxy_event(line):
        raise ValueError("not a line of HAProxy")
    return request


FORMAT = line_format("HAProxy's log", _parse, ordered=True)
