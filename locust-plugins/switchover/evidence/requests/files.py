"""The forms of a sample log: text, or compressed."""

import stat
from collections.abc import Iterable
from pathlib import Path

from switchover.evidence.logs.unpack import GROWTH, is_compressed
from switchover.model.errors import RunDirectoryError

TEXT = ".jtl"
FORMS = (TEXT, ".jtl.gz", ".jtl.zst")
"""The forms of a log in a run directory. If a log exists in several forms, the first of these forms is read."""


def is_log(path: Path) -> bool:
    """Return True for a file, or for a path with the name of a log."""
    return path.is_file() or path.name.endswith(FORMS)


def why_not_read(path: Path) -> str | None:
    """Return the reason why a path that is no file cannot be read; None for a directory."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if stat.S_ISDIR(mode):
        return None
    return "it is a pipe or a device, which can be read only once: save the data as a file, and name this file"


def require_directory(path: Path) -> None:
    """Raise RunDirectoryError if a path is no directory."""
    why = why_not_read(path)
    if why is not None:
        raise RunDirectoryError(
            f"{path} is no directory: name a run directory, such as runs/<time>-<name>, or a sample log ({why})"
        )


def stem_of(path: Path) -> str:
    """Return the name of a log without its suffix."""
    return next((path.name.removesuffix(form) for form in FORMS if path.name.endswith(form)), path.name)


def text_bytes(paths: Iterable[Path]) -> int:
    """Return the approximate uncompressed size of all these logs, in bytes."""
    return sum(path.stat().st_size * (GROWTH if is_compressed(path) else 1) for path in paths)
