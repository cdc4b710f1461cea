"""Files that are there whole or not at all: a kill or a full disk leaves the old one, or none, and never half."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from switchover.errors import RunDirectoryError


@contextmanager
def whole_file(path: Path, *, errors: str = "strict") -> Iterator[TextIO]:
    """Takes the place of `path` when the block has ended. RunDirectoryError if it cannot be written."""
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", errors=errors, newline="") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error
