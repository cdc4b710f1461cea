"""Access logs of Nginx, Apache and Traefik in the common or combined format, optionally with additional fields.

The time of a line is the end of the request in Nginx, and the start of the request in Traefik. In Traefik, the last
field is a duration such as `25ms`.
"""

import re
from functools import partial

from switchover.evidence.logs.format import Format, LogHead, read_requests
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.model.identity import AnsweredBy, Identity
from switchover.telemetry.log_lines import LogRecord, parse_log_line

CLOSED_BY_CLIENT = "499"
"""The status that Nginx and Traefik log if the client closed the connection first."""
_NONE = ("000", CLOSED_BY_CLIENT)
"""Statuses of requests whose client received no response."""
_TOOK = re.compile(rb"\b(?:rt|request_time|req_time|reqtime)[=:]\"?(\d{1,9}\.\d{3})")
_BARE = re.compile(rb"(?:^|\s)\"?(\d{1,9}\.\d{3})\"?(?=\s|$)")
"""`$request_time` without a name, after the user agent. Nginx writes three decimals."""
_TRAEFIK_TOOK = re.compile(rb" (\d{1,9})ms\r?$")
_HEADER_TOOK = re.compile(rb"\b(?:uht|upstream_header_time)[=:](?:\"([^\"]*)\"|((?:[\d.-]+(?:, | : ))*[\d.-]+))")
"""`$upstream_header_time` with a name. It ends with `-` if the last server sent no header, so that Nginx generated
the response."""
_BEHIND = re.compile(rb'"(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"')
_ADDRESS = re.compile(
    rb"(?:(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:.]{2,45}\]|(?<=//)[\w.-]{1,253}):\d{1,5}(?![\w.]|:\w)"
    rb"|unix:[^\s\",]{1,200}"
)
"""An address in `$upstream_addr`, or in a URL of Traefik. Other fields after the user agent must not match: times of
ISO 8601 (`03:57:45+00:00`), sizes (`length:512`) and hosts (`www.example.org:443`)."""


def parse_access(line: bytes) -> LoggedRequest | None:
    """Parse a line; None for a line in another format."""
    record = parse_log_line(line)
    if record is None:
        return None
    behind = _behind_agent(line)
    of_traefik = _TRAEFIK_TOOK.search(line)
    named = _TOOK.search(line)
    if of_traefik is not None:
        return _made(record, behind, record.time_us, int(of_traefik[1]) * 1000)
    # If the line also has the server's time, the time of the request is the longest.
    took = float(named[1]) if named else max(map(float, _BARE.findall(behind)), default=None)
    took_us = round(took * 1_000_000) if took is not None else 0
    return _made(record, behind, record.time_us - took_us, took_us if took is not None else None)


def _made(record: LogRecord, behind: bytes, start_us: int, took_us: int | None) -> LoggedRequest:
    upstream, code = _last_upstream(behind), f"{record.status:03}"
    # A file or a cached response needs no server, and is a good response.
    made_itself = _is_made_by_nginx(behind) and (bool(upstream) or record.status >= 400)
    server = "" if made_itself else upstream
    without = AnsweredBy.BALANCER if made_itself else AnsweredBy.UNKNOWN
    return LoggedRequest(
        start_us=start_us,
        took_us=took_us or 0,
        is_timed=took_us is not None,
        code="" if code in _NONE else code,
        success=200 <= record.status < 400,
        label=record.path.partition("?")[0],
        message="closed by the client (499)" if code == CLOSED_BY_CLIENT else "",
        url=record.path,
        nbytes=record.nbytes,
        identity=Identity(server, "", AnsweredBy.BACKEND if server else without),
    )


def _behind_agent(line: bytes) -> bytes:
    """Return the part of a line after the referrer and the user agent, because these two fields may contain any
    text."""
    behind = _BEHIND.search(line)
    return line[behind.end() :] if behind else b""


def _is_made_by_nginx(behind: bytes) -> bool:
    times = _HEADER_TOOK.search(behind)
    return times is not None and (times[1] or times[2] or b"").rstrip().endswith(b"-")


def _last_upstream(text: bytes) -> str:
    """Return the last address in `$upstream_addr`. After retries, it is the address of the server that answered."""
    servers = _ADDRESS.findall(text)
    return servers[-1].decode() if servers else ""


def _claims(head: LogHead) -> bool:
    lines = head.lines[:100]
    matches = sum(parse_log_line(line.encode()) is not None for line in lines)
    return bool(matches) and 2 * matches >= len(lines)


def _parse(line: bytes) -> LoggedRequest:
    request = parse_access(line)
    if request is None:
        raise ValueError("no line of an access log")
    return request


FORMAT = Format("an access log", _claims, partial(read_requests, parse=_parse))
