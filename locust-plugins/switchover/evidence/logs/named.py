"""Logs of balancers in JSON, one object per line.

The administrator of the balancer chooses the names of the fields. Common names are recognized, in lower or upper case
and with any separators.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from math import isfinite

from switchover.evidence.logs.access import CLOSED_BY_CLIENT
from switchover.evidence.logs.dates import epoch_us
from switchover.evidence.logs.format import Format, LogHead, read_requests
from switchover.evidence.logs.haproxy import (
    NO_ANSWER,
    ended_text,
    host_of,
    is_cut,
    is_haproxy_event,
    is_made_by_haproxy,
    name_server,
    path_asked,
    why_failed,
)
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

_SERVER = ("server", "servername", "srv", "srvname", "upstreamaddr", "upstreamhost", "upstream")
_STATUS = ("status", "statuscode", "httpstatus", "responsecode")
_ASKED = ("path", "uri", "requesturi", "url", "request", "httprequest", "httppath")
_TIME = ("msec", "time", "timestamp", "timelocal", "timeiso8601", "date", "datetime", "acceptdate", "starttime", "ts")
_TOOK = ("ta", "timeactive", "activetime", "tt", "timetotal", "totaltime", "requesttime", "reqtime", "rt", "duration")
"""Names for the duration: HAProxy's `%Ta` and `%Tt`, Nginx's `$request_time`, and `duration` of Caddy and Envoy."""
_BYTES = ("bytes", "bytessent", "bodybytessent", "bytesread", "size")
_ENDED = ("terminationstate", "termination", "tsc", "ts")
_BALANCER = ("balancer", "node", "hostname")
_HEADER_TOOK = ("upstreamheadertime", "uht")
"""Names for Nginx's `$upstream_header_time`. The value `-` means that the server sent no header, so Nginx generated
the response."""

_STARTS = ("startutc", "startlocal")
"""Traefik's names for the start of a request. A line without these names has only `time`: the end of the request in
whole seconds."""

Named = Mapping[str, str]
"""The values of a line by name. The names are converted to lower case letters and digits."""


def parse_json(line: bytes) -> LoggedRequest:
    """Parse the JSON object at the end of a line. Raise ValueError if the object has no status or no time.

    Nginx logs the end of a request, and its duration in seconds with decimals. HAProxy logs the start of a request,
    and its duration in whole milliseconds.
    """
    named, host = _named(line), host_of(line)
    if _is_of_traefik(named):
        return _traefik_request(named)
    server, status, request, time = (_first(named, names) for names in (_SERVER, _STATUS, _ASKED, _TIME))
    if status is None:
        raise ValueError("no status")
    at = _time(time or "")
    took = _first(named, _TOOK)
    in_seconds = took is not None and ("." in took or "e" in took.lower())
    if took is not None and not isfinite(float(took)):
        raise ValueError("an infinite duration")
    took_us = 0 if took is None else max(0, round(float(took) * (1_000_000 if in_seconds else 1000)))
    code = "" if status in (NO_ANSWER, "0", "000", CLOSED_BY_CLIENT) else status
    url, ended = path_asked(request or ""), _ended(named)
    return LoggedRequest(
        start_us=epoch_us(at) - (took_us if in_seconds else 0),
        took_us=took_us,
        is_timed=took is not None,
        zoned=at.tzinfo is not None,
        code=code,
        success="200" <= code < "400" and not is_cut(ended),
        label=url.partition("?")[0],
        message=ended_text(ended) or ("closed by the client (499)" if status == CLOSED_BY_CLIENT else ""),
        url=url,
        nbytes=int(_first(named, _BYTES) or 0),
        identity=_identity(named, server, host, answered=bool(code)),
        error=why_failed(code, ended),
    )


def _is_of_traefik(named: Named) -> bool:
    return "downstreamstatus" in named and any(name in named for name in (*_STARTS, "time"))


def _traefik_request(named: Named) -> LoggedRequest:
    """Parse a line of Traefik's log. Raise ValueError for an invalid number or time.

    If the line names no server, Traefik generated the response.
    """
    start = next((named[name] for name in _STARTS if name in named), "")
    at = datetime.fromisoformat(start or named["time"])
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    logged_us, took_us = round(at.timestamp() * 1e6), int(named.get("duration", 0)) // 1000
    status = named["downstreamstatus"]
    code = "" if status in ("0", CLOSED_BY_CLIENT) else status
    server = named.get("serviceaddr") or named.get("serviceurl", "").partition("://")[2]
    by_server = bool(server) and named.get("originstatus", "0") not in ("0", "")
    path = named.get("requestpath", "")
    by_itself = AnsweredBy.BALANCER if "originstatus" in named else AnsweredBy.UNKNOWN
    answered = Identity(server, "", AnsweredBy.BACKEND) if by_server else Identity("", "", by_itself)
    return LoggedRequest(
        start_us=logged_us if start else logged_us - took_us,
        took_us=took_us,
        is_timed="duration" in named,
        code=code,
        success="200" <= code < "400",
        label=path.partition("?")[0],
        message="closed by the client (499)" if status == CLOSED_BY_CLIENT else "",
        url=path,
        nbytes=int(named.get("downstreamcontentsize", 0)),
        identity=answered if code else Identity("", "", AnsweredBy.NONE),
        error=FailureKind.STATUS if code >= "400" else FailureKind.RESET,
    )


def _identity(named: Named, server: str | None, host: str, *, answered: bool) -> Identity:
    balancer = _first(named, _BALANCER) or host
    if not answered:
        return Identity("", balancer, AnsweredBy.NONE)
    if server is None:
        return Identity("", balancer, AnsweredBy.UNKNOWN)
    is_by_balancer = _last_of(_first(named, _HEADER_TOOK) or "") == "-" or is_made_by_haproxy(_ended(named))
    backend = "" if is_by_balancer else name_server(_last_of(server))
    return Identity(backend, balancer, AnsweredBy.BACKEND if backend else AnsweredBy.BALANCER)


def _ended(named: Named) -> str:
    """Return HAProxy's termination state; empty if the line has no termination state."""
    ended = _first(named, _ENDED) or ""
    return ended if re.fullmatch("[A-Za-z-]{2,4}", ended) else ""


def _named(line: bytes) -> Named:
    """Return the values, by name, of the JSON object at the end of a line."""
    try:
        return dict(_pairs(json.loads(line[line.index(b"{") :])))
    except RecursionError as error:
        raise ValueError("too many nested objects") from error


def _last_of(values: str) -> str:
    """Return the last value of a list. After retries, Nginx logs a list of servers, and the last server sent the
    response."""
    return re.split(r",| : ", values)[-1].strip()


def _pairs(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield names and values. Values of inner objects are yielded first, so that outer values with the same name
    replace them."""
    for value in values.values():
        if isinstance(value, Mapping):
            yield from _pairs(value)
    for name, value in values.items():
        if value is not None and not isinstance(value, Mapping | list):  # a header is logged as a list of values
            yield re.sub("[^a-z0-9]", "", name.lower()), str(value)


def _first(named: Named, names: Sequence[str]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _time(text: str) -> datetime:
    for read in _READERS:
        with suppress(ValueError, OverflowError, OSError):
            return read(text)
    raise ValueError("no time")


_READERS: Sequence[Callable[[str], datetime]] = (
    lambda text: datetime.fromtimestamp(float(text) / (1000 if float(text) > 1e11 else 1), UTC),
    datetime.fromisoformat,
    lambda text: datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z"),
    lambda text: datetime.strptime(text, "%d/%b/%Y:%H:%M:%S.%f"),
)
"""Functions that parse a time: seconds or milliseconds since the epoch, ISO 8601, and the formats of Nginx and
HAProxy."""


def _claims(head: LogHead) -> bool:
    lines = [line.encode() for line in head.lines[:100]]
    matches = 0
    for line in lines:
        with suppress(ValueError):
            parse_json(line)
            matches += 1
    return bool(matches) and 2 * (matches + sum(map(_is_event, lines))) >= len(lines)


def _is_event(line: bytes) -> bool:
    """Return True if a line is a message of the balancer and not a request.

    HAProxy writes messages as text. Caddy writes an object with a level and a message, but without a status.
    """
    if b"{" not in line:
        return is_haproxy_event(line)
    with suppress(ValueError):
        named = _named(line)
        has_message = "level" in named and ("msg" in named or "message" in named)
        return has_message and _first(named, _STATUS) is None and not _is_of_traefik(named)
    return False


def _parse(line: bytes) -> LoggedRequest | None:
    try:
        return parse_json(line)
    except ValueError:
        if _is_event(line):
            return None
        raise


FORMAT = Format("a balancer's log in JSON", _claims, partial(read_requests, parse=_parse))
