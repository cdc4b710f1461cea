"""Reading files of lines that may have been cut off, damaged or written by somebody else."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from switchover.errors import RunDirectoryError

LINE_LIMIT = 1 << 20
"""Bytes in a line; a longer one is not ours, and is skipped without being held."""

CUT_OFF = "last line cut off"
TOO_LONG = "line longer than 1 MiB"


class Ignored:
    """What a reader left out, and why: reasons come from a fixed, small set."""

    __slots__ = ("reasons",)

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()

    def add(self, reason: str, times: int = 1) -> None:
        if times:
            self.reasons[reason] += times

    @property
    def total(self) -> int:
        return self.reasons.total()

    def __str__(self) -> str:
        return ", ".join(f"{count} x {reason}" for reason, count in self.reasons.most_common())


def read_lines(path: Path, ignored: Ignored) -> Iterator[bytes]:
    """The file's whole lines without their newline (a carriage return before it stays).

    A last line without its newline was cut off while it was written: even one that looks complete may have lost
    digits, so it is left out.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
    with file:
        while True:
            try:
                line = file.readline(LINE_LIMIT)
                if not line:
                    return
                if not line.endswith(b"\n"):
                    oversized = len(line) == LINE_LIMIT
                    while line and not line.endswith(b"\n"):
                        line = file.readline(LINE_LIMIT)
                    ignored.add(TOO_LONG if oversized else CUT_OFF)
                    continue
            except OSError as error:
                raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
            yield line[:-1]
