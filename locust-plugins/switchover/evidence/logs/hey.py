"""The CSV output of hey and oha: only successful requests, with times since the start of the test."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from switchover.evidence.logs.format import Account, Format, LoggedRequest, fields_of, names_in, read_requests

_HEY = ("response-time", "offset")
"""The names of the columns with the duration and the start of a request, in seconds."""
_OHA = ("request-duration", "request-start")


def _read(tool: str, names: tuple[str, str], path: Path, account: Account) -> Iterator[LoggedRequest]:
    took, start = names
    columns = names_in(path)
    account.damage.append(f"{path.name}: {tool} does not log failed requests: failures are unknown")
    account.notes.append(f"{path.name}: {tool} logs no dates: times are since the start of the test")

    def parse(line: bytes) -> LoggedRequest | None:
        row = fields_of(columns, line)
        if row[start] == start:  # the header
            return None
        code = row.get("status-code") or row.get("status", "")
        return LoggedRequest(
            start_us=round(float(row[start]) * 1_000_000),
            took_us=round(float(row[took]) * 1_000_000),
            code=code,
            success="200" <= code < "400",
            label=tool,
            nbytes=int(row.get("bytes") or 0),
        )

    return read_requests(path, account, parse)


HEY = Format("hey's CSV", lambda head: set(_HEY) <= set(head.names), partial(_read, "hey", _HEY))
OHA = Format("oha's CSV", lambda head: set(_OHA) <= set(head.names), partial(_read, "oha", _OHA))
