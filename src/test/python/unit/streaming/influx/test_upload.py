"""`switchover influx upload`: what is left goes, again and again, until all of it is there."""

from pathlib import Path
from typing import Any

import pytest

from support.fake_influx import answers, fake_influx
from switchover.cli.main import main
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import Run, write_run

NS = 1_700_000_000_000_000_000


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOKEN", "USER", "PASSWORD"):
        monkeypatch.delenv(f"SWITCHOVER_INFLUX_{name}", raising=False)


def run_directory(parent: Path, name: str = "run", streaming: dict[str, Any] | None = None) -> Path:
    directory = parent / name
    directory.mkdir()
    write_run(directory, Run(id=name, name=name, streaming=streaming))
    journal = Journal(directory / "journal.lp", {"run": name})
    for number in range(10):
        journal.write("m", {}, {"v": number}, NS + number)
    journal.close()
    return directory


def test_it_sends_everything_once_and_may_be_repeated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_directory(tmp_path, "a")
    run_directory(tmp_path, "b")
    with fake_influx() as influx:
        assert main(["influx", "upload", str(tmp_path), "--influx", influx.url()]) == 0
        assert main(["influx", "upload", str(tmp_path / "a"), str(tmp_path)]) == 0
        assert (len(influx.points), sum(influx.batches)) == (20, 20)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{tmp_path / name}: streamed 10 of 10 points" for name in ("a", "b", "a", "b")]


def test_it_goes_where_the_run_was_streamed_to(tmp_path: Path) -> None:
    with fake_influx() as influx:
        directory = run_directory(tmp_path, streaming={"to": influx.database().destination.url})
        assert main(["influx", "upload", str(directory)]) == 0
        assert len(influx.points) == 10


def test_a_run_that_was_never_streamed_needs_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = run_directory(tmp_path)
    assert main(["influx", "upload", str(directory)]) == 2
    assert "name the database with --influx URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("nowhere", "is not a directory: name a run directory, such as runs/<time>-<name>"),
        ("empty", "and its subfolders have no journal*.lp"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, why: str) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["influx", "upload", str(tmp_path / what), "--influx", "http://127.0.0.1:1?db=d"]) == 2
    assert capsys.readouterr().err == f"switchover: {tmp_path / what} {why}\n"


def test_of_several_runs_the_worst_gives_the_exit_code(tmp_path: Path) -> None:
    first, second = run_directory(tmp_path, "a"), run_directory(tmp_path, "b")
    full = answers(400, b'{"error":"partial write: points beyond retention policy dropped=10"}')
    with fake_influx(full) as influx:
        assert main(["influx", "upload", str(first), "--influx", influx.url()]) == 1
        influx.behaviour = None
        assert main(["influx", "upload", str(first), str(second), "--influx", influx.url()]) == 1
        assert main(["influx", "upload", str(second)]) == 0


def test_a_database_that_takes_nothing_ends_it_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = run_directory(tmp_path)
    with fake_influx(answers(404, b'{"error":"database not found: \\"drills\\""}')) as influx:
        assert main(["influx", "upload", str(directory), "--influx", influx.url(), "--wait", "0"]) == 2
        captured = capsys.readouterr()
        assert "accepts no points: 404" in captured.err
        assert "streamed 0 of 10 points (404: database not found" in captured.out
        assert captured.out.endswith(f"'switchover influx upload {directory}' sends the rest\n")
        influx.behaviour = None
        assert main(["influx", "upload", str(directory), "--influx", influx.url()]) == 0
        assert len(influx.points) == 10


def test_doctor_tries_the_database_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_influx() as influx, fake_influx() as site:
        target = tmp_path / "site.toml"
        target.write_text(
            f'[target]\nurl = "http://127.0.0.1:{site.port}/"\n[influx]\nurl = "{influx.url("bucket=b")}"\n'
        )
        main(["doctor", "--target", str(target)])
        assert f"{influx.database('bucket=b').destination.url} accepts points" in _unwrapped(capsys)
        assert (influx.points, influx.batches) == ({}, [0])
        influx.behaviour = answers(401, b'{"code":"unauthorized","message":"unauthorized access"}')
        assert main(["doctor", "--target", str(target)]) == 2
        assert "accepts no points: 401: unauthorized access" in _unwrapped(capsys)


def _unwrapped(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())
