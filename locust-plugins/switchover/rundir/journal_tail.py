"""Follow the journals of a run directory while other processes write to them."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

SLICE_BYTES = 64 * 1024
"""The number of bytes per read. A read blocks a load generator for about ten milliseconds."""
PATTERN = "journal*.lp"


@dataclass(slots=True)
class _Position:
    """The position up to which a journal was read: after a newline, or inside a line that is too long for a point."""

    offset: int = 0
    in_long_line: bool = False


@dataclass(slots=True)
class JournalTail:
    """Reads new complete lines from all journals of a directory. Never raises. A file that became shorter is read
    from its start."""

    directory: Path
    without: frozenset[str] = frozenset()
    _positions: dict[str, _Position] = field(default_factory=dict)

    def read(self, limit: int = SLICE_BYTES) -> tuple[list[bytes], bool]:
        """Return new lines of at most `limit` bytes in total, and whether there are more lines."""
        lines: list[bytes] = []
        for path in self._journals():
            if limit <= 0:
                return lines, True
            new_lines, used, more = self._read_file(path, limit)
            lines += new_lines
            limit -= used
            if more:
                return lines, True
        return lines, False

    def _journals(self) -> Iterator[Path]:
        try:
            yield from sorted(path for path in self.directory.glob(PATTERN) if path.name not in self.without)
        except OSError:
            return

    def _read_file(self, path: Path, limit: int) -> tuple[list[bytes], int, bool]:
        position = self._positions.setdefault(path.name, _Position())
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                if size < position.offset:
                    position.offset, position.in_long_line = 0, False
                file.seek(position.offset)
                data = file.read(limit)
        except OSError:
            return [], 0, False
        end = data.rfind(b"\n") + 1
        if end == 0:
            if len(data) == limit:  # no line of ours is so long; the rest of the line is skipped
                position.offset += limit
                position.in_long_line = True
            return [], len(data), len(data) == limit
        position.offset += end
        lines = data[:end].split(b"\n")[:-1]
        if position.in_long_line:
            position.in_long_line = False
            del lines[0]
        return lines, end, len(data) == limit


T = TypeVar("T")

KEPT_SECONDS = 300
"""The number of seconds whose totals may still change. The writer of a journal may write a total again for
`traffic.KEEP_S` seconds."""


class LatestTotals(Generic[T]):
    """The totals of the newest seconds. A second that is not stored has the total `nothing`."""

    def __init__(self, nothing: T) -> None:
        self._nothing = nothing
        self._seconds: dict[int, dict[Hashable, T]] = {}

    def replace(self, second: int, series: Hashable, total: T) -> T:
        """Store a total, and return the previous total."""
        totals = self._seconds.setdefault(second, {})
        before = totals.get(series, self._nothing)
        totals[series] = total
        if len(self._seconds) > KEPT_SECONDS:
            del self._seconds[min(self._seconds)]
        return before
