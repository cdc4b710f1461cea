"""HAProxy's HTTP log (`option httplog`, `option httplog clf`) as the load itself, as the balancer saw it."""

from collections.abc import Iterator
from pathlib import Path

from switchover.analysis.requests.account import Account
from switchover.analysis.requests.formats.format import Format, Head, Request, read_requests
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import Sample
from switchover.telemetry.balancer_log import LoggedRequest, is_haproxy_event, parse_haproxy_request


def _claims(head: Head) -> bool:
    found = sum(parse_haproxy_request(line.encode()) is not None for line in head.lines[:100])
    events = sum(is_haproxy_event(line.encode()) for line in head.lines[:100])
    return bool(found) and 2 * (found + events) >= len(head.lines[:100])


def _read(path: Path, account: Account) -> Iterator[Sample]:
    zoned = True

    def parse(line: bytes) -> Request | None:
        nonlocal zoned
        found = parse_haproxy_request(line)
        if found is None:
            if is_haproxy_event(line):
                return None
            raise ValueError("no line of HAProxy")
        zoned = zoned and found.zoned
        return _request(found)

    yield from read_requests(path, account, parse)
    if not zoned:
        account.has_local_times = True
        account.notes.append(f"{path.name}: HAProxy writes no zone: its times are shown as if they were UTC")


def _request(found: LoggedRequest) -> Request:
    code = "" if found.status == "-1" else found.status
    if found.server:
        identity = Identity(found.server if code else "", found.balancer, _who(code, AnsweredBy.BACKEND))
    else:
        identity = Identity("", found.balancer, _who(code, AnsweredBy.BALANCER))
    return Request(
        start_us=found.time_us,
        took_us=found.took_us,
        code=code,
        success="200" <= code < "400",
        label=found.path.partition("?")[0],
        message="" if found.termination in ("", "----", "--") else f"termination state {found.termination}",
        url=found.path,
        nbytes=found.nbytes,
        identity=identity,
        error=FailureKind.STATUS if code >= "400" else FailureKind.RESET,
    )


def _who(code: str, answered_by: AnsweredBy) -> AnsweredBy:
    return answered_by if code else AnsweredBy.NONE


FORMAT = Format("HAProxy's log", _claims, _read)
