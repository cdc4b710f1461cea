"""The files of a sample log: plain text or compressed."""

import stat
from collections.abc import Iterable
from pathlib import Path

from switchover.evidence.logs.unpack import GROWTH, find_compression
from switchover.model.errors import RunDirectoryError

TEXT = ".jtl"
FORMS = (TEXT, ".jtl.gz", ".jtl.zst")
"""The suffixes of a log in a run directory. If a log exists with several suffixes, the file with the first suffix is
read."""


def is_log(path: Path) -> bool:
    """Return True if the path is an existing file or ends with the suffix of a log."""
    return path.is_file() or path.name.endswith(FORMS)


def why_not_read(path: Path) -> str | None:
    """Return the reason why a path that is no regular file cannot be read; None if the path is a directory."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if stat.S_ISDIR(mode):
        return None
    return "a pipe or a device can be read only once: save the data as a file, and give the path of the file"


def require_directory(path: Path) -> None:
    """Raise RunDirectoryError if a path is not a directory."""
    why = why_not_read(path)
    if why is not None:
        raise RunDirectoryError(
            f"{path} is not a directory ({why}): give a run directory, such as runs/<time>-<name>, or a sample log"
        )


def stem_of(path: Path) -> str:
    """Return the name of a log without its suffix."""
    return next((path.name.removesuffix(form) for form in FORMS if path.name.endswith(form)), path.name)


def text_bytes(paths: Iterable[Path]) -> int:
    """Return the approximate uncompressed size of all logs together, in bytes."""
    return sum(path.stat().st_size * (GROWTH if find_compression(path) else 1) for path in paths)
