"""Follow the journals of a run directory while other processes write to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SLICE_BYTES = 64 * 1024
"""The number of bytes per read. Parsing these bytes blocks a load generator in this process for some ten
milliseconds."""
PATTERN = "journal*.lp"


@dataclass(slots=True)
class _Position:
    """The position up to which a file was read. It is after a newline, or inside a line that is too long for a
    point."""

    offset: int = 0
    in_long_line: bool = False


class JournalTail:
    """Reads new complete lines from all journals of a directory. Never raises an exception.

    If a file cannot be read, the next call tries again. A last line is read only when its newline is written. If a
    file became shorter, it is treated as a new file and read from its start.
    """

    def __init__(self, directory: Path, without: frozenset[str] = frozenset()) -> None:
        """`without`: the names of journals that must not be read."""
        self._directory = directory
        self._without = without
        self._positions: dict[str, _Position] = {}

    def read(self, limit: int = SLICE_BYTES) -> tuple[list[bytes], bool]:
        """Return new lines of at most `limit` bytes in total. The second result is True if there are more lines."""
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
            yield from sorted(path for path in self._directory.glob(PATTERN) if path.name not in self._without)
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
