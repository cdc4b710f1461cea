"""The CSV file of Locust's `CsvRequestLogger` (locust.contrib), which has one row per request."""

import re
from collections.abc import Iterator
from pathlib import Path

from switchover.evidence.logs.format import UNREADABLE, Account, Format, LoggedRequest, names_in
from switchover.rundir.damaged_lines import read_lines, read_rows

_COLUMNS = frozenset({"timestamp", "name", "response_time_ms", "response_length", "status_code", "exception"})
_STATUS_IN_TEXT = re.compile(r"\b([1-5]\d\d)\b(?: (?:Client|Server) Error|$)")


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    lines, names = read_lines(path, account), names_in(path)
    next(lines, None)
    for row in read_rows(lines, len(names), account):
        try:
            yield _request(dict(zip(names, row, strict=True)))
        except (ValueError, OverflowError):
            account.add(UNREADABLE, nbytes=sum(map(len, row)) + len(row))


def _request(values: dict[str, str]) -> LoggedRequest:
    code, exception = values["status_code"], values["exception"]
    if code in ("", "0"):
        match = _STATUS_IN_TEXT.search(exception)
        code = match[1] if match else ""
    return LoggedRequest(
        start_us=round(float(values["timestamp"]) * 1_000_000),
        took_us=round(float(values["response_time_ms"]) * 1000),
        code=code,
        success=not exception and not code.startswith(("4", "5")),
        label=values["name"],
        message=exception,
        nbytes=int(float(values["response_length"] or 0)),
    )


CSV = Format("Locust's request log", lambda head: set(head.names) >= _COLUMNS, _read)
