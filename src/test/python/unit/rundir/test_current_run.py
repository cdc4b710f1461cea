"""run.json is finished on a disk that filled up in the middle of the run."""

from pathlib import Path

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir import run_directory
from switchover.rundir.run_directory import CurrentRun, Run, read_run


def current_run(place: Path) -> tuple[CurrentRun, list[str]]:
    notes: list[str] = []
    return CurrentRun(place, Run(id="r", name="touch"), notes.append), notes


def test_a_disk_that_is_full_is_reported_until_it_takes_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, data: bytes) -> None:
        raise RunDirectoryError(f"cannot write {path}: No space left on device")

    current, notes = current_run(tmp_path)
    with current.saved():
        with monkeypatch.context() as full:
            full.setattr(run_directory, "write_whole", write)
            current.save()
        assert current.unsaved is not None and "No space left" in current.unsaved and notes == [current.unsaved]
    assert current.unsaved is None


def test_a_run_that_breaks_off_is_saved(tmp_path: Path) -> None:
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
