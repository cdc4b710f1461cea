"""HAProxy's and Nginx's log as the load itself, where each line is a JSON object with names of the usual kind."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from switchover.analysis.requests.account import Account
from switchover.analysis.requests.formats.format import Format, Head, Request, read_requests
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import Sample
from switchover.telemetry.balancer_log import host_of, is_haproxy_event
from switchover.telemetry.named_log import NamedRequest, parse_json_request

CLOSED_BY_CLIENT = "499"
"""What Nginx logs where the client had gone."""


def _claims(head: Head) -> bool:
    lines = head.lines[:100]
    found = 0
    for line in lines:
        with suppress(ValueError):
            found += parse_json_request(line.encode()) is not None
    return bool(found) and 2 * (found + sum(is_haproxy_event(line.encode()) for line in lines)) >= len(lines)


def _read(path: Path, account: Account) -> Iterator[Sample]:
    unknown, coarse, zoned = 0, True, True

    def parse(line: bytes) -> Request | None:
        nonlocal unknown, coarse, zoned
        if b"{" not in line and is_haproxy_event(line):
            return None
        found = parse_json_request(line)
        unknown += found.took_us is None
        coarse = coarse and (found.start_us + (found.took_us or 0)) % 1_000_000 == 0
        zoned = zoned and found.zoned
        return _request(found, host_of(line))

    yield from read_requests(path, account, parse)
    if unknown:
        account.damage.append(
            f"{path.name}: {unknown:,} lines have no request_time (Nginx) or Ta (HAProxy): their latencies are not "
            "known, and count as 0"
        )
    if coarse:
        account.notes.append(f"{path.name}: times are whole seconds (Nginx's $msec and HAProxy's %t are exact)")
    if not zoned:
        account.has_local_times = True
        account.notes.append(f"{path.name}: its times name no zone: they are shown as if they were UTC")


def _request(found: NamedRequest, host: str) -> Request:
    code = "" if found.status in ("-1", "0", "000", CLOSED_BY_CLIENT) else found.status
    by_whom = AnsweredBy.BACKEND if found.server else AnsweredBy.BALANCER
    said = "closed by the client (499)" if found.status == CLOSED_BY_CLIENT else ""
    has_ended_oddly = found.termination.strip("-") != ""
    return Request(
        start_us=found.start_us,
        took_us=found.took_us or 0,
        code=code,
        success="200" <= code < "400",
        label=found.path.partition("?")[0],
        message=f"termination state {found.termination}" if has_ended_oddly else said,
        url=found.path,
        nbytes=found.nbytes,
        identity=Identity(found.server if code else "", found.balancer or host, by_whom if code else AnsweredBy.NONE),
        error=FailureKind.STATUS if code >= "400" else FailureKind.RESET,
    )


FORMAT = Format("a balancer's log in JSON", _claims, _read)
