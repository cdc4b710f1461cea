"""`switchover upload`: what is left goes, again and again, until all of it is there."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from support.fake_influx import answers, fake_influx
from switchover.cli.main import main
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import Run, write_run
from switchover.streaming.influx import upload as uploading
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.influx.shipper import ShipperAccount

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
        assert main(["upload", str(tmp_path), "--influx", influx.url()]) == 0
        assert main(["upload", str(tmp_path / "a"), str(tmp_path)]) == 0
        assert (len(influx.points), sum(influx.batches)) == (20, 20)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{tmp_path / name}: streamed 10 of 10 points" for name in ("a", "b", "a", "b")]


def test_a_journal_that_cannot_be_read_is_not_all_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = run_directory(tmp_path)
    (directory / "journal-jmeter.lp").mkdir()
    with fake_influx() as influx:
        assert main(["upload", str(directory), "--influx", influx.url()]) == 2
        assert len(influx.points) == 10
    assert "cannot read" in capsys.readouterr().err


def test_it_goes_where_the_run_was_streamed_to(tmp_path: Path) -> None:
    with fake_influx() as influx:
        directory = run_directory(tmp_path, streaming={"to": influx.database().destination.url})
        assert main(["upload", str(directory)]) == 0
        assert len(influx.points) == 10


def test_a_run_that_was_never_streamed_needs_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = run_directory(tmp_path)
    assert main(["upload", str(directory)]) == 2
    assert "name the database with --influx URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("nowhere", "is no directory: name a run directory, such as runs/<time>-<name>"),
        ("empty", "has no journal*.lp, neither itself nor in a folder of it"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, why: str) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["upload", str(tmp_path / what), "--influx", "http://127.0.0.1:1?db=d"]) == 2
    assert capsys.readouterr().err == f"switchover: {tmp_path / what} {why}\n"


def test_a_target_file_without_a_database_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory, target = run_directory(tmp_path), tmp_path / "site.toml"
    target.write_text('[target]\nurl = "http://vip/"\n')
    assert main(["upload", str(directory), "--target", str(target), "--influx", "http://127.0.0.1:1?db=d"]) == 2
    assert capsys.readouterr().err == f"switchover: {target} has no [influx]\n"


def test_of_several_runs_the_worst_gives_the_exit_code(tmp_path: Path) -> None:
    first, second = run_directory(tmp_path, "a"), run_directory(tmp_path, "b")
    full = answers(400, b'{"error":"partial write: points beyond retention policy dropped=10"}')
    with fake_influx(full) as influx:
        assert main(["upload", str(first), "--influx", influx.url()]) == 1
        influx.behaviour = None
        assert main(["upload", str(first), str(second), "--influx", influx.url()]) == 1
        assert main(["upload", str(second)]) == 0


def test_a_run_goes_where_its_journals_say_if_its_description_does_not(tmp_path: Path) -> None:
    directory = run_directory(tmp_path)
    (directory / "run.json").write_text('{"streaming": 5}')
    with fake_influx() as influx:
        (directory / "journal.lp.sent").write_text(json.dumps({"to": influx.database().destination.url}))
        assert main(["upload", str(directory)]) == 0
        assert len(influx.points) == 10


def test_its_options_are_read_whole() -> None:
    parser = argparse.ArgumentParser()
    uploading.register(parser.add_subparsers())
    found = parser.parse_args(["upload", "a", "b"])
    assert (found.directories, found.influx, found.target, found.wait) == ([Path("a"), Path("b")], None, None, 10.0)
    found = parser.parse_args(["upload", "a", "--influx", "URL", "--target", "site.toml", "--wait", "500ms"])
    assert (found.influx, found.target, found.wait) == ("URL", Path("site.toml"), 0.5)
    for wrong in (["upload"], ["upload", "a", "--infl", "URL"]):
        with pytest.raises(SystemExit):
            parser.parse_args(wrong)


def test_it_is_named_among_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "upload send the points of run directories to InfluxDB" in _unwrapped(capsys)


def test_its_help_names_credentials_exit_codes_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["upload", "--help"])
    shown = _unwrapped(capsys)
    for text in (
        "DIR run directories, or folders of them",
        "--influx URL where to (default: where the run was streamed to)",
        "--target FILE a file whose [influx] says where and as whom",
        "--wait T how long to ask a database that takes nothing (default 10s)",
        "It may be repeated: nothing is sent again that was acknowledged, and what is sent twice changes nothing.",
        "A folder stands for all runs in it.",
        "Credentials come from the environment: SWITCHOVER_INFLUX_TOKEN, or SWITCHOVER_INFLUX_USER and "
        "SWITCHOVER_INFLUX_PASSWORD.",
        "Exit codes: 0 all points are there, 1 the database refused some for good, 2 not all could be sent.",
    ):
        assert text in shown


class Screen:
    """In place of a console: what is printed, and each word on how far it is."""

    def __init__(self, **_: object) -> None:
        self.shown: list[str] = []

    def print(self, text: str, **_: object) -> None:
        self.shown.append(text)

    @contextmanager
    def status(self, text: str) -> Iterator["Screen"]:
        self.update(text)
        yield self

    def update(self, text: str) -> None:
        self.shown.append(text)


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds


@pytest.mark.parametrize(
    ("pauses", "slept"),
    [
        ([5.0, 5.0, 0.5, None], [5.0, 5.0]),
        ([5.0, 0.0, 5.0, 5.0, None], [5.0, 5.0, 5.0]),
        ([10.0, 0.1], [10.0]),
        ([10.1], []),
        ([None], []),
    ],
)
def test_a_database_is_asked_for_as_long_as_was_agreed_since_it_last_took_anything(
    pauses: list[float | None], slept: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, clock, notes, closed = iter(pauses), Time(), Screen(), list[bool]()

    class Sender:
        settled, has_unread = 1_234, False

        def __init__(self, *_: object) -> None:
            """Nothing."""

        def account(self) -> ShipperAccount:
            return ShipperAccount("x", 2_000, 0, 0)

        def turn(self) -> float | None:
            return next(left)

        def close(self) -> None:
            closed.append(True)

    for name in ("Shipper", "Writer"):
        monkeypatch.setattr(uploading, name, Sender)
    monkeypatch.setattr(uploading, "time", clock)
    monkeypatch.setattr(uploading, "Console", lambda **_: notes)
    database = Database(parse_destination("http://influx:8086?db=d"), Credentials())
    console = Console(quiet=True)
    assert uploading.upload(tmp_path, database, console, patience_s=10.0) == uploading.ALL_SENT
    assert (clock.slept, closed) == (slept, [True])
    assert notes.shown == [f"{tmp_path}: 2,000 points", *[f"{tmp_path}: 1,234 of 2,000 points"] * pauses.count(0.0)]


def test_a_database_that_takes_nothing_ends_it_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = run_directory(tmp_path)
    with fake_influx(answers(404, b'{"error":"database not found: \\"drills\\""}')) as influx:
        assert main(["upload", str(directory), "--influx", influx.url(), "--wait", "0"]) == 2
        captured = capsys.readouterr()
        assert "takes no points: 404" in captured.err
        assert "streamed 0 of 10 points (404: database not found" in captured.out
        assert captured.out.endswith(f"'switchover upload {directory}' sends the rest\n")
        influx.behaviour = None
        assert main(["upload", str(directory), "--influx", influx.url()]) == 0
        assert len(influx.points) == 10


def test_points_that_are_refused_for_good_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = run_directory(tmp_path)
    full = answers(400, b'{"error":"partial write: points beyond retention policy dropped=10"}')
    with fake_influx(full) as influx:
        assert main(["upload", str(directory), "--influx", influx.url()]) == 1
    assert "streamed 0 of 10 points, 10 refused (400: partial write" in capsys.readouterr().out


def test_who_writes_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SWITCHOVER_INFLUX_TOKEN", "s3cret")
    directory = run_directory(tmp_path)
    with fake_influx() as influx:
        assert main(["upload", str(directory), "--influx", influx.url("org=o&bucket=b")]) == 0
        assert influx.requests[0][1]["Authorization"] == "Token s3cret"
    assert "s3cret" not in "".join(capsys.readouterr())
    assert all(b"s3cret" not in path.read_bytes() for path in directory.iterdir())


def test_a_target_file_says_where_and_who(tmp_path: Path) -> None:
    directory = run_directory(tmp_path)
    (tmp_path / "token").write_text("s3cret\n")
    with fake_influx() as influx:
        target = tmp_path / "site.toml"
        target.write_text(
            f'[target]\nurl = "http://vip/"\n[influx]\nurl = "http://127.0.0.1:{influx.port}"\norg = "o"\n'
            f'bucket = "b"\ntoken = "file:{tmp_path}/token"\n'
        )
        assert main(["upload", str(directory), "--target", str(target)]) == 0
        assert influx.requests[0][0] == "/api/v2/write?org=o&bucket=b&precision=ns"
        assert influx.requests[0][1]["Authorization"] == "Token s3cret"


def test_doctor_tries_the_database_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_influx() as influx, fake_influx() as site:
        target = tmp_path / "site.toml"
        target.write_text(
            f'[target]\nurl = "http://127.0.0.1:{site.port}/"\n[influx]\nurl = "{influx.url("bucket=b")}"\n'
        )
        main(["doctor", "--target", str(target)])
        assert f"{influx.database('bucket=b').destination.url} takes points" in _unwrapped(capsys)
        assert (influx.points, influx.batches) == ({}, [0])
        influx.behaviour = answers(400, b'{"code":"invalid","message":"writing requires points"}')
        main(["doctor", "--target", str(target)])
        assert "takes points" in _unwrapped(capsys)
        influx.behaviour = answers(401, b'{"code":"unauthorized","message":"unauthorized access"}')
        assert main(["doctor", "--target", str(target)]) == 2
        assert "takes no points: 401: unauthorized access" in _unwrapped(capsys)


def _unwrapped(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_a_wait_that_is_no_duration_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["upload", str(tmp_path), "--wait", "soon"])
    assert "'soon' is no duration" in capsys.readouterr().err


def test_what_a_database_says_is_printed_as_it_stands_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "[bold]database[/bold] not " + "found " * 25
    directory = run_directory(tmp_path)
    with fake_influx(answers(404, f'{{"error": "{said}"}}'.encode())) as influx:
        assert main(["upload", str(directory), "--influx", influx.url(), "--wait", "0"]) == 2
    printed = capsys.readouterr()
    for line in (printed.err, printed.out):
        assert said.strip() in line and line.count("\n") == 1
