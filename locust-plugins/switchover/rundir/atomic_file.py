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
"""The maximum size, in bytes, of a file that is read whole. The run.json of a run that lasts days has some
megabytes."""
NO_FILE = "it is not a regular file"


@contextmanager
def explain_os_errors(attempt: str) -> Iterator[None]:
    """Convert an OSError to a RunDirectoryError that names the attempt."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(f"{attempt}: {error.strerror}") from error


@contextmanager
def whole_file(path: Path, *, errors: str = "strict") -> Iterator[TextIO]:
    """Yield a new file, which replaces `path` when the block has ended. A link is replaced, never followed. Raises
    RunDirectoryError if the file cannot be written, or if `path` is a device or a pipe, which root could replace."""
    partial = path.with_name(path.name + ".part")
    with explain_os_errors(f"cannot write {path}"):
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


def write_whole(path: Path, data: bytes) -> None:
    with whole_file(path) as file:
        file.buffer.write(data)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file. Raises OSError for a pipe, which would block, and for a device."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, NO_FILE, str(path))
    return file


def read_whole(path: Path, limit: int = LIMIT) -> bytes:
    """Read a regular file of at most `limit` bytes. Raises OSError for a larger file, a pipe or a device."""
    with open_regular(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
    return data
