"""Lines out of pieces, as sources that never end deliver them."""

from dataclasses import dataclass
from enum import Enum

LINE_LIMIT = 65536
"""Bytes of a line; a longer one is dropped whole, so that a source without newlines costs no memory."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line without its newline, and when it was read, on the run's clock (ns)."""

    text: str
    arrived_ns: int


class Turn(Enum):
    """What a source can say besides a line."""

    OPENED = "opened"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Mark:
    """The source was opened, or it ended for `reason`."""

    turn: Turn
    at_ns: int
    reason: str = ""


class LineSplitter:
    """Puts pieces together and cuts them at newlines."""

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

    def feed(self, piece: bytes, arrived_ns: int) -> list[SourceLine]:
        """The lines that `piece` completes. Those of one piece get times a microsecond apart, in their order."""
        *complete, self._rest = (self._rest + piece).split(b"\n")
        if complete and self._dropping:
            complete, self._dropping = complete[1:], False
        if len(self._rest) > LINE_LIMIT:
            self._rest, self._dropping = b"", True
        kept = [line for line in complete if len(line) <= LINE_LIMIT]
        return [SourceLine(raw.decode("utf-8", "replace"), arrived_ns + 1000 * n) for n, raw in enumerate(kept)]
