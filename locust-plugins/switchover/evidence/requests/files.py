"""The forms of a sample log: text, or compressed."""

import stat
from collections.abc import Iterable
from pathlib import Path

from switchover.evidence.logs.unpack import GROWTH, is_compressed
from switchover.model.errors import RunDirectoryError

TEXT = ".jtl"
FORMS = (TEXT, ".jtl.gz", ".jtl.zst")
"""The forms of a log in a run directory. Where there are several of the same log, the first counts."""


def is_log(path: Path) -> bool:
    """Return whether it is named like a log, or is a file of any name."""
    return path.is_file() or path.name.endswith(FORMS)


def why_not_read(path: Path) -> str | None:
    """Why a path that is not a file is none that could be read, as the system says it; None for a directory."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if stat.S_ISDIR(mode):
        return None
    return "it is a pipe or a device, which can be read only once: save it as a file, and name that"


def require_directory(path: Path) -> None:
    """Refuse a path that cannot be a run directory."""
    why = why_not_read(path)
    if why is not None:
        raise RunDirectoryError(
            f"{path} is no directory: name a run directory, such as runs/<time>-<name>, or a sample log ({why})"
        )


def stem_of(path: Path) -> str:
    """The name of a log without the ending of its form."""
    return next((path.name.removesuffix(form) for form in FORMS if path.name.endswith(form)), path.name)


def text_bytes(paths: Iterable[Path]) -> int:
    """About how large all these logs are as text."""
    return sum(path.stat().st_size * (GROWTH if is_compressed(path) else 1) for path in paths)
