"""The description of a log format, and functions that several formats use."""

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
UNREADABLE = "a line in another format"
_UNREADABLE = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError, csv.Error,
)  # fmt: skip
SWITCHED = "101"
"""The status of a connection that switches to a different protocol (RFC 9110 section 15.2.2). A balancer logs such a
connection when the connection ends."""
TRUE, FALSE = ("true", "1"), ("false", "0")
"""Words for success and for failure. Lower and upper case are equal."""


@dataclass(frozen=True, slots=True)
class LogHead:
    """The first lines of a log, which show the format."""

    lines: tuple[str, ...]
    """The complete lines. If no line is complete, the beginning of the first line."""

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
        """The first line as a JSON object; empty if the first line is not a JSON object."""
        try:
            value = json.loads(self.first)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def head_of_text(path: Path) -> LogHead:
    with path.open("rb") as file:
        start = file.read(HEAD_BYTES)
    text = start.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    return LogHead(tuple(line.rstrip("\r") for line in whole))


@dataclass(frozen=True, slots=True)
class Format:
    """One format of request logs. `read` adds the number and the size of unreadable lines to the account."""

    name: str
    claims: Callable[[LogHead], bool]
    read: Callable[[Path, Account], Iterator[LoggedRequest]]
    ordered: bool = False
    """True if the rows of each thread are in the order of time."""


def read_requests(
    path: Path, account: Account, parse: Callable[[bytes], LoggedRequest | None], *, skip: int = 0
) -> Iterator[LoggedRequest]:
    """Read a log line by line, and add unreadable lines to the account.

    `parse` returns None for a line that is not a request, and raises an error for an unreadable line.
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
            f"{path.name}: {switched:,} connections that switched to another protocol (status {SWITCHED}) are not "
            "counted: their lines have no response time"
        )
    if untimed:
        account.damage.append(
            f"{path.name}: {untimed:,} lines have no duration ($request_time of Nginx, Ta of HAProxy), so latencies "
            "are unknown"
        )
    if unzoned:
        account.notes.append(f"{path.name}: times without a time zone are read as UTC")


@dataclass(slots=True)
class Columns:
    """The columns of a CSV log with a header."""

    names: list[str]
    _places: dict[str, int] = field(init=False)

    @classmethod
    def of_file(cls, path: Path) -> "Columns":
        """Read the names of the columns from the first line of a file."""
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            return cls(LogHead((file.readline(),)).names)

    def __post_init__(self) -> None:
        self._places = {name: place for place, name in reversed(list(enumerate(self.names)))}

    def row(self, line: bytes) -> Callable[..., str]:
        """Parse a row. Return a function that takes the name of a column and returns its field, or '' if the column
        is missing."""
        text = line.decode("utf-8", "replace").rstrip("\r")
        try:
            values = next(csv.reader([text])) if '"' in text else text.split(",")
        except csv.Error as error:
            raise ValueError(str(error)) from error
        if len(values) != len(self.names):
            raise ValueError("wrong number of columns")
        return lambda name: values[self._places[name]] if name in self._places else ""


def is_true(text: str) -> bool:
    """Return True for a word that means success, and False for a word that means failure. Raise ValueError for any
    other text."""
    if text.lower() in TRUE:
        return True
    if text.lower() in FALSE:
        return False
    raise ValueError("neither true nor false")


def whole_us(seconds: str | float, scale: int = 1_000_000) -> int:
    """Convert a decimal number to whole microseconds. `scale`: the unit of the number in microseconds."""
    return round(float(seconds) * scale)
