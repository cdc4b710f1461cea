"""Formats of request logs."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from switchover.evidence.logs.account import Account
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.rundir.damaged_lines import read_lines

HEAD_BYTES = 1 << 16
UNREADABLE = "a line of another form"
_UNREADABLE = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError, csv.Error,
)  # fmt: skip
SWITCHED = "101"
"""A connection that continues in another protocol (RFC 9110 section 15.2.2). Its line covers its whole life."""
TRUE, FALSE = ("true", "1"), ("false", "0")
"""Words for success and failure, in any case."""


@dataclass(frozen=True, slots=True)
class LogHead:
    """The beginning of a file."""

    lines: tuple[str, ...]
    """Whole lines; the beginning of a line if it is the only one and too long."""

    @property
    def first(self) -> str:
        return self.lines[0] if self.lines else ""

    @property
    def names(self) -> list[str]:
        """The fields of the first line, as in the header of a CSV file."""
        try:
            return next(csv.reader([self.first]))
        except csv.Error:
            return []

    @property
    def json(self) -> Mapping[str, Any]:
        """The first line as a JSON object; empty if it is no object."""
        try:
            found = json.loads(self.first)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def head_of_text(path: Path) -> LogHead:
    with path.open("rb") as file:
        start = file.read(HEAD_BYTES)
    text = start.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    return LogHead(tuple(line.rstrip("\r") for line in whole))


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of request log. `read` adds lines that it cannot understand to the account, with their bytes."""

    name: str
    claims: Callable[[LogHead], bool]
    read: Callable[[Path, Account], Iterator[LoggedRequest]]
    ordered: bool = False
    """Rows of one thread are in the order of time."""


def read_requests(
    path: Path, account: Account, parse: Callable[[bytes], LoggedRequest | None], *, skip: int = 0
) -> Iterator[LoggedRequest]:
    """Read a log line by line.

    `parse` returns None for a line that is no request, and raises an error for an unreadable line.
    """
    switched = untimed = unzoned = 0
    for number, line in enumerate(read_lines(path, account)):
        if number < skip or not line.strip():
            continue
        try:
            request = parse(line)
        except _UNREADABLE:
            account.add(UNREADABLE, nbytes=len(line) + 1)
            continue
        if request is None:
            continue
        if request.code == SWITCHED:
            switched += 1
            continue
        untimed += not request.is_timed
        unzoned += not request.zoned
        yield request
    if switched:
        account.notes.append(
            f"{path.name}: {switched:,} x a connection that went on in another protocol ({SWITCHED}, as WebSockets "
            "do) is not counted: its line does not say when it was answered"
        )
    if untimed:
        account.damage.append(
            f"{path.name}: {untimed:,} lines have no duration ($request_time of Nginx, Ta of HAProxy): their "
            "latencies are not known, and count as 0"
        )
    if unzoned:
        account.notes.append(f"{path.name}: its times name no zone: they are shown as if they were UTC")


@dataclass(slots=True)
class Columns:
    """Rows under a header, by the name of the column."""

    names: list[str]
    _places: dict[str, int] = field(init=False)

    @classmethod
    def of_file(cls, path: Path) -> "Columns":
        """Read the columns from the first line."""
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            return cls(LogHead((file.readline(),)).names)

    def __post_init__(self) -> None:
        self._places = {name: place for place, name in reversed(list(enumerate(self.names)))}

    def row(self, line: bytes) -> Callable[..., str]:
        """Return a function that returns the field of a column, or '' if there is no such column."""
        text = line.decode("utf-8", "replace").rstrip("\r")
        try:
            values = next(csv.reader([text])) if '"' in text else text.split(",")
        except csv.Error as error:
            raise ValueError(str(error)) from error
        if len(values) != len(self.names):
            raise ValueError("wrong number of columns")
        return lambda name: values[self._places[name]] if name in self._places else ""


def is_true(text: str) -> bool:
    """Parse a word for success or failure. Raise ValueError for any other text."""
    if text.lower() in TRUE:
        return True
    if text.lower() in FALSE:
        return False
    raise ValueError("neither true nor false")


def whole_us(seconds: str | float, scale: int = 1_000_000) -> int:
    """Convert a decimal number of seconds (or of another unit, by its `scale`) to whole microseconds."""
    return round(float(seconds) * scale)
