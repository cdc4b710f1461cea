"""Traefik's access log in JSON (`accesslog.format=json`): durations are nanoseconds, `StartUTC` is the begin."""

from collections.abc import Mapping
from datetime import datetime

from switchover.analysis.logs.access import CLOSED_BY_CLIENT
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

_NEEDED = frozenset(["duration", "downstreamstatus"])
_STARTS = ("startutc", "startlocal")


def is_of_traefik(named: Mapping[str, str]) -> bool:
    """`named`: the values of a line by their names in small letters and digits."""
    return named.keys() >= _NEEDED and any(name in named for name in _STARTS)


def traefik_request(named: Mapping[str, str]) -> LoggedRequest:
    """ValueError where a number or a time is none. Where no server answered, Traefik made the answer itself."""
    at = datetime.fromisoformat(next(named[name] for name in _STARTS if name in named))
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    start_us = round(at.timestamp() * 1e6)
    status = named["downstreamstatus"]
    code = "" if status in ("0", CLOSED_BY_CLIENT) else status
    server = named.get("serviceaddr") or named.get("serviceurl", "").partition("://")[2]
    by_server = bool(server) and named.get("originstatus", "0") not in ("0", "")
    path = named.get("requestpath", "")
    answered = Identity(server, "", AnsweredBy.BACKEND) if by_server else Identity("", "", AnsweredBy.BALANCER)
    return LoggedRequest(
        start_us=start_us,
        took_us=int(named["duration"]) // 1000,
        logged_us=start_us,
        code=code,
        success="200" <= code < "400",
        label=path.partition("?")[0],
        message="closed by the client (499)" if status == CLOSED_BY_CLIENT else "",
        url=path,
        nbytes=int(named.get("downstreamcontentsize", 0)),
        identity=answered if code else Identity("", "", AnsweredBy.NONE),
        error=FailureKind.STATUS if code >= "400" else FailureKind.RESET,
    )
