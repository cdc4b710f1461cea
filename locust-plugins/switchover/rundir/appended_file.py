"""Append complete records to a file, on a disk that may fill up.

Every append is a write(2) to an O_APPEND descriptor, so appended records survive the process. On a full disk the
records are counted as lost and the caller continues. An incomplete record is removed from the file. If this fails, a
newline ends the record, so that a reader loses only this record. One writer per file, not thread-safe.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.seal import Seal, Sealer, Seals


class Appender:
    """`lost` counts records that could not be written; `warning` has the first reason.

    `head` is the start of the file. It is written to an empty file now or, on a full disk, as soon as there is room.
    """

    def __init__(self, path: Path, head: bytes = b"") -> None:
        self.path = path
        self.lost = 0
        self.warning: str | None = None
        self._head = head
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error
        self._end = os.fstat(self._fd).st_size
        self._half_record = self._end > 0 and os.pread(self._fd, 1, self._end - 1) != b"\n"
        self._sealer = Sealer(self._end)
        self.append(())

    def append(self, records: Sequence[bytes]) -> None:
        """Append records, each ending in a newline."""
        if self._fd < 0:
            self.lost += len(records)
            return
        if self._half_record:
            records = (b"\n", *records)
        elif self._end == 0 and self._head:
            records = (self._head, *records)
        data = b"".join(records)
        written = 0
        try:
            while written < len(data):
                written += os.write(self._fd, data[written:] if written else data)
        except OSError as error:
            self._fail(error, records, data, written)
            return
        self._end += written
        self._half_record = False
        self._sealer.add(data)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def seal(self) -> Seal:
        """Return the seal of all bytes that this appender has written."""
        return self._sealer.seal()

    def _fail(self, error: OSError, records: Sequence[bytes], data: bytes, written: int) -> None:
        """Keep the records that were written completely, and remove the incomplete record."""
        whole = complete = 0
        while complete < len(records) and whole + len(records[complete]) <= written:
            whole += len(records[complete])
            complete += 1
        extra = self._half_record or (self._end == 0 and bool(self._head))
        self.lost += len(records) - max(complete, int(extra))
        if self.warning is None:
            self.warning = (
                f"cannot write {self.path}: {error.strerror}; records are lost until it can be written again"
            )
        self._end += whole
        self._half_record = self._half_record and complete == 0
        if written > whole:
            try:
                os.ftruncate(self._fd, self._end)
            except OSError:
                self._end += written - whole
                self._half_record = True
                whole = written
        self._sealer.add(data[:whole])


class AppendedFile:
    """The state of a file that a writer fills with an appender."""

    def __init__(self, appender: Appender) -> None:
        self._appender = appender

    @property
    def path(self) -> Path:
        return self._appender.path

    @property
    def lost(self) -> int:
        """Return the number of records lost to a full disk."""
        return self._appender.lost

    @property
    def warning(self) -> str | None:
        """Return the reason for the losses, in one line."""
        return self._appender.warning

    @property
    def seals(self) -> Seals:
        """Return the seal of the file for `run.json`; call it after the last write."""
        return {self.path.name: [self._appender.seal.facts()]}
