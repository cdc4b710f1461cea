"""The run that is being measured: its directory, what it has so far, and its run.json."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import RUN_FILE, Run, write_run

ROOM_FILE = f"{RUN_FILE}.room"
ROOM_BYTES = 128 * 1024
"""Ten times what a drill of a pair writes."""


class CurrentRun:
    """`run` is filled in by those who measure; `save` writes it down, as often as something happened."""

    def __init__(self, directory: Path, run: Run, note: Callable[[str], None]) -> None:
        self.directory = directory
        self.run = run
        self._note = note
        self.unsaved: str | None = None
        """Why run.json does not say what was run, if it does not."""

    @contextmanager
    def saved(self) -> Iterator[None]:
        """run.json is written before the block and behind it, also when it fails. RunDirectoryError if it cannot be
        written before.

        Meanwhile there is room for it on the disk: one that fills up in the middle of a drill is to have its heal all
        the same.
        """
        write_run(self.directory, self.run)
        self._reserve_room()
        try:
            yield
        finally:
            self._free_room()
            self.save()

    def save(self) -> None:
        """A disk that is full now must not end a run whose fault is fired; it may have room at the next time."""
        try:
            self._write()
        except RunDirectoryError as error:
            self.unsaved = str(error)
            self._note(self.unsaved)
        else:
            self.unsaved = None

    def _write(self) -> None:
        """In the room that was reserved, where the disk has no other."""
        try:
            write_run(self.directory, self.run)
        except RunDirectoryError:
            if not self._free_room():
                raise
            write_run(self.directory, self.run)
            self._reserve_room()

    def _reserve_room(self) -> None:
        """As good as it goes: without it a full disk costs what it always did."""
        with suppress(OSError):
            # Not zeros, which a file system may keep without room.
            (self.directory / ROOM_FILE).write_bytes(os.urandom(ROOM_BYTES))

    def _free_room(self) -> bool:
        """Whether there was any."""
        try:
            (self.directory / ROOM_FILE).unlink()
        except OSError:
            return False
        return True
