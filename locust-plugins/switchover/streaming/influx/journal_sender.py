"""One journal's points, from its offset on, a batch at a time."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from switchover.model.errors import RunDirectoryError
from switchover.rundir.sent_offset import Sent, read_sent, write_sent
from switchover.streaming.influx.write_result import Meaning, WriteResult

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
        # Memory for all that a batch may hold, several times a second, would scatter what is kept over the heap.
        data = file.read(max(0, min(os.fstat(file.fileno()).st_size - offset, most_bytes)))
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


SMALLEST = 4_096
"""Bytes of a batch that no database refuses for its size alone."""


class Poster(Protocol):
    """Who posts lines; it never raises."""

    def post(self, lines: bytes) -> WriteResult: ...


@dataclass(slots=True)
class Limits:
    """How large a batch may be, shared by all journals: what the database has refused once is not tried again."""

    bytes: int = BYTES


class JournalSender:
    """Of one journal to one database. The file may grow, and another may come in its place."""

    def __init__(self, journal: Path, to: str, limits: Limits | None = None) -> None:
        self.journal = journal
        self.unwritten: str | None = None
        """Why the offset is not kept, if it is not."""
        self._to = to
        self._limits = limits or Limits()
        self._inode: int | None = None
        self._sent = Sent(to)

    @property
    def sent(self) -> Sent:
        return self._sent

    def step(self, poster: Poster) -> WriteResult | None:
        """Post the next batch, and keep how far it got; None: there is none. What the answer says to wait for, `step`
        will post again. OSError if the journal cannot be read."""
        self._look()
        batch = read_batch(self.journal, self._sent.offset, most_lines=LINES, most_bytes=self._limits.bytes)
        if batch is None:
            return None
        answer = self._deliver(poster, batch.lines) if batch.lines else WriteResult(Meaning.TAKEN)
        if answer.meaning is Meaning.TAKEN:
            self._keep(batch, min(answer.refused, batch.points))
        return answer

    def left(self) -> int:
        """Lines that are still to be sent. OSError if the journal cannot be read."""
        self._look()
        return count_lines(self.journal, self._sent.offset)

    def _look(self) -> None:
        """Another file under the name, or a shorter one, has not been sent."""
        found = self.journal.stat()
        if found.st_ino != self._inode or found.st_size < self._sent.offset:
            self._inode = found.st_ino
            self._sent = read_sent(self.journal, self._to, found.st_size)

    def _deliver(self, poster: Poster, lines: bytes) -> WriteResult:
        """All of it, in halves where that is asked for; the answer is TAKEN with what was refused, or WAIT."""
        answer = poster.post(lines)
        if answer.meaning is not Meaning.HALVE:
            return answer
        middle = lines.find(b"\n", len(lines) // 2 - 1) + 1
        if middle in (0, len(lines)):
            middle = lines.rfind(b"\n", 0, len(lines) - 1) + 1
        if middle == 0:
            return WriteResult(Meaning.TAKEN, refused=1, why=answer.why)
        if answer.too_large:
            self._limits.bytes = max(min(self._limits.bytes, len(lines) // 2), SMALLEST)
        first = self._deliver(poster, lines[:middle])
        if first.meaning is Meaning.WAIT:
            return first
        second = self._deliver(poster, lines[middle:])
        if second.meaning is Meaning.WAIT:
            return second
        return WriteResult(Meaning.TAKEN, refused=first.refused + second.refused, why=first.why or second.why)

    def _keep(self, batch: Batch, refused: int) -> None:
        self._sent = self._sent.after(batch.size, points=batch.points - refused, refused=refused + batch.rubbish)
        try:
            write_sent(self.journal, self._sent)
        except RunDirectoryError as error:
            self.unwritten = str(error)
