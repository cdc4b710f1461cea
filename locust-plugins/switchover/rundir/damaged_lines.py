"""Rows of CSV out of a file that may be damaged: a later gap quote must not swallow the rows behind it."""

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from switchover.model.errors import RunDirectoryError

LINE_LIMIT = 1 << 20
"""Bytes in a line; a longer one is not ours, and is skipped without being kept in memory."""

CUT_OFF = "last line cut off"
TOO_LONG = "line longer than 1 MiB"
PROBE_GAP = "zero bytes in place of text"
"""What a machine that crashed, or a full disk, leaves of lines that were never written."""
PROBE_GAP_BYTES = b"\0" * 64


class Ignored:
    """What a reader left out, and why: reasons come from a fixed, small set."""

    __slots__ = ("lost_bytes", "reasons")

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self.lost_bytes = 0
        """Of lines that were not understood; a last line that was cut off is none of them."""

    def add(self, reason: str, times: int = 1, *, nbytes: int = 0) -> None:
        if times:
            self.reasons[reason] += times
            self.lost_bytes += nbytes

    @property
    def total(self) -> int:
        return self.reasons.total()

    def __str__(self) -> str:
        return ", ".join(f"{count} x {reason}" for reason, count in self.reasons.most_common())


def read_lines(path: Path, ignored: Ignored, offset: int = 0) -> Iterator[bytes]:
    """The file's whole lines without their newline (a carriage return before it stays), from `offset` on.

    A last line without its newline was cut off while it was written: even one that looks complete may have lost
    digits, so it is left out.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
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
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error


WRONG_WIDTH = "wrong number of columns"


def read_rows(lines: Iterator[bytes], width: int, ignored: Ignored) -> Iterator[list[str]]:
    """The rows of `width` fields. A quote that does not end costs the lines up to the next quote."""
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
