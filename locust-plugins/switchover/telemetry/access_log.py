"""Read the requests in the backends' access logs, from the start to the end of a run.

The backends write these logs, so no line is lost if the balancer that forwarded the requests dies.
"""

import csv
import os
import stat
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process.command import run_command
from switchover.rundir.atomic_file import whole_file
from switchover.rundir.seal import Seals, seal_file
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command
from switchover.telemetry.log_lines import LogRecord, parse_log_line

RECORDS_LIMIT = 1_000_000
"""The maximum number of stored records. For a longer log, only counts are stored."""
REMOTES_LIMIT = 256
"""The maximum number of client addresses that are counted separately. Further addresses count as `other`."""
COMMAND_TIMEOUT_S = 60.0
COMMAND_LIMIT_BYTES = 4 * 1024**3
COLUMNS = ("time_us", "remote", "status", "bytes", "request_method", "path")
_CHUNK = 1024 * 1024
_LINE_LIMIT = 65536
_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class AccessLogCount:
    """The counts of the lines that were added between start and finish. If there is a `warning`, all counts are
    unknown (None or empty)."""

    lines: int | None = None
    by_status: Mapping[str, int] = field(default_factory=dict)
    """The number of lines by status. Lines in an unknown format count as `unread`."""
    by_remote: Mapping[str, int] = field(default_factory=dict)
    warning: str | None = None
    records: tuple[LogRecord, ...] | None = None
    """The records of the log. None: the log has too many records, or cannot be read. Times are on the run's clock if
    the node shares this machine's clock. Otherwise, times are on the node's clock. The offset of this clock is in
    run.json."""

    def facts(self) -> dict[str, object]:
        """Return the counts for run.json."""
        return {
            "lines": self.lines,
            "by_status": dict(self.by_status),
            "by_remote": dict(self.by_remote),
            "warning": self.warning,
        }


class AccessLogSource:
    """Count the lines that a node's access log gains between `start()` and `finish()`."""

    def __init__(self, node: Node, clock: Clock | None = None) -> None:
        if node.access_log is None:
            raise TelemetryError(f"{node.name} has no access_log in the target file")
        self.node = node
        self._source = node.access_log
        self._clock = clock or Clock.of_process()
        self._size = 0
        """The size of the log at the start, in bytes."""
        self._identity: tuple[int, int] | None = None
        """The device and inode of the file, if it existed."""
        self._failure: str | None = None
        self._began_us, self._shift_us = self._now()
        self._ended_us, self._end_shift_us = self._began_us, self._shift_us

    def start(self) -> None:
        """Record the present size of the log. Never raises: `finish` reports an error as a warning."""
        self._began_us, self._shift_us = self._now()
        try:
            self._size = self._read(0, None)
        except FileNotFoundError:
            return  # The server creates the log at its first request.
        except (TelemetryError, OSError) as error:
            self._failure = _one_line(error)

    def finish(self) -> AccessLogCount:
        """Return the lines that were added since `start()`. For a rotated or truncated log, the result has a warning
        and no counts."""
        if self._failure is not None:
            return self._unknown(f"could not be read at the start: {self._failure}")
        self._ended_us, self._end_shift_us = self._now()
        counter = _Counter(self._to_run_us)
        try:
            self._read(self._size, counter.feed)
        except (TelemetryError, OSError) as error:
            return self._unknown(_one_line(error))
        return counter.result()

    def _read(self, skip: int, sink: Callable[[bytes], None] | None) -> int:
        """Pass the bytes of the log after the first `skip` bytes to `sink`. Returns the size of the log.

        `sink` None: only the size is measured, and a file is not read.
        """
        size = 0
        if isinstance(self._source, Command):

            def feed(piece: bytes) -> None:
                nonlocal size
                if sink is not None:
                    sink(piece[max(skip - size, 0) :])
                size += len(piece)

            run_command(
                self._source.arguments,
                COMMAND_TIMEOUT_S,
                sink=feed,
                limit_bytes=COMMAND_LIMIT_BYTES,
                variables=self._source.variables,
                end_children=True,
            ).check()
        else:
            path = Path(self._source.path)
            if not stat.S_ISREG(path.stat().st_mode):
                raise TelemetryError("it is not a regular file")
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                if self._identity not in (None, (status.st_dev, status.st_ino)):
                    raise TelemetryError("it was rotated during the run")
                self._identity = status.st_dev, status.st_ino
                size = status.st_size
                file.seek(skip)
                while sink is not None and (piece := file.read(_CHUNK)):
                    sink(piece)
        if size < skip:
            raise TelemetryError("it was truncated during the run")
        return size

    def _now(self) -> tuple[int, int]:
        """Return the time on the run's clock, and the shift from the log's clock to the run's clock."""
        return self._clock.now_us(), self._clock.from_wall_ns(0) // 1000 if self.node.shared_clock else 0

    def _to_run_us(self, time_us: int) -> int:
        """Convert a time of the log to the run's clock.

        If the shift at the start gives a time outside of the run, the machine's clock was set before the line was
        written. In this case, the shift at the end is used. The tolerance is 1 s, because times may be in whole
        seconds.
        """
        shifted_us = time_us + self._shift_us
        is_inside = self._began_us - _SECOND_US <= shifted_us <= self._ended_us + _SECOND_US
        return shifted_us if is_inside else time_us + self._end_shift_us

    def _unknown(self, reason: str) -> AccessLogCount:
        return AccessLogCount(warning=f"{self.node.name}: the access log {self._source} is not used: {reason}")


def access_log_name(node: str) -> str:
    """Return the name of the file with a node's records in the run directory."""
    return f"access-{node}.csv"


def write_access_log(directory: Path, node: str, count: AccessLogCount) -> Seals:
    """Write the records to `access-<node>.csv` in the run directory, and return the seal. Without records, write
    nothing.

    The file is written atomically, because an incomplete file, for example on a full disk, would hide responses of
    the backend.
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


class _Counter:
    """Count complete lines, and store at most `RECORDS_LIMIT` records."""

    def __init__(self, to_run_us: Callable[[int], int]) -> None:
        self._to_run_us = to_run_us
        self._lines = 0
        self._by_status: Counter[str] = Counter()
        self._by_remote: Counter[str] = Counter()
        self._records: list[LogRecord] | None = []
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        *complete, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LINE_LIMIT:
            raise TelemetryError("it has an endless line, so it is not an access log")
        for line in complete:
            self._count(parse_log_line(line))

    def result(self) -> AccessLogCount:
        records = None if self._records is None else tuple(self._records)
        return AccessLogCount(self._lines, self._by_status, self._by_remote, None, records)

    def _count(self, record: LogRecord | None) -> None:
        self._lines += 1
        self._by_status["unread" if record is None else str(record.status)] += 1
        if record is None:
            return
        is_listed = record.remote in self._by_remote or len(self._by_remote) < REMOTES_LIMIT
        self._by_remote[record.remote if is_listed else "other"] += 1
        if self._records is not None:
            self._records.append(replace(record, time_us=self._to_run_us(record.time_us)))
            if len(self._records) > RECORDS_LIMIT:
                self._records = None


def _one_line(error: TelemetryError | OSError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
