"""Gatling's simulation.log as text, which it was to 3.12; its columns moved, and its status tells where they are."""

import re
from collections.abc import Iterator
from pathlib import Path

from switchover.analysis.requests.account import Account
from switchover.analysis.requests.formats.format import Format, Request, read_requests
from switchover.rundir.sample_log import Sample

_RECORDS = {"RUN", "USER", "GROUP", "ASSERTION", "ERROR"}
_FOUND_STATUS = re.compile(r"(?:found|actually|but) (?:actually )?(?:found )?([1-5]\d\d)\b")


def _read(path: Path, account: Account) -> Iterator[Sample]:
    def parse(line: bytes) -> Request | None:
        fields = line.decode("utf-8", "replace").rstrip("\r").split("\t")
        if fields[0] in _RECORDS:
            return None
        if fields[0] != "REQUEST":
            raise ValueError("no record of Gatling")
        place = _place_of_status(fields)
        start, end, message = int(fields[place - 2]), int(fields[place - 1]), " ".join(fields[place + 1 :]).strip()
        success = fields[place] == "OK"
        found = _FOUND_STATUS.search(message)
        return Request(
            start_us=start * 1000,
            took_us=(end - start) * 1000,
            code=found[1] if found else "200" if success else "",
            success=success,
            label=fields[place - 3],
            message=message,
        )

    return read_requests(path, account, parse)


def _place_of_status(fields: list[str]) -> int:
    for place in range(len(fields) - 1, 3, -1):
        if fields[place] in ("OK", "KO") and fields[place - 1].isdecimal():
            return place
    raise ValueError("a request without a status")


FORMAT = Format(
    "Gatling's log",
    lambda head: any(re.match(r"RUN\t\S", line) for line in head.lines[:200]),
    _read,
)
