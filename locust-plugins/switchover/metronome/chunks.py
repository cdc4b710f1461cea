"""The chunked transfer coding (RFC 9112 section 7.1), counted and thrown away."""

from enum import Enum, auto

SIZE_LINE_LIMIT = 4096
"""Bytes of a chunk's size line with its extensions."""
TRAILERS_LIMIT = 64 * 1024
"""Bytes of all trailer lines, as for headers."""
DIGITS_LIMIT = 15
"""Hexadecimal digits of a chunk's size: more than any body that is read to its end."""

_HEX = frozenset(b"0123456789abcdefABCDEF")


class _At(Enum):
    SIZE = auto()
    DATA = auto()
    DATA_END = auto()
    TRAILER = auto()


class ChunkedBody:
    """Feed it the bytes behind the head. `done` at the end of the body; `violation` says what is no chunk."""

    __slots__ = ("_at", "_left", "_line", "_trailers", "done", "violation")

    def __init__(self) -> None:
        self._at = _At.SIZE
        self._left = 0
        self._line = b""
        self._trailers = 0
        self.done = False
        self.violation = ""

    def feed(self, data: bytes) -> None:
        position = 0
        while position < len(data) and not self.done and not self.violation:
            if self._at is _At.DATA:
                taken = min(self._left, len(data) - position)
                self._left -= taken
                position += taken
                if not self._left:
                    self._at = _At.DATA_END
            else:
                position = self._read_line(data, position)

    def _read_line(self, data: bytes, position: int) -> int:
        end = data.find(b"\n", position)
        line = self._line + data[position : end if end >= 0 else len(data)]
        if len(line) > SIZE_LINE_LIMIT:
            self.violation = "a chunk's line without end"
        elif end < 0:
            self._line = line
        else:
            self._line = b""
            self._take_line(line[:-1] if line.endswith(b"\r") else line)
        return len(data) if end < 0 else end + 1

    def _take_line(self, line: bytes) -> None:
        if self._at is _At.SIZE:
            digits = line.partition(b";")[0].strip(b" \t")
            if not 0 < len(digits) <= DIGITS_LIMIT or not _HEX.issuperset(digits):
                self.violation = "a chunk without a size"
                return
            self._left = int(digits, 16)
            self._at = _At.DATA if self._left else _At.TRAILER
        elif self._at is _At.DATA_END:
            if line:
                self.violation = "a chunk longer than its size"
            self._at = _At.SIZE
        elif not line:
            self.done = True
        else:
            self._trailers += len(line)
            if self._trailers > TRAILERS_LIMIT:
                self.violation = "trailers without end"
