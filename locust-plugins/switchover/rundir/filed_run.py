"""What an auditor files of a run directory: the checksum of its files, and whose they are."""

import os
from hashlib import file_digest, sha256
from pathlib import Path
from typing import NoReturn


def checksum_of(directory: Path) -> str:
    """SHA-256 of the names and contents of its files, in the order of their names: docs/fleet.md has the command that
    makes the same. OSError where one cannot be read."""
    files: dict[str, Path] = {}
    for place, _, names in os.walk(directory, onerror=_refuse):
        paths = [Path(place, name) for name in names]
        regular = [path for path in paths if path.is_file() and not path.is_symlink()]
        files |= {path.relative_to(directory).as_posix(): path for path in regular}
    whole = sha256()
    for name in sorted(files):
        with files[name].open("rb") as file:
            one = file_digest(file, "sha256").hexdigest()
        whole.update(f"{one}  {name}\n".encode("utf-8", "replace"))
    return whole.hexdigest()


def _refuse(error: OSError) -> NoReturn:
    raise error


def owner_of(directory: Path) -> str:
    """By name, or by number where this machine knows no name; empty where the directory is gone."""
    try:
        return directory.owner()
    except KeyError:
        return str(directory.stat().st_uid)
    except OSError:
        return ""
