"""The file `X.lp.sent` next to the journal `X.lp`: the position up to which a database has the points. Python and
Java use the same format. After a power failure, some points may be sent twice, which changes no data."""

from dataclasses import dataclass
from pathlib import Path

from msgspec import MsgspecError
from msgspec.json import decode, encode

from switchover.rundir.atomic_file import read_whole, write_whole
from switchover.rundir.seal import Size

SENT_SUFFIX = ".sent"


@dataclass(frozen=True, slots=True)
class Sent:
    """The acknowledged part of one journal for one database."""

    to: str
    """`Destination.url`."""
    offset: Size
    """The number of acknowledged bytes of the journal. A line always starts at this offset."""
    points: Size
    refused: Size
    """The number of lines that the database refused, or that are not valid points."""

    def after(self, size: int, *, points: int = 0, refused: int = 0) -> "Sent":
        """Return the position after `size` more bytes."""
        return Sent(self.to, self.offset + size, self.points + points, self.refused + refused)


def sent_path(journal: Path) -> Path:
    return journal.with_name(journal.name + SENT_SUFFIX)


def read_sent(journal: Path, to: str, size: int) -> Sent:
    """Return the position in a journal of `size` bytes up to which the database `to` has the points. The position is
    0 if the stored position belongs to a different database or journal."""
    try:
        sent = decode(read_whole(sent_path(journal)), type=Sent)
    except (OSError, MsgspecError, RecursionError):
        return Sent(to, 0, 0, 0)
    return sent if sent.to == to and sent.offset <= size else Sent(to, 0, 0, 0)


def write_sent(journal: Path, sent: Sent) -> None:
    """Write the position up to which a database has the journal's points. Raises RunDirectoryError if the
    file cannot be written."""
    write_whole(sent_path(journal), encode(sent) + b"\n")
