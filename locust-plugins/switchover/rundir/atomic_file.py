"""Files that are there whole or not at all: a kill or a full disk leaves the old one, or none, and never half."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from switchover.model.errors import RunDirectoryError


@contextmanager
def in_place_of(path: Path) -> Iterator[Path]:
    """The file to write: it takes the place of `path` when the block has ended, and is gone if that fails.

    A link stays, and what it points to is written. OSError where a device or a pipe is: root would replace it.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        reason = os.strerror(errno.EISDIR) if path.is_dir() else "it is no file"
        raise OSError(errno.EINVAL, reason, str(path))
    partial = path.with_name(path.name + ".part")
    try:
        yield partial
        partial.replace(path)
    except Exception:
        with suppress(OSError):
            partial.unlink()
        raise


@contextmanager
def whole_file(path: Path, *, errors: str = "strict") -> Iterator[TextIO]:
    """Takes the place of `path` when the block has ended. RunDirectoryError if it cannot be written."""
    try:
        with in_place_of(path) as partial, partial.open("w", encoding="utf-8", errors=errors, newline="") as file:
            yield file
    except OSError as error:
        raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error


def write_whole(path: Path, data: bytes) -> None:
    """RunDirectoryError if it cannot be written."""
    try:
        with in_place_of(path) as partial:
            partial.write_bytes(data)
    except OSError as error:
        raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error
