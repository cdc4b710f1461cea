"""What the servers say they answered: their access logs, from a run's start to its end.

They are written by the backends, so they survive the death of the balancer that forwarded the requests.
"""

import csv
import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.model.interval import Span
from switchover.process.command import run_command
from switchover.rundir.atomic_file import whole_file
from switchover.rundir.seal import Seals, seal_file
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, LogFile
from switchover.telemetry.log_lines import LogRecord, parse_log_line

RECORDS_LIMIT = 1_000_000
"""Lines that are kept one by one; of a longer log only the counts are."""
REMOTES_LIMIT = 256
"""Distinct client addresses that are counted apart; the rest are `other`."""
COMMAND_TIMEOUT_S = 60.0
COMMAND_LIMIT_BYTES = 4 * 1024**3
COLUMNS = ("time_us", "remote", "status", "bytes", "request_method", "path")
_CHUNK = 1024 * 1024
_LINE_LIMIT = 65536
_SEEN_BYTES = 4096
"""The bytes before the start that must still be there at the end: else it is not the same log any more."""
_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class AccessLogCount:
    """Lines that were added between start and finish; all None or empty if `warning` says why that is not known."""

    lines: int | None = None
    by_status: Mapping[str, int] = field(default_factory=dict)
    """Lines of another form than `combined` count as `unread`."""
    by_remote: Mapping[str, int] = field(default_factory=dict)
    warning: str | None = None
    records: tuple[LogRecord, ...] | None = None
    """None if there are too many, or the log could not be read. Their times are on the run's clock where the node
    shares this machine's; else on the node's own, whose offset run.json has."""

    def facts(self) -> dict[str, object]:
        """The counts, as run.json has them."""
        return {
            "lines": self.lines,
            "by_status": dict(self.by_status),
            "by_remote": dict(self.by_remote),
            "warning": self.warning,
        }


@dataclass(frozen=True, slots=True)
class _Place:
    """How much of the log there was, and what stood just before."""

    size: int = 0
    seen: str = ""
    identity: tuple[int, int] | None = None
    """Device and inode of a file that was there."""


class AccessLogSource:
    """Counts what a node's access log grows by. `start()` before the first request, `finish()` after the last."""

    def __init__(self, node: Node, clock: Clock | None = None) -> None:
        if node.access_log is None:
            raise TelemetryError(f"{node.name} has no access_log in the target file")
        self.node = node
        self._source = node.access_log
        self._clock = clock or Clock.of_process()
        self._place = _Place()
        self._failure: str | None = None
        self._began_us = self._clock.now_us()
        self._shift_us = self._shift()

    def start(self) -> None:
        """Remember where the log ends now. Never raises: what goes wrong is the warning of `finish`."""
        self._began_us, self._shift_us = self._clock.now_us(), self._shift()
        try:
            if isinstance(self._source, LogFile):
                self._place = _place_of_file(Path(self._source.path))
            else:
                measure = _Measure()
                _run(self._source, measure.feed)
                self._place = measure.place()
        except (TelemetryError, OSError) as error:
            self._failure = _one_line(error)

    def finish(self) -> AccessLogCount:
        """The lines since `start()`; a rotated or truncated log gives a warning and no figure."""
        if self._failure is not None:
            return self._unknown(f"could not be read at the start: {self._failure}")
        counter = _Counter(_RunTimes(self._shift_us, self._shift(), Span(self._began_us, self._clock.now_us())))
        try:
            if isinstance(self._source, LogFile):
                self._read_file(Path(self._source.path), counter)
            else:
                skipped = _Skip(self._place, counter.feed)
                _run(self._source, skipped.feed)
                skipped.check()
        except (TelemetryError, OSError) as error:
            return self._unknown(_one_line(error))
        return counter.result()

    def _read_file(self, path: Path, counter: "_Counter") -> None:
        with path.open("rb") as file:
            now = os.fstat(file.fileno())
            if self._place.identity not in (None, (now.st_dev, now.st_ino)):
                raise TelemetryError("it was rotated in the middle of the run")
            skipped = _Skip(self._place, counter.feed, file.seek(max(self._place.size - _SEEN_BYTES, 0)))
            while piece := file.read(_CHUNK):
                skipped.feed(piece)
            skipped.check()

    def _shift(self) -> int:
        """What is added now to a time of the log."""
        return self._clock.from_wall_ns(0) // 1000 if self.node.shared_clock else 0

    def _unknown(self, reason: str) -> AccessLogCount:
        return AccessLogCount(warning=f"{self.node.name}: its access log {self._source} does not count: {reason}")


def access_log_name(node: str) -> str:
    """The file of a node's records in the run directory."""
    return f"access-{node}.csv"


def write_access_log(directory: Path, node: str, count: AccessLogCount) -> Seals:
    """`access-<node>.csv` in the run directory, a line per record, and its seal; nothing if there are no records.

    Whole or not at all: half of it, on a disk that is full, would say that the backend answered less than it did.
    """
    if count.records is None:
        return {}
    path = directory / access_log_name(node)
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(
            (record.time_us, record.remote, record.status, record.nbytes, record.method, record.path)
            for record in count.records
        )
    return {path.name: [seal_file(path).facts()]}


@dataclass(frozen=True, slots=True)
class _RunTimes:
    """Puts the times of a log on the run's clock, also where the machine's clock was set in the middle of the run."""

    shift_at_start_us: int
    shift_at_end_us: int
    run: Span

    def of(self, time_us: int) -> int:
        """A line is of the time of the run: where it is not by the clock of the start, the clock was set before it.
        A time of whole seconds may lie a second before its line."""
        found_us = time_us + self.shift_at_start_us
        is_inside = self.run.from_us - _SECOND_US <= found_us <= self.run.to_us + _SECOND_US
        return found_us if is_inside else time_us + self.shift_at_end_us


class _Counter:
    """Counts complete lines and keeps their records while they are few."""

    def __init__(self, times: _RunTimes) -> None:
        self._times = times
        self._lines = 0
        self._by_status: dict[str, int] = {}
        self._by_remote: dict[str, int] = {}
        self._records: list[LogRecord] | None = []
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        *complete, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LINE_LIMIT:
            raise TelemetryError("it has an endless line: that is no access log")
        for line in complete:
            self._count(parse_log_line(line))

    def result(self) -> AccessLogCount:
        records = None if self._records is None else tuple(self._records)
        return AccessLogCount(self._lines, self._by_status, self._by_remote, None, records)

    def _count(self, record: LogRecord | None) -> None:
        self._lines += 1
        status = "unread" if record is None else str(record.status)
        self._by_status[status] = self._by_status.get(status, 0) + 1
        if record is None:
            return
        known = record.remote in self._by_remote or len(self._by_remote) < REMOTES_LIMIT
        remote = record.remote if known else "other"
        self._by_remote[remote] = self._by_remote.get(remote, 0) + 1
        if self._records is not None:
            self._records.append(replace(record, time_us=self._times.of(record.time_us)))
            if len(self._records) > RECORDS_LIMIT:
                self._records = None


class _Measure:
    """The size of what a command prints, and its last bytes."""

    def __init__(self) -> None:
        self._size = 0
        self._tail = b""

    def feed(self, piece: bytes) -> None:
        self._size += len(piece)
        self._tail = (self._tail + piece)[-_SEEN_BYTES:]

    def place(self) -> _Place:
        return _Place(self._size, _digest(self._tail))


class _Skip:
    """Passes on what stands behind a place, if what stands before it is still the same."""

    def __init__(self, place: _Place, sink: Callable[[bytes], None], offset: int = 0) -> None:
        self._place = place
        self._sink = sink
        self._at = offset
        self._before = b""

    def feed(self, piece: bytes) -> None:
        old = piece[: max(self._place.size - self._at, 0)]
        self._at += len(piece)
        self._before = (self._before + old)[-_SEEN_BYTES:]
        if len(old) < len(piece):
            self._compare()
            self._sink(piece[len(old) :])

    def check(self) -> None:
        """At the end: the log has not become shorter than it was."""
        if self._at < self._place.size:
            raise TelemetryError("it was truncated in the middle of the run")
        self._compare()

    def _compare(self) -> None:
        if _digest(self._before) != self._place.seen and self._place.size:
            raise TelemetryError("it was truncated or replaced in the middle of the run")


def _place_of_file(path: Path) -> _Place:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise TelemetryError("it is no regular file")
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            file.seek(max(status.st_size - _SEEN_BYTES, 0))
            before = file.read(min(status.st_size, _SEEN_BYTES))
            return _Place(status.st_size, _digest(before), (status.st_dev, status.st_ino))
    except FileNotFoundError:
        # The server makes it with its first request.
        return _Place()


def _run(source: Command, sink: Callable[[bytes], None]) -> None:
    run_command(
        source.arguments,
        COMMAND_TIMEOUT_S,
        sink=sink,
        limit_bytes=COMMAND_LIMIT_BYTES,
        variables=source.variables,
        end_children=True,
    ).check()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _one_line(error: TelemetryError | OSError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
