"""The next lines of a journal: whole ones, no more than a request should have, and only those that are points."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

LINES = 5_000
"""What InfluxDB's documentation advises for a batch."""
BYTES = 1_000_000

_POINT = re.compile(rb"(?m)^[^\n# ][^\n]* [0-9]{19}\n")
"""A line with nanoseconds since the epoch, which have 19 digits from 2001 to 2286: one that was cut off by a full
disk may still look like line protocol, and a database would take it for a point of 1970."""


@dataclass(frozen=True, slots=True)
class Batch:
    """`size` bytes of a journal, which are `points` lines to send and `rubbish` lines that are no points."""

    lines: bytes
    points: int
    size: int
    rubbish: int = 0


def read_batch(path: Path, offset: int, *, most_lines: int = LINES, most_bytes: int = BYTES) -> Batch | None:
    """From `offset` on; None where no whole line stands there yet. OSError if the file cannot be read."""
    with path.open("rb") as file:
        file.seek(offset)
        data = file.read(most_bytes)
        end = data.rfind(b"\n") + 1
        if end == 0:
            return _oversized(path, offset, most_bytes) if len(data) == most_bytes else None
    return _batch(_first(data[:end], most_lines))


def count_lines(path: Path, offset: int) -> int:
    """The lines from `offset` on that are still to be sent, in little memory."""
    found = 0
    while (batch := read_batch(path, offset)) is not None:
        found += batch.points + batch.rubbish
        offset += batch.size
    return found


def _first(data: bytes, most_lines: int) -> bytes:
    if data.count(b"\n") <= most_lines:
        return data
    return data[: len(data) - len(data.split(b"\n", most_lines)[most_lines])]


def _batch(data: bytes) -> Batch:
    lines = data.count(b"\n")
    points = _POINT.findall(data)
    if len(points) == lines:
        return Batch(data, lines, len(data))
    empty = sum(not line.strip() for line in data.split(b"\n")[:-1])
    return Batch(b"".join(points), len(points), len(data), lines - len(points) - empty)


def _oversized(path: Path, offset: int, most_bytes: int) -> Batch | None:
    """A line that no request can hold is left out, as soon as its end is known."""
    size = 0
    with path.open("rb") as file:
        file.seek(offset, os.SEEK_SET)
        while data := file.read(most_bytes):
            end = data.find(b"\n") + 1
            if end:
                return Batch(b"", 0, size + end, 1)
            size += len(data)
    return None
