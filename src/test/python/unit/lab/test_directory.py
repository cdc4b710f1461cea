import json
import os
import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from switchover.cli.lab import chosen_lab, lab_down
from switchover.lab.directory import (
    base_directory,
    create_directory,
    find_lab,
    holds_lock,
    running_labs,
)
from switchover.model.errors import LabError
from switchover.target.lab_directory import is_held


@pytest.fixture
def base() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sw-") as folder:
        yield Path(folder) / "switchover"


def test_a_directory_is_closed_to_others_and_held(base: Path) -> None:
    layout, lock = create_directory(base)
    try:
        assert layout.path.parent == base
        assert layout.path.stat().st_mode & 0o777 == 0o700
        assert is_held(layout.path)
    finally:
        os.close(lock)
    assert not is_held(layout.path)


def test_the_next_lab_sweeps_what_a_dead_one_left_and_spares_a_living_one(base: Path) -> None:
    dead, lock = create_directory(base)
    os.close(lock)
    living, living_lock = create_directory(base)
    third, third_lock = create_directory(base)
    assert not dead.path.exists()
    assert living.path.exists()
    assert third.path.exists()
    os.close(living_lock)
    os.close(third_lock)


def test_a_path_too_long_for_a_socket_is_refused_before_anything_is_made(base: Path) -> None:
    deep = base / ("x" * 80)
    with pytest.raises(LabError, match="too long a path for Unix sockets"):
        create_directory(deep)


def test_a_base_open_to_others_is_refused(base: Path) -> None:
    base.mkdir(mode=0o755)
    base.chmod(0o755)
    with pytest.raises(LabError, match="mode 0700"):
        create_directory(base)


def test_a_base_that_is_a_link_is_refused(base: Path) -> None:
    elsewhere = base.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    base.symlink_to(elsewhere)
    with pytest.raises(LabError, match="must be a directory of this user"):
        create_directory(base)


def test_the_runtime_directory_is_taken_only_where_it_can_be_written(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base.parent))
    assert base_directory() == base
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere/at/all")
    assert base_directory() == Path(tempfile.gettempdir()) / f"switchover-{os.getuid()}"


def test_the_newest_lab_is_found_unless_one_is_named_and_that_there_are_others_is_said(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base.parent))
    with pytest.raises(LabError, match="no lab runs: start one"):
        find_lab(None)
    first, first_lock = create_directory(base)
    second, second_lock = create_directory(base)
    first.state.write_text(json.dumps({"started": 2, "pid": os.getpid()}), encoding="utf-8")
    second.state.write_text(json.dumps({"started": 1, "pid": os.getpid()}), encoding="utf-8")
    assert [lab.directory for lab in running_labs(base)] == [second, first]
    assert find_lab(None).directory == first
    assert find_lab(second.path.name).directory == second
    capsys.readouterr()
    assert chosen_lab(Namespace(lab=second.path.name)).directory == second
    assert not capsys.readouterr().err
    assert chosen_lab(Namespace(lab=None)).directory == first
    assert f"using {first.path.name}, the newest lab" in capsys.readouterr().err
    with pytest.raises(LabError, match="no lab 'x' runs; running: "):
        find_lab("x")
    os.close(first_lock)
    os.close(second_lock)
    with pytest.raises(LabError, match="no lab runs: start one"):
        find_lab(None)


ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a directory of another user's")
STRANGER = 65534


@ROOT_ONLY
def test_a_base_that_another_user_made_is_refused_by_every_verb(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base.parent))
    base.mkdir(mode=0o700)
    os.chown(base, STRANGER, STRANGER)
    with pytest.raises(LabError, match="must be a directory of this user"):
        find_lab(None)


@ROOT_ONLY
@pytest.mark.parametrize("theirs", [".", "lock", "lab.json"])
def test_a_lab_that_another_user_made_is_not_believed(
    base: Path, theirs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base.parent))
    layout, lock = create_directory(base)
    layout.state.write_text(json.dumps({"pid": os.getpid()}), encoding="utf-8")
    assert [lab.state["pid"] for lab in running_labs(base)] == [os.getpid()]
    os.chown(layout.path / theirs, STRANGER, STRANGER)
    assert running_labs(base) == []
    with pytest.raises(LabError, match=f"no lab '{layout.path.name}' runs; running: none"):
        find_lab(layout.path.name)
    os.close(lock)


def test_a_lab_whose_state_names_a_process_that_does_not_hold_its_lock_is_not_believed(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base.parent))
    layout, lock = create_directory(base)
    with subprocess.Popen(["sleep", "60"]) as bystander:
        layout.state.write_text(json.dumps({"pid": bystander.pid}), encoding="utf-8")
        try:
            assert not holds_lock(bystander.pid, layout.path)
            assert running_labs(base) == []
            with pytest.raises(LabError, match=r"no lab '\w+' runs; running: none"):
                lab_down(Namespace(lab=layout.path.name))
            assert bystander.poll() is None
        finally:
            bystander.kill()
    os.close(lock)
