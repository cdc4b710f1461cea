import json
from dataclasses import asdict
from pathlib import Path

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import (
    ChangeRun,
    FaultRun,
    Run,
    create_run_directory,
    read_run,
    write_json,
    write_run,
)
from switchover.rundir.run_records import HeldAccount


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = Run(id="x", name="drill", seed=7, fault=FaultRun(name="node-down", kind="master"))
    run.plan.fired_from_us = 12
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run


def test_what_came_first_is_why_a_run_was_stopped_and_counts_as_not_done() -> None:
    run = Run(id="r", name="touch", fault=FaultRun(name="touch", kind="master"))
    for why in ("first", "second"):
        run.record_stop(why)
        run.record_error(why)
    assert run.fault is not None and (run.stopped, run.fault.error) == ("first", "first")


def test_two_runs_in_one_second_get_two_folders(tmp_path: Path) -> None:
    first, second = (create_run_directory(tmp_path / "runs", "same") for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "null", '{"plan": 5}', '{"plan": {}, "fault": {"x": 1}}', "\x00"]
)
def test_a_garbled_run_file_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunDirectoryError) as caught:
        read_run(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_run_directory_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="cannot create"):
        create_run_directory(tmp_path / "file", "run")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "verdict.json"
    write_json(path, {"old": True})
    (tmp_path / "verdict.json.part").mkdir()
    with pytest.raises(RunDirectoryError, match="cannot write"):
        write_json(path, {"new": True})
    assert json.loads(path.read_text()) == {"old": True}


def test_a_lone_surrogate_is_written_and_read_again(tmp_path: Path) -> None:
    """A command-line argument that is no UTF-8 has them."""
    run = Run(id="r", name="r", command=["switchover", "--out", "caf\udce9"])
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run


def test_a_series_of_changes_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = Run(id="1", name="reload", change=FaultRun(name="reload", kind="master", master="lb1"))
    run.plan.changes = [asdict(ChangeRun(number=1, from_us=5, lingering=["lb1 6"], exposed={"pooled": 30}))]
    run.connections = HeldAccount.of({"requests": 3, "lost": 0, "failed": {"pooled": 1}})
    write_run(tmp_path, run)
    found = read_run(tmp_path)
    assert found.change == run.change
    assert found.connections is not None and found.connections.requests == 3
    assert found.plan.made_changes[0].lingering == ["lb1 6"]
