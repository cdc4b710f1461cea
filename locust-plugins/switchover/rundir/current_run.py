"""The run that is being measured: its directory, its data so far, and its run.json."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import Run, write_run


class CurrentRun:
    """The run that is being measured. The measuring code records events in `run`, and `save` writes run.json after
    each event."""

    def __init__(self, directory: Path, run: Run, note: Callable[[str], None]) -> None:
        self.directory = directory
        self.run = run
        self._note = note
        self.unsaved: str | None = None
        """The reason why run.json could not be written; None: run.json is up to date."""

    @contextmanager
    def saved(self) -> Iterator[None]:
        """Write run.json before and after the block, even if the block fails.

        Raises RunDirectoryError if run.json cannot be written before the block.
        """
        write_run(self.directory, self.run)
        try:
            yield
        finally:
            self.save()

    def save(self) -> None:
        """Write run.json. If this fails, a warning is reported, because a full disk must not end a run after its
        fault was fired."""
        try:
            write_run(self.directory, self.run)
        except RunDirectoryError as error:
            self.unsaved = str(error)
            self._note(self.unsaved)
        else:
            self.unsaved = None
