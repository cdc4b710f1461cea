"""What a load says of itself, and how it becomes part of its run."""

from pathlib import Path

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir.load_facts import ENDED, LOAD_FILE, LoadFacts, merge_load, read_load, write_load
from switchover.rundir.run_directory import Run, read_run, write_run
from switchover.rundir.run_records import RunSettings

WORKER = {"worker": "w1", "host": "h", "part": "samples-w1.jtl", "samples": 7, "joined": "start", "ended": "stopped"}


def facts() -> LoadFacts:
    return LoadFacts(
        state=ENDED,
        parts=["journal-locust.lp", "samples-w1.jtl"],
        workers=[WORKER],
        clocks=[{"node": "w1", "when": "start", "offset_us": 3, "bound_us": 9}],
        settings={"users": 50},
        warnings=["Shopper waits for ever"],
    )


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_load(tmp_path, facts())
    assert read_load(tmp_path) == facts()


def test_a_load_that_has_told_nothing_yet_is_none(tmp_path: Path) -> None:
    assert read_load(tmp_path) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"state": 9}', "\x00"])
def test_a_damaged_description_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / LOAD_FILE).write_text(content)
    with pytest.raises(RunDirectoryError, match="does not describe a load"):
        read_load(tmp_path)


def test_the_run_takes_over_what_the_load_said(tmp_path: Path) -> None:
    write_load(tmp_path, facts())
    run = Run(
        id="r", name="r", parts=["journal.lp"], warnings=["before"], settings=RunSettings.of({"generator": "none"})
    )
    merge_load(run, tmp_path)
    assert run.parts == ["journal.lp", LOAD_FILE, "journal-locust.lp", "samples-w1.jtl"]
    assert [worker.written for worker in run.workers] == [WORKER]
    assert run.warnings == ["before", "Shopper waits for ever"]
    assert run.settings.written == {"generator": "locust", "load": {"users": 50, "state": ENDED}}
    assert [clock.written for clock in run.clocks] == facts().clocks
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run


@pytest.mark.parametrize("content", [None, "nonsense"])
def test_a_load_that_told_nothing_that_can_be_read_is_a_missing_part(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / LOAD_FILE).write_text(content)
    run = Run(id="r", name="r")
    merge_load(run, tmp_path)
    assert run.parts == [LOAD_FILE]
    assert run.settings.written["load"] == {"state": None}
    assert bool(run.warnings) is (content is not None)
