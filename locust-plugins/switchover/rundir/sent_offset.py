"""How far a journal has been acknowledged: `X.lp.sent` beside `X.lp`, one JSON object, replaced whole.

Both languages read and write it, so that the next sender goes on where the last one stopped. It is not forced to
the disk: after a power cut it may be older than the truth, and what is then sent twice changes nothing.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from switchover.rundir.atomic_file import read_whole, write_whole

SENT_SUFFIX = ".sent"


@dataclass(frozen=True, slots=True)
class Sent:
    """Of one journal to one database."""

    to: str
    """`Destination.url`."""
    offset: int = 0
    """Bytes of the journal that are acknowledged; always the start of a line."""
    points: int = 0
    """Lines that the database took."""
    refused: int = 0
    """Lines that it refused for good, or that are no points."""

    def after(self, size: int, *, points: int = 0, refused: int = 0) -> "Sent":
        """With `size` bytes more behind it."""
        return Sent(self.to, self.offset + size, self.points + points, self.refused + refused)


def sent_path(journal: Path) -> Path:
    return journal.with_name(journal.name + SENT_SUFFIX)


def read_sent(journal: Path, to: str, size: int) -> Sent:
    """Where to go on with a journal of `size` bytes. What was acknowledged by another database, or of another file,
    counts for nothing."""
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
    """RunDirectoryError if it cannot be written."""
    write_whole(sent_path(journal), json.dumps(asdict(sent)).encode() + b"\n")
