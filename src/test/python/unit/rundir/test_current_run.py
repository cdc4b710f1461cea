"""run.json is finished on a disk that filled up in the middle of the run."""

from pathlib import Path

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir import run_directory
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.current_run import ROOM_FILE, CurrentRun
from switchover.rundir.run_directory import Run, read_run


def current_run(place: Path) -> tuple[CurrentRun, list[str]]:
    notes: list[str] = []
    return CurrentRun(place, Run(id="r", name="touch"), notes.append), notes


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on it takes a file only while the reserved room is free."""

    def write(path: Path, data: bytes) -> None:
        if path.with_name(ROOM_FILE).exists():
            raise RunDirectoryError(f"cannot write {path}: No space left on device")
        write_whole(path, data)

    monkeypatch.setattr(run_directory, "write_whole", write)


def test_run_is_written_where_room_was_reserved_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, notes = current_run(tmp_path)
    with current.saved():
        fill_disk(monkeypatch)
        for name in ("fired", "healed"):
            current.run.name = name
            current.save()
            assert read_run(tmp_path).name == name and current.unsaved is None
    assert notes == []


def test_disk_that_is_full_without_a_room_is_said_until_it_takes_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, notes = current_run(tmp_path)
    with current.saved():
        fill_disk(monkeypatch)
        (tmp_path / ROOM_FILE).unlink()
        (tmp_path / ROOM_FILE).mkdir()  # cannot be freed
        current.save()
        assert current.unsaved is not None and "No space left" in current.unsaved and notes == [current.unsaved]
        (tmp_path / ROOM_FILE).rmdir()
    assert current.unsaved is None


def test_a_run_that_breaks_off_is_saved_and_leaves_no_room(tmp_path: Path) -> None:
    current, _ = current_run(tmp_path)
    with pytest.raises(ZeroDivisionError), current.saved():
        current.run.name = "exceeded"
        raise ZeroDivisionError
    assert read_run(tmp_path).name == "exceeded"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_directory_that_takes_nothing_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    current, _ = current_run(tmp_path / "gone")
    with pytest.raises(RunDirectoryError, match="cannot write"), current.saved():
        pytest.fail("measured")
