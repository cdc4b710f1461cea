"""Post all journals of a run directory to a database while the journals grow. Unsent points stay in the files, not in
memory."""

import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from switchover.model.errors import RunDirectoryError
from switchover.rundir.sent_offset import Sent, read_sent, write_sent
from switchover.streaming.influx.writer import Meaning, WriteResult

LINES = 5_000
"""The number of lines per batch, as InfluxDB's documentation recommends."""
BYTES = 1_000_000

_POINT = re.compile(rb"(?m)^[^\n# ][^\n]* [0-9]{19}\n")
"""Matches a line whose time has 19 digits. With fewer digits, the line was truncated on a full disk."""


class Batch(NamedTuple):
    """The valid `lines` in a batch of `size` bytes of a journal. `rubbish`: the number of invalid lines."""

    lines: bytes
    points: int
    size: int
    rubbish: int = 0


def read_batch(path: Path, offset: int, *, most_lines: int = LINES, most_bytes: int = BYTES) -> Batch | None:
    """Read a batch from `offset`. None: there is no complete line yet. Raises OSError if the file cannot be read."""
    with path.open("rb") as file:
        file.seek(offset)
        # Allocating the largest batch several times a second would fragment the heap.
        data = file.read(max(0, min(os.fstat(file.fileno()).st_size - offset, most_bytes)))
        end = data.rfind(b"\n") + 1
        if end == 0:
            if len(data) < most_bytes:
                return None
            return _skip_line(file, len(data), most_bytes)
    data = data[:end]
    if data.count(b"\n") > most_lines:
        data = data[: len(data) - len(data.split(b"\n", most_lines)[most_lines])]
    lines, points = data.count(b"\n"), _POINT.findall(data)
    if len(points) == lines:
        return Batch(data, lines, len(data))
    empty = sum(not line.strip() for line in data.split(b"\n")[:-1])
    return Batch(b"".join(points), len(points), len(data), lines - len(points) - empty)


def _skip_line(file: BinaryIO, size: int, most_bytes: int) -> Batch | None:
    """Return a batch that skips a line too large for a request, of which `size` bytes were read."""
    # The line may be larger than the memory.
    while data := file.readline(most_bytes):
        size += len(data)
        if data.endswith(b"\n"):
            return Batch(b"", 0, size, 1)
    return None


def count_lines(path: Path, offset: int) -> int:
    count = 0
    while (batch := read_batch(path, offset)) is not None:
        count += batch.points + batch.rubbish
        offset += batch.size
    return count


SMALLEST = 4_096
"""The size in bytes of a batch that every database accepts."""


class Poster(Protocol):
    def post(self, lines: bytes) -> WriteResult: ...


class JournalSender:
    """The sender of one journal to one database. The journal may grow, and another file may replace the journal."""

    def __init__(self, journal: Path, to: str) -> None:
        self.journal = journal
        self.unwritten: str | None = None
        """The reason why the offset could not be saved, or None."""
        self.sent = Sent(to, 0, 0, 0)
        self._to = to
        self._most_bytes = BYTES
        """The maximum batch size in bytes. It is reduced when the database refuses a batch as too large."""
        self._inode: int | None = None

    def step(self, poster: Poster) -> WriteResult | None:
        """Post the next batch and save the new offset. Returns None if there is no new line. Raises OSError for an
        unreadable file."""
        self._look()
        batch = read_batch(self.journal, self.sent.offset, most_bytes=self._most_bytes)
        if batch is None:
            return None
        answer = self._deliver(poster, batch.lines) if batch.lines else WriteResult(Meaning.TAKEN)
        if answer.meaning is Meaning.TAKEN:
            self._keep(batch, min(answer.refused, batch.points))
        return answer

    def left(self) -> int:
        """Return the number of unsent lines; 0 if the journal cannot be read."""
        try:
            self._look()
            return count_lines(self.journal, self.sent.offset)
        except OSError:
            return 0

    def _look(self) -> None:
        """Read the stored offset again if the journal was replaced or truncated."""
        status = self.journal.stat()
        if status.st_ino != self._inode or status.st_size < self.sent.offset:
            self._inode = status.st_ino
            self.sent = read_sent(self.journal, self._to, status.st_size)

    def _deliver(self, poster: Poster, lines: bytes) -> WriteResult:
        """Post all lines, in two halves if the answer is HALVE. Returns TAKEN with the number of refused lines, or
        WAIT."""
        answer = poster.post(lines)
        if answer.meaning is not Meaning.HALVE:
            return answer
        middle = lines.rfind(b"\n", 0, len(lines) // 2) + 1 or lines.find(b"\n") + 1
        if middle == len(lines):
            return WriteResult(Meaning.TAKEN, refused=1, why=answer.why)
        if answer.too_large:
            self._most_bytes = max(min(self._most_bytes, len(lines) // 2), SMALLEST)
        refused, why = 0, ""
        for half in (lines[:middle], lines[middle:]):
            answer = self._deliver(poster, half)
            if answer.meaning is Meaning.WAIT:
                return answer
            refused, why = refused + answer.refused, why or answer.why
        return WriteResult(Meaning.TAKEN, refused=refused, why=why)

    def _keep(self, batch: Batch, refused: int) -> None:
        self.sent = self.sent.after(batch.size, points=batch.points - refused, refused=refused + batch.rubbish)
        try:
            write_sent(self.journal, self.sent)
        except RunDirectoryError as error:
            self.unwritten = str(error)


LOOK_S = 0.2
"""The interval in seconds between checks for new lines. Points should be in the database within 2 s."""
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 5.0
"""The first and the longest pause between retries, in seconds. Each pause is twice the previous pause."""


@dataclass(frozen=True, slots=True)
class ShipperAccount:
    """The numbers of sent, refused and unsent points of a run directory."""

    to: str
    points: int
    refused: int
    left: int
    why: str = ""
    """The latest message of the database about refused or unsent lines."""

    @property
    def total(self) -> int:
        return self.points + self.refused + self.left


class Shipper:
    """The shipper of a run directory. `warn` is called with one line, once for each kind of problem."""

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
        """Send until all points are sent or `over` is set. Retry while the database is down."""
        self._retry_s = FIRST_RETRY_S
        while not over.is_set() and (pause_s := self._post_all(over)) is not None:
            over.wait(pause_s)

    def turn(self) -> float | None:
        """Send one batch of each journal. Returns the seconds until the next call. None: there is nothing to send."""
        pause_s = None
        for sender in self._all_senders():
            answer = self._step(sender)
            if answer is not None and answer.meaning is Meaning.WAIT:
                return self._pause(answer)
            if answer is not None:
                pause_s, self._retry_s = 0.0, FIRST_RETRY_S
        return pause_s

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
        """True if a journal cannot be read. The points of an unreadable journal are neither sent nor counted."""
        return bool(self._unread)

    def account(self) -> ShipperAccount:
        return _account(self._to, self._all_senders(), self._why)

    def _all_senders(self) -> list[JournalSender]:
        for path in journals(self._directory):
            if path not in self._senders:
                self._senders[path] = JournalSender(path, self._to)
        return list(self._senders.values())

    def _step(self, sender: JournalSender) -> WriteResult | None:
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
        self._tell("waiting", f"{self._to} accepts no points: {answer.why}; the journal keeps them")
        # Wait even if `Retry-After` is 0, to avoid flooding the database.
        pause_s = max(self._retry_s, answer.retry_after_s or 0.0)
        self._retry_s = min(self._retry_s * 2, LAST_RETRY_S)
        return pause_s

    def _tell(self, kind: str, text: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            self._warn(text)


def streamed(account: ShipperAccount, directory: Path) -> str:
    """Return the line for the summary of a run, with the command that sends the unsent points."""
    text = f"streamed {account.points:,} of {account.total:,} points"
    if account.refused:
        text += f", {account.refused:,} refused"
    if account.why:
        text += f" ({account.why})"
    return text + (f": 'switchover influx upload {directory}' sends the rest" if account.left else "")


def journals(directory: Path) -> list[Path]:
    return sorted(directory.glob("journal*.lp"))


def account_of(directory: Path, to: str) -> ShipperAccount:
    """Compute the account from the files of a run, if no shipper runs."""
    return _account(to, [JournalSender(path, to) for path in journals(directory)], "")


def _account(to: str, senders: Sequence[JournalSender], why: str) -> ShipperAccount:
    left = sum(sender.left() for sender in senders)
    points, refused = (sum(getattr(sender.sent, name) for sender in senders) for name in ("points", "refused"))
    return ShipperAccount(to=to, points=points, refused=refused, left=left, why=why if left or refused else "")
