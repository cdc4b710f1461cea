"""run.json is finished on a disk that filled up in the middle of the run."""

from pathlib import Path

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir import run_directory
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.reserved_room import ROOM_FILE, free_room, reserve_room, write_run_in_room
from switchover.rundir.run_directory import Run, read_run

RUN = Run(id="r", name="touch")


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Takes a file only while the reserved room is free."""
    reserve_room(tmp_path)

    def write(path: Path, data: bytes) -> None:
        if (tmp_path / ROOM_FILE).exists():
            raise RunDirectoryError(f"cannot write {path}: No space left on device")
        write_whole(path, data)

    monkeypatch.setattr(run_directory, "write_whole", write)
    return tmp_path


def test_run_is_written_where_room_was_reserved_again_and_again(full_disk: Path) -> None:
    for name in ("fired", "healed"):
        RUN.name = name
        write_run_in_room(full_disk, RUN)
        assert read_run(full_disk).name == name


def test_disk_that_is_full_without_a_room_is_said(full_disk: Path) -> None:
    write_run_in_room(full_disk, RUN)
    free_room(full_disk)
    (full_disk / ROOM_FILE).mkdir()  # cannot be freed
    with pytest.raises(RunDirectoryError, match="No space left"):
        write_run_in_room(full_disk, RUN)


def test_directory_that_takes_nothing_has_no_room_and_no_error(tmp_path: Path) -> None:
    reserve_room(tmp_path / "gone")
    assert not free_room(tmp_path / "gone")
