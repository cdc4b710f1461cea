"""Traefik's access log in JSON (`accesslog.format=json`): durations are nanoseconds, `StartUTC` is the begin.

`accesslog.fields` may drop fields. `DownstreamStatus` is needed; `time`, the end in whole seconds, is always there.
"""

from collections.abc import Mapping
from datetime import datetime

from switchover.analysis.logs.access import CLOSED_BY_CLIENT
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

_STARTS = ("startutc", "startlocal")


def is_of_traefik(named: Mapping[str, str]) -> bool:
    """`named`: the values of a line by their names in small letters and digits."""
    return "downstreamstatus" in named and any(name in named for name in (*_STARTS, "time"))


def traefik_request(named: Mapping[str, str]) -> LoggedRequest:
    """ValueError where a number or a time is none. Where no server answered, Traefik made the answer itself."""
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
        logged_us=logged_us,
        code=code,
        success="200" <= code < "400",
        label=path.partition("?")[0],
        message="closed by the client (499)" if status == CLOSED_BY_CLIENT else "",
        url=path,
        nbytes=int(named.get("downstreamcontentsize", 0)),
        identity=answered if code else Identity("", "", AnsweredBy.NONE),
        error=FailureKind.STATUS if code >= "400" else FailureKind.RESET,
    )
