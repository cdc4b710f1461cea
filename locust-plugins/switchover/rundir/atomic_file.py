"""Write files atomically. After a kill or on a full disk, the old file remains, and no incomplete file exists."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from switchover.model.errors import RunDirectoryError

LIMIT = 64 << 20
"""The maximum size, in bytes, of a file that is read completely. The run.json of a run that lasts days has some
megabytes."""
NO_FILE = "it is no file"


@contextmanager
def whole_file(path: Path, *, errors: str = "strict") -> Iterator[TextIO]:
    """Yield a new file, which replaces `path` when the block has ended. If the block fails, the new file is removed.

    A link is replaced and never followed, because another user may have made it. Raises RunDirectoryError if the file
    cannot be written, or if `path` is a device or a pipe. Otherwise, a command of root could replace a device with a
    file.
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
    """Write a complete file. Raises RunDirectoryError if the file cannot be written."""
    with whole_file(path) as file:
        file.buffer.write(data)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file. Raises OSError for other files: a pipe would block, and a device may be endless."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, NO_FILE, str(path))
    return file


def read_whole(path: Path, limit: int = LIMIT) -> bytes:
    """Read a regular file of at most `limit` bytes. Raises OSError for any other file."""
    with open_regular(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
    return data
