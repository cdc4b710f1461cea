"""Gatling's simulation.log as text, up to Gatling 3.12. The status has a different position in each version."""

import re
from collections.abc import Iterator
from pathlib import Path

from switchover.evidence.logs.format import Account, Format, LoggedRequest, read_requests

_RECORDS = {"RUN", "USER", "GROUP", "ASSERTION", "ERROR"}
_FOUND_STATUS = re.compile(r"(?:found|actually|but) (?:actually )?(?:found )?([1-5]\d\d)\b")


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    def parse(line: bytes) -> LoggedRequest | None:
        fields = line.decode("utf-8", "replace").rstrip().split("\t")
        if fields[0] in _RECORDS:
            return None
        if fields[0] != "REQUEST":
            raise ValueError("not a record of Gatling")
        place = _place_of_status(fields)
        start, end = int(fields[place - 2]), int(fields[place - 1])
        message = fields[-1] if len(fields) == place + 2 else ""
        success = fields[place] == "OK"
        status = _FOUND_STATUS.search(message)
        return LoggedRequest(
            start_us=start * 1000,
            took_us=(end - start) * 1000,
            code=status[1] if status else "200" if success else "",
            success=success,
            label=fields[place - 3],
            message=message,
        )

    return read_requests(path, account, parse)


def _place_of_status(fields: list[str]) -> int:
    places = [place for place in range(5, len(fields)) if fields[place] in ("OK", "KO")]
    if len(places) != 1 or len(fields) > places[0] + 2:
        raise ValueError("no status, or several statuses")
    return places[0]


FORMAT = Format(
    "Gatling's log",
    lambda head: any(re.match(r"RUN\t\S", line) for line in head.lines[:200]),
    _read,
)
