"""The shipper of all journals of a run directory, including later ones.

It posts them as they grow, even after the database was away. Nothing is queued: unsent points stay in their files, so
memory does not grow with them.
"""

import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from switchover.model.errors import RunDirectoryError
from switchover.rundir.sent_offset import Sent, read_sent, write_sent
from switchover.streaming.influx.writer import Meaning, WriteResult

LINES = 5_000
"""The lines of a batch that InfluxDB's documentation advises."""
BYTES = 1_000_000

_POINT = re.compile(rb"(?m)^[^\n# ][^\n]* [0-9]{19}\n")
"""A line with nanoseconds since the epoch, which have 19 digits from 2001 to 2286.

A line that a full disk cut off may still look like line protocol. A database would accept it as a point of 1970.
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of `size` bytes of a journal: `points` lines to send, and `rubbish` lines that are no points."""

    lines: bytes
    points: int
    size: int
    rubbish: int = 0


def read_batch(path: Path, offset: int, *, most_lines: int = LINES, most_bytes: int = BYTES) -> Batch | None:
    """Read a batch from `offset`; None if there is no whole line yet. Raises OSError if the file cannot be read."""
    with path.open("rb") as file:
        file.seek(offset)
        # Allocating the largest batch several times a second would fragment the heap.
        data = file.read(max(0, min(os.fstat(file.fileno()).st_size - offset, most_bytes)))
        end = data.rfind(b"\n") + 1
        if end == 0:
            if len(data) < most_bytes:
                return None
            # A line larger than a request is skipped, as soon as its end is known.
            file.seek(offset)
            line = file.readline()
            return Batch(b"", 0, len(line), 1) if line.endswith(b"\n") else None
    return _batch(_first(data[:end], most_lines))


def count_lines(path: Path, offset: int) -> int:
    """Return the number of unsent lines from `offset`, with little memory."""
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


SMALLEST = 4_096
"""The size in bytes of a batch that no database refuses as too large."""


class Poster(Protocol):
    def post(self, lines: bytes) -> WriteResult: ...


class JournalSender:
    """The sender of one journal to one database. The file may grow, and another file may replace it."""

    def __init__(self, journal: Path, to: str) -> None:
        self.journal = journal
        self.unwritten: str | None = None
        """The reason why the offset could not be saved, or None."""
        self.sent = Sent(to)
        self._to = to
        self._most_bytes = BYTES
        """The largest batch. A size that was refused once is not tried again."""
        self._inode: int | None = None

    def step(self, poster: Poster) -> WriteResult | None:
        """Post the next batch and save the new offset. Returns None if there is no batch.

        If the answer is WAIT, the next call posts the rest again. Raises OSError if the journal cannot be read.
        """
        self._look()
        batch = read_batch(self.journal, self.sent.offset, most_bytes=self._most_bytes)
        if batch is None:
            return None
        answer = self._deliver(poster, batch.lines) if batch.lines else WriteResult(Meaning.TAKEN)
        if answer.meaning is Meaning.TAKEN:
            self._keep(batch, min(answer.refused, batch.points))
        return answer

    def left(self) -> int:
        self._look()
        return count_lines(self.journal, self.sent.offset)

    def _look(self) -> None:
        """Check the file. Another file under the name, or a shorter file, starts from the beginning."""
        found = self.journal.stat()
        if found.st_ino != self._inode or found.st_size < self.sent.offset:
            self._inode = found.st_ino
            self.sent = read_sent(self.journal, self._to, found.st_size)

    def _deliver(self, poster: Poster, lines: bytes) -> WriteResult:
        """Post all lines, in halves if the answer is HALVE. Returns TAKEN with the refused lines, or WAIT."""
        answer = poster.post(lines)
        if answer.meaning is not Meaning.HALVE:
            return answer
        middle = lines.find(b"\n", len(lines) // 2 - 1) + 1
        if middle in (0, len(lines)):
            middle = lines.rfind(b"\n", 0, len(lines) - 1) + 1
        if middle == 0:
            return WriteResult(Meaning.TAKEN, refused=1, why=answer.why)
        if answer.too_large:
            self._most_bytes = max(min(self._most_bytes, len(lines) // 2), SMALLEST)
        first = self._deliver(poster, lines[:middle])
        if first.meaning is Meaning.WAIT:
            return first
        second = self._deliver(poster, lines[middle:])
        if second.meaning is Meaning.WAIT:
            return second
        return WriteResult(Meaning.TAKEN, refused=first.refused + second.refused, why=first.why or second.why)

    def _keep(self, batch: Batch, refused: int) -> None:
        self.sent = self.sent.after(batch.size, points=batch.points - refused, refused=refused + batch.rubbish)
        try:
            write_sent(self.journal, self.sent)
        except RunDirectoryError as error:
            self.unwritten = str(error)


LOOK_S = 0.2
"""Interval, in seconds, of checks for new lines. Points should be in the database within two seconds."""
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 5.0
"""Seconds between retries, doubled from first to last. A returning database is found soon, and is not flooded."""


@dataclass(frozen=True, slots=True)
class ShipperAccount:
    """Counts of the points of a run directory."""

    to: str
    points: int
    refused: int
    left: int
    why: str = ""
    """The database's latest message about lines that it refused, or that are left."""

    @property
    def total(self) -> int:
        return self.points + self.refused + self.left


class Shipper:
    """The shipper of a run directory. `warn` gets one line the first time that lines are refused or have to wait."""

    def __init__(self, directory: Path, to: str, poster: Poster, warn: Callable[[str], None]) -> None:
        self._directory = directory
        self._to = to
        self._poster = poster
        self._warn = warn
        self._senders: dict[Path, JournalSender] = {}
        self._retry_s = FIRST_RETRY_S
        self._why = ""
        self._warned: set[str] = set()
        self._unread: set[Path] = set()

    def follow(self, ended: threading.Event) -> None:
        while not ended.is_set():
            pause_s = self._post_all(ended)
            ended.wait(LOOK_S if pause_s is None else pause_s)

    def drain(self, over: threading.Event) -> None:
        """Send until nothing is left or `over` is set. A database that is away is retried."""
        self._retry_s = FIRST_RETRY_S
        while not over.is_set() and (pause_s := self._post_all(over)) is not None:
            over.wait(pause_s)

    def turn(self) -> float | None:
        """Send a batch of each journal. Returns seconds to wait before the next turn; None: nothing to send."""
        more = False
        for sender in self._found():
            answer = self._step(sender)
            if answer is not None and answer.meaning is Meaning.WAIT:
                return self._pause(answer)
            more = more or answer is not None
        if not more:
            return None
        self._retry_s = FIRST_RETRY_S
        return 0.0

    def _post_all(self, stopped: threading.Event) -> float | None:
        pause_s = self.turn()
        while pause_s == 0.0 and not stopped.is_set():
            pause_s = self.turn()
        return pause_s

    @property
    def settled(self) -> int:
        return sum(sender.sent.points + sender.sent.refused for sender in self._senders.values())

    @property
    def has_unread(self) -> bool:
        """True if a journal cannot be read. Its points are not sent, and are missing in the account."""
        return bool(self._unread)

    def account(self) -> ShipperAccount:
        return _account(self._to, self._found(), self._why)

    def _found(self) -> list[JournalSender]:
        for path in journals(self._directory):
            if path not in self._senders:
                self._senders[path] = JournalSender(path, self._to)
        return list(self._senders.values())

    def _step(self, sender: JournalSender) -> WriteResult | None:
        """Send a batch of one journal. Returns None if there is nothing to send."""
        try:
            answer = sender.step(self._poster)
        except OSError as error:
            self._unread.add(sender.journal)
            self._tell("unread", f"cannot read {sender.journal}: {error.strerror}; its points are not sent")
            return None
        self._unread.discard(sender.journal)
        if sender.unwritten:
            self._tell("unwritten", f"{sender.unwritten}; the journal may be sent twice")
        if answer is not None and answer.meaning is Meaning.TAKEN and answer.refused:
            self._why = answer.why
            self._tell("refused", f"{self._to} refuses some points: {answer.why}")
        return answer

    def _pause(self, answer: WriteResult) -> float:
        self._why = answer.why
        self._tell("waiting", f"{self._to} takes no points: {answer.why}; they are kept")
        # A `Retry-After` of 0 must not flood the database.
        pause_s = max(self._retry_s, answer.retry_after_s or 0.0)
        self._retry_s = min(self._retry_s * 2, LAST_RETRY_S)
        return pause_s

    def _tell(self, kind: str, text: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            self._warn(text)


def streamed(account: ShipperAccount, directory: Path) -> str:
    """Return the line of a run's summary, with the next command if points are left."""
    text = f"streamed {account.points:,} of {account.total:,} points"
    if account.refused:
        text += f", {account.refused:,} refused"
    if account.why:
        text += f" ({account.why})"
    return text + (f": 'switchover upload {directory}' sends the rest" if account.left else "")


def journals(directory: Path) -> list[Path]:
    return sorted(directory.glob("journal*.lp"))


def account_of(directory: Path, to: str) -> ShipperAccount:
    """Return the account from the files, for a run without a shipper."""
    return _account(to, [JournalSender(path, to) for path in journals(directory)], "")


def _account(to: str, senders: Sequence[JournalSender], why: str) -> ShipperAccount:
    left = sum(_left(sender) for sender in senders)
    sent = [sender.sent for sender in senders]
    points, refused = sum(one.points for one in sent), sum(one.refused for one in sent)
    return ShipperAccount(to=to, points=points, refused=refused, left=left, why=why if left or refused else "")


def _left(sender: JournalSender) -> int:
    try:
        return sender.left()
    except OSError:
        return 0
