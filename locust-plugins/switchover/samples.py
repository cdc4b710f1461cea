"""The sample log: JMeter's CSV JTL with columns of our own behind JMeter's.

The names of our columns stand in double quotes in the header, as JMeter writes its sample variables: `jmeter -g`
reads such a file as it is, and refuses unknown names without quotes (measured with 5.6.3).
Milliseconds are cut off, not rounded, from the exact microseconds of our columns, as JMeter cuts its clock.
"""

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from switchover.appender import AppendedFile, Appender
from switchover.cache import Cache
from switchover.errors import RunDirectoryError
from switchover.failure import FailureKind
from switchover.identity import AnsweredBy, Identity
from switchover.lines import Ignored, read_lines
from switchover.rows import read_rows, split_row

__all__ = ["COLUMNS", "HEADER", "Ignored", "Sample", "SampleWriter", "format_sample", "quote", "read_samples"]

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
    "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect,"
    '"backend","balancer","answered_by","error","attempts","stream","session","intended_us","start_us","end_us"'
)
COLUMNS = tuple(HEADER.replace('"', "").split(","))

BUFFERED_ROWS = 4096
"""Rows that wait for a flush at most; the next one flushes by itself."""

MAX_US = (2**63 - 1) // 1000
"""The last microsecond that nanosecond timestamps reach, in the year 2262."""

_REQUIRED = ("timeStamp", "elapsed", "success")
_SUCCESS = {"true": True, "false": False}
_STREAMS = {"fresh": "fresh", "kept": "kept"}
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')


class Sample(NamedTuple):
    """One request as the client saw it; times are microseconds since the epoch, on the run's clock.

    A tuple, because millions are made: a frozen dataclass of as many fields takes six times as long to make.
    """

    start_us: int
    end_us: int
    intended_us: int | None
    """When it was due by its schedule; None in a closed loop."""
    label: str
    code: str
    """HTTP status, or empty without an answer."""
    message: str
    thread: str
    success: bool
    failure_message: str
    nbytes: int
    sent_bytes: int
    url: str
    latency_us: int
    """From start to the first byte of the answer."""
    connect_us: int
    """From start to the established connection, TLS included; 0 on a kept one."""
    identity: Identity
    error: FailureKind | None
    attempts: int
    """How often the client really sent the request."""
    stream: str
    """`fresh` connection, `kept` connection, or empty."""
    session: str
    """The sticky cookie's value, hashed."""
    users: int = 1
    """How many were active in the client's process."""


class SampleWriter(AppendedFile):
    """Writes samples to one file, buffered: the owner calls `flush()`, say every 100 ms. Not thread-safe.

    A full disk never raises: `lost` counts the samples and `warning` says why; it resumes when there is room.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(Appender(path, head=f"{HEADER}\n".encode()))
        self._rows: list[bytes] = []

    def write(self, sample: Sample) -> None:
        self.write_rows([f"{format_sample(sample)}\n".encode("utf-8", "replace")])

    def write_rows(self, rows: Iterable[bytes]) -> None:
        """Rows as `format_rows` makes them."""
        self._rows.extend(rows)
        if len(self._rows) >= BUFFERED_ROWS:
            self.flush()

    def flush(self) -> None:
        """Hand what is buffered to the operating system, after which it outlives this process."""
        if self._rows:
            rows, self._rows = self._rows, []
            self._appender.append(rows)

    def close(self) -> None:
        self.flush()
        self._appender.close()


def format_sample(sample: Sample) -> str:
    """The sample's row, without the end of the line (a quoted field may hold newlines)."""
    start_us, identity = sample.start_us, sample.identity
    start_ms = start_us // 1000
    return (
        f"{start_ms},{sample.end_us // 1000 - start_ms},{quote(sample.label)},{quote(sample.code)},"
        f"{quote(sample.message)},{quote(sample.thread)},text,{'true' if sample.success else 'false'},"
        f"{quote(sample.failure_message)},{sample.nbytes},{sample.sent_bytes},{sample.users},{sample.users},"
        f"{quote(sample.url)},"
        f"{(start_us + sample.latency_us) // 1000 - start_ms},0,{(start_us + sample.connect_us) // 1000 - start_ms},"
        f"{quote(identity.backend)},{quote(identity.balancer)},{identity.answered_by},{sample.error or ''},"
        f"{sample.attempts},{sample.stream},{quote(sample.session)},"
        f"{'' if sample.intended_us is None else sample.intended_us},{start_us},{sample.end_us}"
    )


def quote(text: str) -> str:
    """As JMeter's CSVSaveService.quoteDelimiters: only where needed, a quote in the text doubled."""
    if text.isalnum() or not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def read_samples(path: Path, ignored: Ignored | None = None) -> Iterator[Sample]:
    """The samples of a JTL, ours or anybody's, in the order of the file.

    Columns are found by name. Without ours, times are those of JMeter's milliseconds and the identity is unknown.
    Rows that cannot be read are counted in `ignored`; only a file without a header of JTL raises.
    """
    left_out = Ignored() if ignored is None else ignored
    lines = read_lines(path, left_out)
    columns = _columns(path, next(lines, None))
    width = len(columns)
    places = {name: place for place, name in reversed(list(enumerate(columns)))}
    pick = itemgetter(*(places.get(name, width) for name in COLUMNS))
    known = _Known()
    for row in read_rows(lines, width, left_out):
        if row == columns:
            left_out.add("repeated header")
            continue
        row.append("")  # where columns that the file lacks are found
        try:
            yield _sample(pick(row), known)
        except _RowError as reason:
            left_out.add(str(reason))
        except ValueError:
            left_out.add("a number cannot be read")


class _RowError(Exception):
    """Says why, in a phrase from a fixed set."""


def _columns(path: Path, header: bytes | None) -> list[str]:
    if header is None:
        raise RunDirectoryError(f"{path} has no header line: a sample log starts with its column names")
    columns = split_row(header.decode("utf-8-sig", "replace").rstrip("\r")) or []
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        start = header[:60].decode("utf-8", "replace")
        raise RunDirectoryError(
            f"{path} is no sample log: its header lacks {', '.join(missing)} and begins {start!r}; "
            "JMeter writes one with jmeter.save.saveservice.output_format=csv and print_field_names=true"
        )
    return columns


def _sample(fields: tuple[str, ...], known: "_Known") -> Sample:
    texts, numbers = known.texts, known.numbers
    (
        stamp, elapsed, label, code, message, thread, _type, success, failure_message, nbytes, sent_bytes,
        _group, users, url, latency, _idle, connect,
        backend, balancer, answered_by, error, attempts, stream, session, intended, start, end,
    ) = fields  # fmt: skip
    stamp_us, elapsed_us = int(stamp) * 1000, int(elapsed) * 1000
    start_us = int(start) if start.isdecimal() else stamp_us
    end_us = int(end) if end.isdecimal() else start_us + elapsed_us
    if not 0 <= start_us <= end_us <= MAX_US:
        raise _RowError("times out of order or range")
    good = _SUCCESS.get(success)
    if good is None:
        raise _RowError("success is neither true nor false")
    return Sample(
        start_us=start_us,
        end_us=end_us,
        intended_us=int(intended) if intended.isdecimal() else None,
        label=texts[label],
        code=texts[code],
        message=texts[message],
        thread=texts[thread],
        success=good,
        failure_message=texts[failure_message],
        nbytes=numbers[nbytes],
        sent_bytes=numbers[sent_bytes],
        url=texts[url],
        latency_us=known.milliseconds[latency],
        connect_us=known.milliseconds[connect],
        identity=known.identities[backend, balancer, answered_by],
        error=_KINDS.get(error),
        attempts=known.ones[attempts],
        stream=_STREAMS.get(stream, ""),
        session=texts[session],
        users=known.ones[users],
    )


_KINDS = {kind.value: kind for kind in FailureKind}
_ANSWERED_BY = {answered_by.value: answered_by for answered_by in AnsweredBy}


def _identity(backend: str, balancer: str, answered_by: str) -> Identity:
    return Identity(backend, balancer, _ANSWERED_BY.get(answered_by, AnsweredBy.UNKNOWN))


class _Known:
    """The caches of one file."""

    def __init__(self) -> None:
        self.texts: Cache[str, str] = Cache(str)
        self.numbers = Cache(_count)
        self.ones: Cache[str, int] = Cache(lambda text: _count(text, 1))
        self.milliseconds: Cache[str, int] = Cache(lambda text: _count(text) * 1000)
        self.identities: Cache[tuple[str, str, str], Identity] = Cache(lambda names: _identity(*names))


def _count(text: str, otherwise: int = 0) -> int:
    return int(text) if text.isdecimal() else otherwise
