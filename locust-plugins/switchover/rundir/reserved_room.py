"""Room on the disk for run.json, from a run's start to its end: a disk that fills up in the middle of a drill is to
have its heal all the same."""

import os
from contextlib import suppress
from pathlib import Path

from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import RUN_FILE, Run, write_run

ROOM_FILE = f"{RUN_FILE}.room"
ROOM_BYTES = 128 * 1024
"""Ten times what a drill of a pair writes."""


def reserve_room(directory: Path) -> None:
    """As good as it goes: without it a full disk costs what it always did."""
    with suppress(OSError):
        (directory / ROOM_FILE).write_bytes(os.urandom(ROOM_BYTES))  # a file system may keep zeros without room


def free_room(directory: Path) -> bool:
    """Whether there was any."""
    try:
        (directory / ROOM_FILE).unlink()
    except OSError:
        return False
    return True


def write_run_in_room(directory: Path, run: Run) -> None:
    """In the room that was reserved, where the disk has no other. RunDirectoryError if it cannot be written."""
    try:
        write_run(directory, run)
    except RunDirectoryError:
        if not free_room(directory):
            raise
        write_run(directory, run)
        reserve_room(directory)
