"""`switchover upload`: what is left goes, again and again, until all of it is there."""

from pathlib import Path
from typing import Any

import pytest

from support.fake_influx import answers, fake_influx
from switchover.cli.main import main
from switchover.model.errors import UsageError
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import Run, write_run
from switchover.streaming.influx.destination import choose_database
from switchover.target.model import InfluxSettings

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


def test_it_goes_where_the_run_was_streamed_to(tmp_path: Path) -> None:
    with fake_influx() as influx:
        directory = run_directory(tmp_path, streaming={"to": influx.database().destination.url})
        assert main(["upload", str(directory)]) == 0
        assert len(influx.points) == 10


def test_a_run_that_was_never_streamed_needs_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = run_directory(tmp_path)
    assert main(["upload", str(directory)]) == 2
    assert "name the database with --influx URL" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["nowhere", "empty"])
def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["upload", str(tmp_path / what), "--influx", "http://127.0.0.1:1?db=d"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_database_that_takes_nothing_ends_it_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = run_directory(tmp_path)
    with fake_influx(answers(404, b'{"error":"database not found: \\"drills\\""}')) as influx:
        assert main(["upload", str(directory), "--influx", influx.url(), "--wait", "0"]) == 2
        captured = capsys.readouterr()
        assert "takes no points: 404" in captured.err
        assert "streamed 0 of 10 points (404: database not found" in captured.out
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


def test_the_target_files_secrets_are_for_its_own_server_alone() -> None:
    settings = InfluxSettings("http://influx:8086", db="d", user="me", password="s3cret")
    here = choose_database("http://influx:8086?db=other", settings, {})
    elsewhere = choose_database("http://elsewhere:8086?db=d", settings, {})
    assert here is not None
    assert here.credentials.password == "s3cret"
    assert elsewhere is not None
    assert not elsewhere.credentials.password
    assert choose_database(None, None, {}) is None


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


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        (InfluxSettings("http://i:8086", org="a/b", bucket="x&y"), "http://i:8086?org=a%2Fb&bucket=x%26y"),
        (InfluxSettings("http://i:8086?bucket=b", org="o"), "http://i:8086?org=o&bucket=b"),
        (InfluxSettings("http://i:8086?db=d"), "http://i:8086?db=d"),
    ],
)
def test_a_target_file_names_what_its_url_does_not(settings: InfluxSettings, url: str) -> None:
    chosen = choose_database(None, settings, {})
    assert chosen is not None and chosen.destination.url == url


def test_what_is_wrong_with_a_target_files_database_is_said_with_its_place() -> None:
    with pytest.raises(UsageError) as caught:
        choose_database(None, InfluxSettings("http://i:8086"), {})
    assert str(caught.value).startswith("[influx] of the target file: the database's address must name either")


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
