"""Nginx's and Apache's access log as the load itself: requests as the server saw them, at the end of each."""

import re
from collections.abc import Iterator
from pathlib import Path

from switchover.analysis.requests.account import Account
from switchover.analysis.requests.formats.format import Format, Head, Request, read_requests
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import Sample
from switchover.telemetry.balancer_log import last_upstream, text_behind_agent
from switchover.telemetry.log_lines import parse_log_line

_TOOK = re.compile(rb"\b(?:rt|request_time|req_time|reqtime)[=:]\"?(\d{1,9}\.\d{3})")
_BARE = re.compile(rb"(?:^|\s)\"?(\d{1,9}\.\d{3})\"?(?=\s|$)")
"""`$request_time` where it stands alone behind the user agent: Nginx writes three decimals."""


def _claims(head: Head) -> bool:
    lines = head.lines[:100]
    found = sum(parse_log_line(line.encode()) is not None for line in lines)
    return bool(found) and 2 * found >= len(lines)


def _read(path: Path, account: Account) -> Iterator[Sample]:
    unknown = coarse = 0

    def parse(line: bytes) -> Request:
        nonlocal unknown, coarse
        record = parse_log_line(line)
        if record is None:
            raise ValueError("no line of an access log")
        behind = text_behind_agent(line)
        named = _TOOK.search(line)
        # Where the server's time stands there, too, that of the whole request is the longest.
        took = float(named[1]) if named else max(map(float, _BARE.findall(behind)), default=None)
        took_us = round(took * 1_000_000) if took is not None else 0
        unknown += took is None
        coarse += record.time_us % 1_000_000 == 0
        server = last_upstream(behind)
        code = str(record.status)
        return Request(
            start_us=record.time_us - took_us,
            took_us=took_us,
            code="" if code in ("499", "000") else code,
            success=200 <= record.status < 400,
            label=record.path.partition("?")[0],
            message="closed by the client (499)" if code == "499" else "",
            url=record.path,
            nbytes=record.nbytes,
            identity=Identity(server, "", AnsweredBy.BACKEND if server else AnsweredBy.UNKNOWN),
        )

    yield from read_requests(path, account, parse)
    if unknown:
        account.damage.append(
            f"{path.name}: {unknown:,} lines have no $request_time: their latencies are not known, and count as 0"
        )
    if coarse:
        account.notes.append(f"{path.name}: times are whole seconds ($msec is exact)")


FORMAT = Format("an access log", _claims, _read)
