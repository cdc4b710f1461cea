"""The file `X.lp.sent` next to the journal `X.lp`: one JSON object with the position up to which the points have been
sent.

Both languages read and write this file, so that the next sender continues at that position. The file is not synced to
the disk. After a power failure, the position may be too old. In this case, some points are sent twice, which changes
nothing in the database.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from switchover.rundir.atomic_file import read_whole, write_whole

SENT_SUFFIX = ".sent"


@dataclass(frozen=True, slots=True)
class Sent:
    """The acknowledged part of one journal for one database."""

    to: str
    """`Destination.url`."""
    offset: int = 0
    """The number of acknowledged bytes of the journal. A line always starts at this offset."""
    points: int = 0
    """The number of lines that the database accepted."""
    refused: int = 0
    """The number of lines that the database refused, or that are not valid points."""

    def after(self, size: int, *, points: int = 0, refused: int = 0) -> "Sent":
        """Return the position after `size` more bytes."""
        return Sent(self.to, self.offset + size, self.points + points, self.refused + refused)


def sent_path(journal: Path) -> Path:
    return journal.with_name(journal.name + SENT_SUFFIX)


def read_sent(journal: Path, to: str, size: int) -> Sent:
    """Return the position in a journal of `size` bytes. A stored position is ignored if it belongs to another
    database or another journal."""
    try:
        values = json.loads(read_whole(sent_path(journal)))
        numbers = [values[name] for name in ("offset", "points", "refused")]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return Sent(to)
    good = all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in numbers)
    if not good or values.get("to") != to or numbers[0] > size:
        return Sent(to)
    return Sent(to, *numbers)


def write_sent(journal: Path, sent: Sent) -> None:
    """Write the position. Raises RunDirectoryError if the file cannot be written."""
    write_whole(sent_path(journal), json.dumps(asdict(sent)).encode() + b"\n")
