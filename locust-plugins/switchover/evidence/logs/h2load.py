"""Logs of `h2load --log-file`: one line per request with its start, status and duration, separated by tabs."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from switchover.evidence.logs.format import Account, Format, LoggedRequest, claims_lines, read_requests

_ROW = re.compile(rb"(\d{16})\t(-1|[1-5]\d\d)\t(\d{1,12})(?:\t[^\t]{0,200}){0,20}\r?")
"""A line: the start in microseconds since the epoch, the status (-1 without a response), the duration in
microseconds, and additional columns of later versions."""


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    account.damage.append(f"{path.name}: h2load does not log requests that got no connection")
    return read_requests(path, account, _parse)


def _parse(line: bytes) -> LoggedRequest:
    row = _ROW.fullmatch(line)
    if row is None:
        raise ValueError("not a line of h2load")
    start_us, code, took_us = int(row[1]), row[2].decode(), int(row[3])
    answered = code != "-1"
    return LoggedRequest(
        start_us=start_us,
        took_us=took_us,
        code=code if answered else "",
        success=answered and code < "400",
        label="h2load",
    )


FORMAT = Format("h2load's log", partial(claims_lines, _parse), _read)
