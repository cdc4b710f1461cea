"""The sample log: JMeter's CSV JTL with Switchover's columns, which are quoted because `jmeter -g` refuses unknown
names. Microseconds are truncated to milliseconds, as in JMeter."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import Identity
from switchover.rundir.appended_file import Appender

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
    "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect,"
    '"backend","balancer","answered_by","error","attempts","stream","session","intended_us","start_us","end_us"'
)
COLUMNS = tuple(HEADER.replace('"', "").split(","))

BUFFERED_ROWS = 4096
"""The number of buffered rows at which the buffer is written without a call of `flush()`."""

MAX_US = (2**63 - 1) // 1000
"""The last microsecond that a nanosecond timestamp of 64 bits can represent, in the year 2262."""

_NEEDS_QUOTES = re.compile(r'[,"\r\n]')


class Sample(NamedTuple):
    """One request as the client saw it. Times are microseconds since the epoch on the run's clock. A tuple is six
    times as fast as a frozen dataclass."""

    start_us: int
    end_us: int
    intended_us: int | None
    """The scheduled time of the request. None in a closed loop."""
    label: str
    code: str
    """The HTTP status. Empty: there was no response."""
    message: str
    thread: str
    success: bool
    failure_message: str
    nbytes: int
    sent_bytes: int
    url: str
    latency_us: int
    """The time from the start to the first byte of the response."""
    connect_us: int
    """The time from the start until the connection is established, including TLS. 0 on a keep-alive connection."""
    identity: Identity
    error: FailureKind | None
    attempts: int
    """The number of times that the client sent this request."""
    stream: str
    """The type of the connection: `fresh`, `kept`, or empty. For a held connection: its `HeldKind`."""
    session: str
    users: int = 1


class SampleWriter(Appender):
    """Writes samples to one file, with a buffer that the owner flushes. Not thread-safe. A full disk raises no
    exception: `lost` counts the lost samples, and `warning` has the reason."""

    def __init__(self, path: Path, more_columns: Sequence[str] = ()) -> None:
        header = ",".join([HEADER, *(f'"{name}"' for name in more_columns)])
        super().__init__(path, head=f"{header}\n".encode())
        self._rows: list[bytes] = []

    def write(self, sample: Sample, more: Sequence[str] = ()) -> None:
        row = ",".join([format_sample(sample), *map(quote, more)])
        self.write_rows([f"{row}\n".encode("utf-8", "replace")])

    def write_rows(self, rows: Iterable[bytes]) -> None:
        self._rows.extend(rows)
        if len(self._rows) >= BUFFERED_ROWS:
            self.flush()

    def flush(self) -> None:
        """Pass the buffered rows to the operating system."""
        if self._rows:
            rows, self._rows = self._rows, []
            self.append(rows)

    def close(self) -> None:
        self.flush()
        super().close()


def format_sample(sample: Sample) -> str:
    """Return the row of a sample, without the newline at its end. A quoted field may contain newlines."""
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
    """Quote a field as JMeter's CSVSaveService.quoteDelimiters does: only if needed, with doubled quotes."""
    if text.isalnum() or not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


HELD_FILE = "connections.jtl"
RETRYING_CLIENT_FILE = "retrying_client.jtl"
"""The log of the retrying clients. `threadName` begins with the name of the client."""
HELD_COLUMNS = ("ended_by", "position", "worker", "change")


class EndedBy(StrEnum):
    """The end of a connection or a stream, as the client saw it."""

    FIN = "fin"
    RST = "rst"
    SILENCE = "silence"
    """No byte arrived within the timeout."""
    GOAWAY = "goaway"
    CLOSE = "close"
    """The server announced the end: by `Connection: close`, a close frame, or an end event."""


class HeldWriter(SampleWriter):
    """Writes rows with all columns of connections.jtl to one file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, HELD_COLUMNS)

    def write_row(
        self, sample: Sample, *, ended_by: EndedBy | None, position: int | None, worker: str, change: int | None
    ) -> None:
        """Write a row. `position`: the number of the last byte or message before the end of the connection. `change`:
        the number of the change in progress."""
        values = (
            ended_by or "",
            "" if position is None else str(position),
            worker,
            "" if not change else str(change),
        )
        self.write(sample, values)
