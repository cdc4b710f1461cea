"""The sample log: JMeter's CSV JTL with Switchover's columns after JMeter's.

The names of these columns are quoted in the header, as JMeter writes its sample variables. `jmeter -g` reads
such a file, and refuses unknown names without quotes (measured with 5.6.3). Milliseconds are cut off, not
rounded, from the exact microseconds, as JMeter cuts its clock.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import Identity
from switchover.rundir.appended_file import AppendedFile, Appender

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

_NEEDS_QUOTES = re.compile(r'[,"\r\n]')


class Sample(NamedTuple):
    """One request as the client saw it; times are microseconds since the epoch, on the run's clock.

    It is a tuple, because a run has millions: a frozen dataclass of as many fields takes six times as long to
    make.
    """

    start_us: int
    end_us: int
    intended_us: int | None
    """The scheduled time; None in a closed loop."""
    label: str
    code: str
    """HTTP status; empty without a response."""
    message: str
    thread: str
    success: bool
    failure_message: str
    nbytes: int
    sent_bytes: int
    url: str
    latency_us: int
    """From start to the first byte of the response."""
    connect_us: int
    """From start to the established connection, TLS included; 0 on a kept one."""
    identity: Identity
    error: FailureKind | None
    attempts: int
    """Number of times that the client sent the request."""
    stream: str
    """`fresh` connection, `kept` connection, or empty."""
    session: str
    """The sticky cookie's value, hashed."""
    users: int = 1
    """Active users in the client's process."""


class SampleWriter(AppendedFile):
    """Write samples to one file, buffered; the owner calls `flush()`, for example every 100 ms. Not thread-safe.

    A full disk never raises: `lost` counts the samples and `warning` has the reason. Writing resumes when there
    is room.
    """

    def __init__(self, path: Path, more_columns: Sequence[str] = ()) -> None:
        """`more_columns`: names of further columns after those of every sample log."""
        header = ",".join([HEADER, *(f'"{name}"' for name in more_columns)])
        super().__init__(Appender(path, head=f"{header}\n".encode()))
        self._rows: list[bytes] = []

    def write(self, sample: Sample, more: Sequence[str] = ()) -> None:
        row = ",".join([format_sample(sample), *map(quote, more)])
        self.write_rows([f"{row}\n".encode("utf-8", "replace")])

    def write_rows(self, rows: Iterable[bytes]) -> None:
        """Write rows of `format_rows`."""
        self._rows.extend(rows)
        if len(self._rows) >= BUFFERED_ROWS:
            self.flush()

    def flush(self) -> None:
        """Pass the buffered rows to the operating system, after which they outlive this process."""
        if self._rows:
            rows, self._rows = self._rows, []
            self._appender.append(rows)

    def close(self) -> None:
        self.flush()
        self._appender.close()


def format_sample(sample: Sample) -> str:
    """Return the sample's row, without the end of the line (a quoted field may contain newlines)."""
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
    """Quote as JMeter's CSVSaveService.quoteDelimiters: only if needed, with doubled quotes."""
    if text.isalnum() or not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'
