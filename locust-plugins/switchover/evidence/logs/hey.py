"""The CSV output of hey and oha. The output contains only successful requests, with times since the start of the
test."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from switchover.evidence.logs.account import Account
from switchover.evidence.logs.format import Columns, Format, read_requests, whole_us
from switchover.evidence.logs.logged_request import LoggedRequest

_HEY = ("response-time", "offset")
"""The names of the columns with the duration and the start of a request, in seconds."""
_OHA = ("request-duration", "request-start")


def _read(tool: str, names: tuple[str, str], path: Path, account: Account) -> Iterator[LoggedRequest]:
    took, start = names
    columns = Columns.of_file(path)
    account.damage.append(f"{path.name}: {tool} does not log failed requests: failures are unknown")
    account.notes.append(f"{path.name}: {tool} logs no dates: times are since the start of the test")

    def parse(line: bytes) -> LoggedRequest:
        field = columns.row(line)
        code = field("status-code") or field("status")
        return LoggedRequest(
            start_us=whole_us(field(start)),
            took_us=whole_us(field(took)),
            code=code,
            success="200" <= code < "400",
            label=tool,
            nbytes=int(field("bytes") or 0),
        )

    return read_requests(path, account, parse, skip=1)


HEY = Format("hey's CSV", lambda head: set(_HEY) <= set(head.names), partial(_read, "hey", _HEY))
OHA = Format("oha's CSV", lambda head: set(_OHA) <= set(head.names), partial(_read, "oha", _OHA))
