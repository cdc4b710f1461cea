"""Append complete records to a file, on a disk that may fill up. If a write fails, its records are removed from the
file and counted as lost. If the removal fails, a newline ends the last record. A file has only one writer."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from switchover.rundir.atomic_file import explain_os_errors
from switchover.rundir.seal import Sealer, Seals


class Appender:
    """`lost` counts records that could not be written; `warning` has the first reason. Not thread-safe. `head` is
    written at the start of an empty file. On a full disk, `head` is written as soon as there is space."""

    def __init__(self, path: Path, head: bytes = b"") -> None:
        self.path = path
        self.lost = 0
        self.warning: str | None = None
        self._head = head
        with explain_os_errors(f"cannot write {path}"):
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._end = os.fstat(self._fd).st_size
        self._half_record = self._end > 0 and os.pread(self._fd, 1, self._end - 1) != b"\n"
        self._sealer = Sealer(self._end)
        self.append(())

    def append(self, records: Sequence[bytes]) -> None:
        """Append records, each ending in a newline."""
        if self._fd < 0:
            self.lost += len(records)
            return
        start = b"\n" if self._half_record else self._head if self._end == 0 else b""
        data = b"".join((start, *records))
        written = 0
        try:
            while written < len(data):
                written += os.write(self._fd, data[written:] if written else data)
        except OSError as error:
            self.lost += len(records)
            self.warning = self.warning or (
                f"cannot write {self.path}: {error.strerror}; records are lost until it can be written again"
            )
            written = self._remove(written)
        self._end += written
        self._half_record = data[:written][-1:] != b"\n" if written else self._half_record
        self._sealer.add(data[:written])

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def seals(self) -> Seals:
        """Return the seal of all written bytes, for `run.json`. Call this method after the last write."""
        return {self.path.name: [asdict(self._sealer.seal())]}

    def _remove(self, written: int) -> int:
        """Remove the last `written` bytes of the file. Return the number of bytes that remain."""
        try:
            os.ftruncate(self._fd, self._end)
        except OSError:
            return written
        return 0
