"""The description of a log format, and functions that several formats use."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.damaged_lines import Ignored, read_lines

HEAD_BYTES = 1 << 16
UNREADABLE = "a line in another format"
LINE_ERRORS = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError, csv.Error,
)  # fmt: skip
"""The errors that `parse` raises for an unreadable line."""
SWITCHED = "101"
"""The status of a switch to another protocol (RFC 9110 section 15.2.2). The log line is written when the connection
ends."""
TRUE, FALSE = ("true", "1"), ("false", "0")
"""The values that mean success and failure in a log's success column, in lower or upper case."""
LOST_SHARE = 0.001
"""Logs are not reliable if the share of unreadable bytes is larger than this limit."""
UNKNOWN = Identity("", "", AnsweredBy.UNKNOWN)


class Account(Ignored):
    """The ignored lines of the logs, notes about the logs, and the damage of the logs."""

    __slots__ = ("damage", "damaged", "logs", "notes", "text_bytes")

    def __init__(self) -> None:
        super().__init__()
        self.text_bytes = 0
        """The uncompressed size of the logs, in bytes."""
        self.logs: list[str] = []
        """The path of each log that was read, in the order of the column `part` in the table of requests."""
        self.damage: list[str] = []
        """The reasons why the logs are not reliable."""
        self.damaged: list[str] = []
        """The names of the logs that are not read, because the logs do not match their seals (checksums)."""
        self.notes: list[str] = []
        """Notes for the user, such as the format of times, or the number of rows that are not requests."""

    @property
    def share_lost(self) -> float:
        """The share of the bytes that could not be read."""
        return min(1.0, self.lost_bytes / self.text_bytes) if self.text_bytes else 0.0

    def why_invalid(self) -> list[str]:
        """List the reasons why the logs are not reliable. Each reason is one line."""
        reasons = list(self.damage)
        if self.share_lost > LOST_SHARE:
            reasons.append(f"{self.share_lost:.2%} of the bytes of the logs could not be read: {self}")
        return reasons

    def warnings(self) -> list[str]:
        """List the notes, and the number of lines that could not be read."""
        lines = "line" if self.total == 1 else "lines"
        return [*self.notes, *([f"{self.total:,} {lines} could not be read: {self}"] if self.total else [])]


@dataclass(slots=True, kw_only=True)
class LoggedRequest:
    """A request in a log. Times are microseconds since the epoch. An unknown value is empty or 0."""

    start_us: int
    took_us: int = 0
    zoned: bool = True
    """True if the time in the log has a time zone."""
    is_timed: bool = True
    """True if the log line of the request has a duration."""
    label: str = ""
    code: str = ""
    """The HTTP status; empty if there was no response."""
    message: str = ""
    success: bool = True
    error: FailureKind | None = None
    """The kind of failure, if the request failed. None: the kind is derived from code and message."""
    url: str = ""
    thread: str = ""
    identity: Identity = UNKNOWN
    nbytes: int = 0

    @property
    def end_us(self) -> int:
        return self.start_us + self.took_us


@dataclass(frozen=True, slots=True)
class LogHead:
    """The first lines of a log, which show the format."""

    lines: tuple[str, ...]
    """The complete lines. If no line is complete, the list contains the beginning of the first line."""

    @property
    def names(self) -> list[str]:
        """The fields of the first line, if this line is read as the header of a CSV file."""
        with suppress(csv.Error):
            return next(csv.reader(self.lines[:1]), [])
        return []

    @property
    def json(self) -> Mapping[str, Any]:
        """The first line as a JSON object; empty if the first line is not a JSON object."""
        with suppress(ValueError, RecursionError, IndexError):
            value = json.loads(self.lines[0])
            return value if isinstance(value, dict) else {}
        return {}


def head_of_text(path: Path) -> LogHead:
    with path.open("rb") as file:
        start = file.read(HEAD_BYTES)
    lines = start.decode("utf-8-sig", "replace").split("\n")
    return LogHead(tuple(line.rstrip("\r") for line in lines[:-1] or lines))


@dataclass(frozen=True, slots=True)
class Format:
    """One format of request logs. `read` adds the number and the size of unreadable lines to the account."""

    name: str
    claims: Callable[[LogHead], bool]
    read: Callable[[Path, Account], Iterator[LoggedRequest]]
    ordered: bool = False
    """True if the rows of each thread are in the order of time."""


Parse = Callable[[bytes], LoggedRequest | None]
"""Parses a line. Returns None for a line that is not a request, and raises an error for an unreadable line."""


def line_format(name: str, parse: Parse, *, ordered: bool = False) -> Format:
    """Return the format of a log that has one request per line, and no header."""
    return Format(name, partial(claims_lines, parse), partial(read_requests, parse=parse), ordered)


def claims_lines(parse: Parse, head: LogHead) -> bool:
    """Return True if at least half of the first lines are readable, and at least one line is a request."""
    parsed = []
    lines = head.lines[:100]
    for line in lines:
        with suppress(*LINE_ERRORS):
            parsed.append(parse(line.encode()))
    return any(parsed) and 2 * len(parsed) >= len(lines)


def read_requests(path: Path, account: Account, parse: Parse) -> Iterator[LoggedRequest]:
    """Read a log line by line, and add unreadable lines to the account."""
    switched = untimed = unzoned = 0
    for line in read_lines(path, account):
        if not line.strip():
            continue
        try:
            request = parse(line)
        except LINE_ERRORS:
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
            "counted, because the lines have no response time"
        )
    if untimed:
        account.damage.append(
            f"{path.name}: {untimed:,} lines have no duration ($request_time of Nginx, Ta of HAProxy), so latencies "
            "are unknown"
        )
    if unzoned:
        account.notes.append(f"{path.name}: times without a time zone are read as UTC")


def names_in(path: Path) -> list[str]:
    """Return the names of the columns from the first line of a CSV file."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return LogHead((file.readline(),)).names


def fields_of(names: Sequence[str], line: bytes) -> dict[str, str]:
    """Return the fields of a row; the keys are the column names. Raise an error if the number of fields is wrong."""
    text = line.decode("utf-8", "replace").rstrip("\r")
    values = next(csv.reader([text])) if '"' in text else text.split(",")
    return dict(zip(names, values, strict=True))


def is_true(text: str) -> bool:
    """Return True for a text that means success, and False for failure. Raise ValueError for any other text."""
    if text.lower() not in (*TRUE, *FALSE):
        raise ValueError("neither true nor false")
    return text.lower() in TRUE


def epoch_us(at: datetime) -> int:
    """Convert a date to microseconds since the epoch. A date without a time zone is read as UTC."""
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)
