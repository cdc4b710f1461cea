"""Access logs of Nginx and Apache in the combined format, with or without additional fields. The time in a line is
the end of the request."""

import re

from switchover.evidence.logs.format import LoggedRequest, line_format
from switchover.model.identity import AnsweredBy, Identity
from switchover.telemetry.access_log import parse_log_line

CLOSED_BY_CLIENT = "499"
"""The status that Nginx and Traefik log if the client closed the connection first."""
_NO_RESPONSE = ("000", CLOSED_BY_CLIENT)
"""The statuses in the log if the client received no response."""
_TOOK = re.compile(rb"\b(?:rt|request_time|req_time|reqtime)[=:]\"?(\d{1,9}\.\d{3})")
_BARE = re.compile(rb"(?:^|\s)\"?(\d{1,9}\.\d{3})\"?(?=\s|$)")
"""The value of `$request_time` as a field without a name, after the user agent. Nginx writes three decimals."""
_HEADER_TOOK = re.compile(rb"\b(?:uht|upstream_header_time)[=:](?:\"([^\"]*)\"|((?:[\d.-]+(?:, | : ))*[\d.-]+))")
"""The value of `$upstream_header_time` with a name. If its last value is `-`, Nginx generated the response."""
_REFERRER_AND_AGENT = re.compile(rb'"(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"')
_ADDRESS = re.compile(
    rb"(?:(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:.]{2,45}\]):\d{1,5}(?![\w.]|:\w)"
    rb"|unix:[^\s\",]{1,200}"
)
"""An address in `$upstream_addr`. Other fields must not match: `03:57:45+00:00`, `length:512`, `example.org:443`."""


def parse_access(line: bytes) -> LoggedRequest:
    """Parse a line of an access log. Raise ValueError if the line has another format."""
    record = parse_log_line(line)
    if record is None:
        raise ValueError("not a line of an access log")
    fields, named = _fields_after_agent(line), _TOOK.search(line)
    # A line may contain the server's duration, too. The duration of the request is the longest duration.
    took = float(named[1]) if named else max(map(float, _BARE.findall(fields)), default=None)
    took_us = 0 if took is None else round(took * 1_000_000)
    upstream, code = _last_upstream(fields), f"{record.status:03}"
    # A response from a file or a cache needs no server, and is a good response.
    is_by_balancer = _is_made_by_nginx(fields) and (bool(upstream) or record.status >= 400)
    server = "" if is_by_balancer else upstream
    without_server = AnsweredBy.BALANCER if is_by_balancer else AnsweredBy.UNKNOWN
    return LoggedRequest(
        start_us=record.time_us - took_us,
        took_us=took_us,
        is_timed=took is not None,
        code="" if code in _NO_RESPONSE else code,
        success=200 <= record.status < 400,
        label=record.path.partition("?")[0],
        message="closed by the client (499)" if code == CLOSED_BY_CLIENT else "",
        url=record.path,
        nbytes=record.nbytes,
        identity=Identity(server, "", AnsweredBy.BACKEND if server else without_server),
    )


def _fields_after_agent(line: bytes) -> bytes:
    """Return the fields after the referrer and the user agent. The referrer and the user agent may contain any
    text."""
    quoted = _REFERRER_AND_AGENT.search(line)
    return line[quoted.end() :] if quoted else b""


def _is_made_by_nginx(fields: bytes) -> bool:
    times = _HEADER_TOOK.search(fields)
    return times is not None and (times[1] or times[2] or b"").rstrip().endswith(b"-")


def _last_upstream(text: bytes) -> str:
    """Return the last address in `$upstream_addr`. After retries, the last server sent the response."""
    servers = _ADDRESS.findall(text)
    return servers[-1].decode() if servers else ""


FORMAT = line_format("an access log", parse_access)
