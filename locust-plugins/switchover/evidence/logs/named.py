"""Logs of balancers in JSON, one object per line. The usual field names are accepted in upper or lower case, with any
separators."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from switchover.evidence.logs.access import CLOSED_BY_CLIENT
from switchover.evidence.logs.format import LoggedRequest, epoch_us, line_format
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
from switchover.model.identity import AnsweredBy, Identity

_TRAEFIK_STATUS, _TRAEFIK_STARTS = "downstreamstatus", ("startutc", "startlocal")
"""Traefik's names for the status and for the start of a request. A line without the start has only `time`, the end of
the request in whole seconds."""
_SERVER = (
    "server", "servername", "srv", "srvname", "upstreamaddr", "upstreamhost", "upstream", "serviceaddr", "serviceurl",
)  # fmt: skip
_STATUS = (_TRAEFIK_STATUS, "status", "statuscode", "httpstatus", "responsecode")
_ASKED = ("requestpath", "path", "uri", "requesturi", "url", "request", "httprequest", "httppath")
_TIME = (
    *_TRAEFIK_STARTS, "msec", "time", "timestamp", "timelocal", "timeiso8601", "date", "datetime", "acceptdate",
    "starttime", "ts",
)  # fmt: skip
_TOOK = ("ta", "timeactive", "activetime", "tt", "timetotal", "totaltime", "requesttime", "reqtime", "rt", "duration")
"""Names for the duration: `%Ta` and `%Tt` of HAProxy, `$request_time` of Nginx, and `duration` of Caddy and Envoy."""
_BYTES = ("downstreamcontentsize", "bytes", "bytessent", "bodybytessent", "bytesread", "size")
_ENDED = ("terminationstate", "termination", "tsc", "ts")
_BALANCER = ("balancer", "node", "hostname")
_HEADER_TOOK = ("upstreamheadertime", "uht")
"""Names for Nginx's `$upstream_header_time`. The value `-` means that Nginx generated the response."""

Named = Mapping[str, str]
"""The values of a line; the keys are the field names, converted to lower case letters and digits."""


def parse_json(line: bytes) -> LoggedRequest:
    """Parse the JSON object at the end of a line. Raise ValueError if the object has no status or no time.

    Nginx logs the end of a request, and its duration in seconds with decimals. HAProxy logs the start of a request,
    and its duration in whole milliseconds. Traefik logs the duration in nanoseconds.
    """
    named = _named(line)
    server, status, request, time = (_first(named, names) for names in (_SERVER, _STATUS, _ASKED, _TIME))
    if status is None:
        raise ValueError("no status")
    at = _time(time or "")
    took = _first(named, _TOOK)
    if _TRAEFIK_STATUS in named:
        is_end = not any(name in named for name in _TRAEFIK_STARTS)
        took_us = int(took or 0) // 1000
    else:
        is_end = took is not None and ("." in took or "e" in took.lower())
        took_us = max(0, round(float(took or 0) * (1_000_000 if is_end else 1000)))
    code = "" if status in (NO_ANSWER, "0", "000", CLOSED_BY_CLIENT) else status
    url, ended = path_asked(request or ""), _ended(named)
    return LoggedRequest(
        start_us=epoch_us(at) - (took_us if is_end else 0),
        took_us=took_us,
        is_timed=took is not None,
        zoned=at.tzinfo is not None,
        code=code,
        success="200" <= code < "400" and not is_cut(ended),
        label=url.partition("?")[0],
        message=ended_text(ended) or ("closed by the client (499)" if status == CLOSED_BY_CLIENT else ""),
        url=url,
        nbytes=int(_first(named, _BYTES) or 0),
        identity=_identity(named, server, host_of(line), answered=bool(code)),
        error=why_failed(code, ended),
    )


def _identity(named: Named, server: str | None, host: str, *, answered: bool) -> Identity:
    balancer = _first(named, _BALANCER) or host
    if not answered:
        return Identity("", balancer, AnsweredBy.NONE)
    origin_status = named.get("originstatus")
    if (server is None and origin_status != "0") or (_TRAEFIK_STATUS in named and origin_status is None):
        return Identity("", balancer, AnsweredBy.UNKNOWN)
    has_no_header = _last_of(_first(named, _HEADER_TOOK) or "") == "-"
    is_by_balancer = has_no_header or is_made_by_haproxy(_ended(named)) or origin_status == "0"
    backend = "" if is_by_balancer else name_server(_last_of(server or "").rpartition("://")[2])
    return Identity(backend, balancer, AnsweredBy.BACKEND if backend else AnsweredBy.BALANCER)


def _ended(named: Named) -> str:
    """Return HAProxy's termination state; empty if the line has no termination state."""
    ended = _first(named, _ENDED) or ""
    return ended if re.fullmatch("[A-Za-z-]{2,4}", ended) else ""


def _named(line: bytes) -> Named:
    """Parse the JSON object at the end of a line, and return the values of this object; the keys are the field
    names."""
    try:
        return dict(_pairs(json.loads(line[line.index(b"{") :])))
    except RecursionError as error:
        raise ValueError("too many nested objects") from error


def _last_of(values: str) -> str:
    """Return the last value of a list. After retries, Nginx logs a list of servers, of which the last server
    answered."""
    return re.split(r",| : ", values)[-1].strip()


def _pairs(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each name in a JSON object with its value. Outer values come last, so that an outer value replaces an
    inner value with the same name."""
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
"""Functions that parse a time in s or ms since the epoch, in ISO 8601, or in the formats of Nginx and HAProxy."""


def _is_event(line: bytes) -> bool:
    """Return True for a message of the balancer: a text of HAProxy, or an object of Caddy with a level and a
    message."""
    if b"{" not in line:
        return is_haproxy_event(line)
    with suppress(ValueError):
        named = _named(line)
        has_message = "level" in named and ("msg" in named or "message" in named)
        return has_message and _first(named, _STATUS) is None
    return False


def _parse(line: bytes) -> LoggedRequest | None:
    try:
        return parse_json(line)
    except ValueError:
        if _is_event(line):
            return None
        raise


FORMAT = line_format("a balancer's log in JSON", _parse)
