"""CSV with one row per request, from Locust's `CsvRequestLogger` or a user's logger with similar column names."""

import re
from collections.abc import Iterator
from pathlib import Path

from switchover.evidence.logs.account import Account
from switchover.evidence.logs.dates import epoch_us, iso_date
from switchover.evidence.logs.format import FALSE, TRUE, UNREADABLE, Columns, Format, LogHead, is_true, whole_us
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.rundir.damaged_lines import read_lines, read_rows

_TIMES = ("timestamp", "start_time", "time")
_TOOK_MS = ("response_time_ms", "response_time")
_NAMES = ("name", "request_name")
_CODES = ("status_code", "response_code", "status")
_STATUS_IN_TEXT = re.compile(r"\b([1-5]\d\d)\b(?: (?:Client|Server) Error|$)")


def _claims(head: LogHead) -> bool:
    names = set(head.names)
    return all(names & set(names_of_column) for names_of_column in (_TIMES, _TOOK_MS, _NAMES)) and bool(
        names & {"exception", "success", *_CODES}
    )


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    lines, names = read_lines(path, account), Columns.of_file(path).names
    next(lines, None)
    for row in read_rows(lines, len(names), account):
        try:
            yield _request(dict(zip(names, row, strict=True)))
        except (ValueError, OverflowError):
            account.add(UNREADABLE, nbytes=sum(map(len, row)) + len(row))


def _request(values: dict[str, str]) -> LoggedRequest:
    def first(names: tuple[str, ...]) -> str:
        return next((values[name] for name in names if name in values), "")

    took, exception = first(_TOOK_MS), values.get("exception", "")
    if exception == "None":
        exception = ""
    code = first(_CODES)
    if code in ("", "0", "None"):
        match = _STATUS_IN_TEXT.search(exception)
        code = match[1] if match else ""
    success_text = values.get("success", "")
    success = (
        is_true(success_text)
        if success_text.lower() in (*TRUE, *FALSE)
        else not exception and not code.startswith(("4", "5"))
    )
    return LoggedRequest(
        start_us=_time_us(first(_TIMES)),
        took_us=whole_us(took or 0.0, 1000),
        code=code,
        success=success,
        label=first(_NAMES),
        message=exception,
        nbytes=int(float(values.get("response_length") or 0)),
        url=values.get("url", ""),
    )


def _time_us(text: str) -> int:
    try:
        number = float(text)
    except ValueError:
        at = iso_date(text)
        if at is None:
            raise
        return epoch_us(at)
    return whole_us(number) if number < 10**11 else whole_us(number, 1000)


CSV = Format("Locust's request log", _claims, _read)
