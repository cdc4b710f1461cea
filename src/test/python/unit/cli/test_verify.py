"""What must be true of every run directory, and the line for each thing that is not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.kept_runs import kept_run
from switchover.cli.main import main
from switchover.rundir.run_directory import Run, read_run, write_run


def change_run(directory: Path, change: Callable[[Run], None]) -> None:
    run = read_run(directory)
    change(run)
    write_run(directory, run)


def change_verdict(directory: Path, **values: Any) -> None:
    path = directory / "verdict.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def change_lines(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def backwards(run: Run) -> None:
    run.plan.heal_from_us = (run.plan.start_us or 0) - 1_000_000


@pytest.mark.parametrize("name", ["keepalived-kill", "haproxy-kill-locust", "haproxy-kill-jmeter"])
def test_a_real_run_holds(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = kept_run(name, tmp_path)
    assert main(["verify", str(directory)]) == 0
    assert capsys.readouterr().out == f"{directory}: all that must be true of a run holds\n"


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda run: (run / "journal.lp").write_bytes(b""), "files are as the run left them: NO: journal.lp ends"),
        (lambda run: (run / "journal.lp").unlink(), "files are as the run left them: NO: journal.lp is missing"),
        (lambda run: change_run(run, backwards), "the plan's times are in order: NO: heal_from_us is"),
        (
            lambda run: change_lines(run / "probes.jtl", lambda lines: lines[:-3]),
            "the schedule is complete: NO: slots of the schedule, fresh connections: 633 rows for 636",
        ),
        (
            lambda run: change_lines(run / "journal.lp", lambda lines: lines[::-1]),
            "journals go forward in time: NO: journal.lp: ",
        ),
        (lambda run: change_verdict(run, schema=1), "verdict.json has its schema: NO: it has schema 1"),
        (lambda run: change_verdict(run, run="another"), "verdict.json has its schema: NO: verdict.json is of run"),
        (
            lambda run: change_verdict(run, status="PASSED"),
            "the word follows from the reasons: NO: the word is PASSED",
        ),
        (lambda run: change_verdict(run, exit_code=0), "the word follows from the reasons: NO: the exit code of"),
        (
            lambda run: change_verdict(run, outage={"low_ms": 9, "high_ms": 3}),
            "intervals hold what they are of: NO: outage goes from 9 to 3",
        ),
        (
            lambda run: change_verdict(run, failback=None),
            "verdict.json says what the other files say: NO: failback is another one there",
        ),
    ],
)
def test_each_invariant_that_does_not_hold_is_one_line(
    damage: Callable[[Path], object], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = kept_run("keepalived-kill", tmp_path)
    damage(directory)
    assert main(["verify", str(directory)]) == 1
    assert [one for one in capsys.readouterr().out.splitlines() if one.startswith(line)]


def test_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = kept_run("keepalived-kill", tmp_path)
    change_verdict(directory, exit_code=0)
    assert main(["verify", "--json", str(directory)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is False
    assert [one["invariant"] for one in found["violations"]] == ["the word follows from the reasons"]


def test_what_cannot_be_read_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    directory = kept_run("keepalived-kill", tmp_path)
    (directory / "verdict.json").write_text("{")
    assert main(["verify", str(directory)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
