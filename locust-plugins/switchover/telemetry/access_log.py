"""Read the requests in the backends' access logs, which are complete even if the balancer dies."""

import csv
import os
import re
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path

from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process.command import run_command
from switchover.rundir.atomic_file import whole_file
from switchover.rundir.seal import Seals, seal_file
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command

_LINE = re.compile(
    rb"(?:(?P<msec>\d{9,11}\.\d{3}) )?(?:[\w.*-]{1,253}(?::\d{1,5})? )?(?P<remote>[0-9A-Fa-f.:]{2,45}) "
    rb"\S{1,64} [^\[\]]{1,128} \[(?P<stamp>[^\]]{20,32})\] "
    rb'"(?P<request>(?:[^"\\]|\\.){0,8192})" (?P<status>\d{3}) (?P<bytes>\d{1,18}|-)',
    re.DOTALL,
)
_STAMP = re.compile(r"\d\d/[A-Z][a-z]{2}/[12]\d{3}:\d\d:\d\d:\d\d [+-](?:0\d|1[0-4])[0-5]\d", re.ASCII)
"""Unlike `strptime`, this pattern refuses damaged time stamps, such as the time zone +1500."""
_PATH_LIMIT = 200
"""The maximum length of a stored path: enough to distinguish a health check from a request."""
_texts: dict[bytes, str] = {}
"""Repeated texts, each stored once. Otherwise, a million records would not fit into memory."""
_TEXTS_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One request as a server logged it. `time_us` is the time of logging on the server's clock."""

    time_us: int
    remote: str
    status: int
    nbytes: int
    method: str
    path: str


def parse_log_line(line: bytes) -> LogRecord | None:
    """Parse a line. None: the line has another format. If the line has no `$msec`, the time is a whole second."""
    match = _LINE.match(line)
    if match is None:
        return None
    msec = match["msec"]
    try:
        time_us = int(msec.replace(b".", b"")) * 1000 if msec else _stamp_us(match["stamp"].decode("ascii"))
    except ValueError:
        return None
    method, _, rest = match["request"].partition(b" ")
    path = rest.rpartition(b" ")[0] or rest
    nbytes = match["bytes"]
    return LogRecord(
        time_us=time_us,
        remote=_text(match["remote"]),
        status=int(match["status"]),
        nbytes=0 if nbytes == b"-" else int(nbytes),
        method=_text(method[:16]),
        path=_text(path[:_PATH_LIMIT]),
    )


def _text(raw: bytes) -> str:
    text = _texts.get(raw)
    if text is None:
        text = raw.decode("utf-8", "replace")
        if len(_texts) < _TEXTS_LIMIT:
            _texts[raw] = text
    return text


def _stamp_us(stamp: str) -> int:
    if _STAMP.fullmatch(stamp) is None:
        raise ValueError(stamp)
    return round(datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S %z").timestamp()) * 1_000_000


RECORDS_LIMIT = 1_000_000
"""The maximum number of stored records. If the log has more records, only counts are stored."""
COMMAND_TIMEOUT_S = 60.0
COMMAND_LIMIT_BYTES = 4 * 1024**3
COLUMNS = ("time_us", "remote", "status", "bytes", "request_method", "path")
_CHUNK = 1024 * 1024
_LINE_LIMIT = 65536
_SECOND_US = 1_000_000


@dataclass(slots=True)
class AccessLogCount:
    """The counts of the lines that were added during the run. If there is a `warning`, all counts are unknown."""

    lines: int | None = None
    by_status: Counter[str] = field(default_factory=Counter)
    """The number of lines for each status. Lines in an unknown format count as `unread`."""
    warning: str | None = None
    records: list[LogRecord] | None = None
    """The records, or None if there are too many records. Times are on the run's clock if the node shares the clock
    of this machine, otherwise on the node's clock."""

    def facts(self) -> dict[str, object]:
        return {"lines": self.lines, "by_status": dict(self.by_status), "warning": self.warning}


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
        """Record the present size of the log. If this fails, `finish` returns a warning."""
        self._began_us, self._shift_us = self._now()
        try:
            self._size = self._read(0, None)
        except FileNotFoundError:
            return  # The server creates the log at its first request.
        except (TelemetryError, OSError) as error:
            self._failure = _one_line(error)

    def finish(self) -> AccessLogCount:
        """Return the lines that were added since `start()`. A rotated or truncated log gives only a warning."""
        if self._failure is not None:
            return self._unknown(f"could not be read at the start: {self._failure}")
        self._ended_us, self._end_shift_us = self._now()
        count, rest = AccessLogCount(records=[]), b""

        def feed(piece: bytes) -> None:
            nonlocal rest
            *complete, rest = (rest + piece).split(b"\n")
            if len(rest) > _LINE_LIMIT:
                raise TelemetryError("it has an endless line, so it is not an access log")
            for line in complete:
                self._count(parse_log_line(line), count)

        try:
            self._read(self._size, feed)
        except (TelemetryError, OSError) as error:
            return self._unknown(_one_line(error))
        count.lines = count.by_status.total()
        return count

    def _count(self, record: LogRecord | None, count: AccessLogCount) -> None:
        count.by_status["unread" if record is None else str(record.status)] += 1
        if record is not None and count.records is not None:
            count.records.append(replace(record, time_us=self._to_run_us(record.time_us)))
            if len(count.records) > RECORDS_LIMIT:
                count.records = None

    def _read(self, skip: int, sink: Callable[[bytes], None] | None) -> int:
        """Pass the bytes after the first `skip` bytes of the log to `sink`, and return the log's size. Without a
        sink, a log file is not read."""
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
        """Convert a time of the log to the run's clock. If the time is outside of the run, the machine's clock was
        set during the run, so the shift at the end of the run is used. Times up to 1 s outside of the run count as
        inside, because times may be in whole seconds."""
        shifted_us = time_us + self._shift_us
        is_inside = self._began_us - _SECOND_US <= shifted_us <= self._ended_us + _SECOND_US
        return shifted_us if is_inside else time_us + self._end_shift_us

    def _unknown(self, reason: str) -> AccessLogCount:
        return AccessLogCount(warning=f"{self.node.name}: the access log {self._source} is not used: {reason}")


def access_log_name(node: str) -> str:
    return f"access-{node}.csv"


def write_access_log(directory: Path, node: str, count: AccessLogCount) -> Seals:
    """Write the records to `access-<node>.csv` atomically, and return the seal."""
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
    return {path.name: [asdict(seal_file(path))]}


def _one_line(error: TelemetryError | OSError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
