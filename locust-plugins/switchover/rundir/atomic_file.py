"""Files that are there whole or not at all: a kill or a full disk leaves the old file, or none, and never half."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from switchover.model.errors import RunDirectoryError

LIMIT = 64 << 20
"""Bytes of a file that is read as a whole. The run.json of a run of days has some megabytes."""
NO_FILE = "it is no file"


@contextmanager
def whole_file(path: Path, *, errors: str = "strict") -> Iterator[TextIO]:
    """Takes the place of `path` when the block has ended, and is gone if that fails.

    A link is replaced, and never followed: another user may have made it. RunDirectoryError if the file cannot be
    written, or if `path` is a device or a pipe, which root would replace.
    """
    partial = path.with_name(path.name + ".part")
    try:
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, os.strerror(errno.EISDIR) if path.is_dir() else NO_FILE)
        partial.unlink(missing_ok=True)
        try:
            with partial.open("x", encoding="utf-8", errors=errors, newline="") as file:
                yield file
            partial.replace(path)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise
    except OSError as error:
        raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error


def write_whole(path: Path, data: bytes) -> None:
    """RunDirectoryError if it cannot be written."""
    with whole_file(path) as file:
        file.buffer.write(data)


def open_regular(path: Path) -> BinaryIO:
    """OSError if it is no regular file: a pipe would be waited for, and a device may be endless."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, NO_FILE, str(path))
    return file


def read_whole(path: Path, limit: int = LIMIT) -> bytes:
    """OSError if it is no regular file, or larger than `limit` bytes."""
    with open_regular(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
    return data
