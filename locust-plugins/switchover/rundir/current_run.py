"""The run that is being measured: its directory, what it has so far, and its run.json."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import Run, write_run


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
        """
        write_run(self.directory, self.run)
        try:
            yield
        finally:
            self.save()

    def save(self) -> None:
        """A disk that is full now must not end a run whose fault is fired; it may have room at the next time."""
        try:
            write_run(self.directory, self.run)
        except RunDirectoryError as error:
            self.unsaved = str(error)
            self._note(self.unsaved)
        else:
            self.unsaved = None
