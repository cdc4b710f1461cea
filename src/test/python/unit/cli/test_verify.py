"""What must be true of every run directory, and the line for each thing that is not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.kept_runs import kept_run
from switchover.cli.main import main


def change_verdict(directory: Path, **values: Any) -> None:
    path = directory / "verdict.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def change_lines(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


@pytest.mark.parametrize("name", ["keepalived-kill", "haproxy-kill-locust", "haproxy-kill-jmeter"])
def test_a_real_run_holds(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = kept_run(name, tmp_path)
    assert main(["verify", str(directory)]) == 0
    assert capsys.readouterr().out == f"{directory}: all files are unchanged since the run\n"


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda run: (run / "journal.lp").write_bytes(b""), "journal.lp ends"),
        (lambda run: (run / "journal.lp").unlink(), "journal.lp is missing"),
        (
            lambda run: change_lines(run / "probes.jtl", lambda lines: lines[:-3]),
            "probes.jtl contains 633 requests, but the run recorded 636 requests",
        ),
        (lambda run: change_verdict(run, schema="x"), "verdict.json: Expected"),
        (lambda run: change_verdict(run, run="another"), "verdict.json: run differs from the other files"),
        (lambda run: change_verdict(run, failback=None), "verdict.json: failback differs from the other"),
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
    change_verdict(directory, run="x")
    assert main(["verify", "--json", str(directory)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is False
    assert len(found["violations"]) == 1


def test_what_cannot_be_read_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
