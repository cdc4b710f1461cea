"""The file of a run directory that says that its fault was fired: of all the processes of a run, one fires."""

import os
from pathlib import Path

from switchover.model.errors import FaultError

FIRED_FILE = "fault.fired"


class FiredFile:
    """The file of one run, for the fault that is to be fired in it."""

    def __init__(self, directory: Path, fault: str) -> None:
        self._path = directory / FIRED_FILE
        self._fault = fault

    def require_absent(self) -> None:
        """Raise FaultError where a fault was fired in this run."""
        if self._path.exists():
            raise self._fired_already()

    def create(self) -> None:
        """Be the one that fires, or raise FaultError: O_EXCL lets only one process make the file."""
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError as error:
            raise self._fired_already() from error
        except OSError as error:
            raise FaultError(f"{self._fault} does not fire: cannot write {self._path}: {error.strerror}") from error
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(f"{self._fault} by process {os.getpid()}\n")
        except OSError as error:
            self._path.unlink(missing_ok=True)
            raise FaultError(f"{self._fault} does not fire: cannot write {self._path}: {error.strerror}") from error

    def remove(self) -> None:
        """What was fired is undone, and the next of a series may be."""
        self._path.unlink(missing_ok=True)

    def _fired_already(self) -> FaultError:
        return FaultError(f"{self._fault} does not fire: a fault was fired in this run already, as {self._path} says")
