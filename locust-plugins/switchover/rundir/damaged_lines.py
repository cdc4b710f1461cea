"""Read rows of CSV from a file that may be damaged. A missing quote affects only a few rows."""

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from switchover.rundir.atomic_file import explain_os_errors

LINE_LIMIT = 1 << 20
"""The maximum length of a line in bytes. A longer line is skipped."""

CUT_OFF = "last line cut off"
TOO_LONG = "line longer than 1 MiB"
PROBE_GAP = "NUL bytes instead of text, as after a crash or on a full disk"
"""Bytes that a crash or a full disk leaves in place of unwritten lines."""
PROBE_GAP_BYTES = b"\0" * 64


@dataclass(slots=True)
class Ignored:
    """The number of lines that a reader ignored, for each reason."""

    reasons: Counter[str] = field(default_factory=Counter)
    lost_bytes: int = 0
    """The number of bytes in ignored lines, except a last line that was cut off."""

    def add(self, reason: str, times: int = 1, *, nbytes: int = 0) -> None:
        if times:
            self.reasons[reason] += times
            self.lost_bytes += nbytes

    @property
    def total(self) -> int:
        return self.reasons.total()

    def __str__(self) -> str:
        return ", ".join(f"{count} x {reason}" for reason, count in self.reasons.most_common())


def read_lines(path: Path, ignored: Ignored) -> Iterator[bytes]:
    """Yield the complete lines of a file, without their newline. A last line without a newline is ignored."""
    with explain_os_errors(f"cannot read {path}"), path.open("rb") as file:
        while line := file.readline(LINE_LIMIT):
            length, more = len(line), line
            while more and not more.endswith(b"\n"):
                more = file.readline(LINE_LIMIT)
                length += len(more)
            if length > LINE_LIMIT or (length == LINE_LIMIT and not more):
                ignored.add(TOO_LONG, nbytes=length)
            elif PROBE_GAP_BYTES in line:
                ignored.add(PROBE_GAP, nbytes=length)
            elif not more:
                ignored.add(CUT_OFF)
            else:
                yield line[:-1]


WRONG_WIDTH = "wrong number of columns"


def read_rows(lines: Iterator[bytes], width: int, ignored: Ignored) -> Iterator[list[str]]:
    """Yield the rows that have `width` fields. After a missing quote, the lines up to the next quote are ignored."""
    nbytes = 0

    def texts() -> Iterator[str]:
        nonlocal nbytes
        for line in lines:
            nbytes += len(line) + 1
            yield line.decode("utf-8", "replace") + "\n"

    rows = csv.reader(texts(), strict=True)
    while True:
        nbytes, row = 0, None
        with suppress(csv.Error):
            row = next(rows, [])
        if not nbytes:
            return
        if row is not None and len(row) == width:
            yield row
        elif row != []:
            ignored.add(WRONG_WIDTH, nbytes=nbytes)
