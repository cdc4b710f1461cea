"""What a format of request logs is."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from switchover.analysis.requests.account import Account
from switchover.analysis.requests.failure_rules import kind_of_failure
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.damaged_lines import read_lines
from switchover.rundir.sample_log import MAX_US, Sample

HEAD_BYTES = 1 << 16
UNREADABLE = "a line of another form"
UNKNOWN = Identity("", "", AnsweredBy.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file."""

    lines: tuple[str, ...]
    """Whole lines; of a single long line its beginning."""

    @property
    def first(self) -> str:
        return self.lines[0] if self.lines else ""

    @property
    def names(self) -> list[str]:
        """The first line as the header of a CSV file."""
        try:
            return next(csv.reader([self.first]), [])
        except csv.Error:
            return []

    @property
    def json(self) -> Mapping[str, Any]:
        """The first line as an object; empty if it is none."""
        try:
            found = json.loads(self.first)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def head_of_text(path: Path) -> Head:
    with path.open("rb") as file:
        start = file.read(HEAD_BYTES)
    text = start.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    return Head(tuple(line.rstrip("\r") for line in whole))


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of request log. What `read` cannot understand it adds to the account, with its bytes."""

    name: str
    claims: Callable[[Head], bool]
    read: Callable[[Path, Account], "Iterator[Sample | SampleWithVariables]"]
    variables: Callable[[Head], Sequence[str]] = lambda head: ()
    """Further columns, which `--backend-from` may name: `read` gives each sample's as a `SampleWithVariables`."""


@dataclass(frozen=True, slots=True)
class SampleWithVariables:
    """A sample and what stands in the further columns of its row."""

    sample: Sample
    values: Sequence[str]


@dataclass(slots=True)
class Request:
    """What a line of a foreign log says; `sample` makes a sample of it."""

    start_us: int
    took_us: int
    code: str = ""
    success: bool = True
    label: str = ""
    message: str = ""
    url: str = ""
    thread: str = ""
    nbytes: int = 0
    sent_bytes: int = 0
    latency_us: int = 0
    connect_us: int = 0
    identity: Identity = UNKNOWN
    error: FailureKind | None = None
    users: int = 1
    intended_us: int | None = None

    def sample(self) -> Sample:
        """ValueError where its times cannot be."""
        end_us = self.start_us + self.took_us
        if not 0 <= self.start_us <= end_us <= MAX_US:
            raise ValueError("times out of range")
        error = self.error
        if error is None and not self.success:
            error = kind_of_failure(self.code, self.message)
        return Sample(
            start_us=self.start_us,
            end_us=end_us,
            intended_us=self.intended_us,
            label=self.label,
            code=self.code,
            message=self.message,
            thread=self.thread,
            success=self.success,
            failure_message="",
            nbytes=self.nbytes,
            sent_bytes=self.sent_bytes,
            url=self.url,
            latency_us=self.latency_us,
            connect_us=self.connect_us,
            identity=self.identity,
            error=None if self.success else error,
            attempts=1,
            stream="",
            session="",
            users=self.users,
        )


def read_requests(
    path: Path, account: Account, parse: Callable[[bytes], Request | None], *, skip: int = 0
) -> Iterator[Sample]:
    """Line by line. `parse` returns None for a line that is no request, and raises where it cannot read one."""
    for number, line in enumerate(read_lines(path, account)):
        if number < skip or not line.strip():
            continue
        try:
            request = parse(line)
            if request is not None:
                yield request.sample()
        except (
            ValueError,
            KeyError,
            IndexError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
            csv.Error,
        ):
            account.add(UNREADABLE, nbytes=len(line) + 1)


@dataclass(slots=True)
class Columns:
    """Rows under a header, by name."""

    names: list[str]
    _places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {name: place for place, name in reversed(list(enumerate(self.names)))}

    def row(self, line: bytes) -> Callable[..., str]:
        """A function that gives the field of that name, or '' where there is no such column."""
        text = line.decode("utf-8", "replace").rstrip("\r")
        values = next(csv.reader([text])) if '"' in text else text.split(",")
        if len(values) != len(self.names):
            raise ValueError("wrong number of columns")
        return lambda name: values[self._places[name]] if name in self._places else ""


def whole_us(seconds: str | float, scale: int = 1_000_000) -> int:
    """A decimal number of seconds (or of another unit, by its `scale`) in whole microseconds."""
    return round(float(seconds) * scale)
