"""`switchover influx` against real servers of both versions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.influxdb import InfluxDB
from support.kept_runs import kept_run
from switchover.cli.main import main

pytestmark = [pytest.mark.integration, pytest.mark.beside]

RUNS = ("node-down", "partition")


@pytest.fixture(autouse=True)
def credentials(influx: InfluxDB, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in influx.environment.items():
        monkeypatch.setenv(name, value)
    yield


@pytest.fixture
def url(influx: InfluxDB, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A database with two real runs in it, their verdicts included."""
    url = influx.create(f"of_{abs(hash(request.node.name))}")
    for name in RUNS:
        directory = kept_run(name, tmp_path)
        assert main(["report", str(directory)]) in (0, 1)
        assert main(["upload", str(directory), "--influx", url]) == 0
    capsys.readouterr()
    return url


def test_a_database_is_created_once_and_is_well(influx: InfluxDB, capsys: pytest.CaptureFixture[str]) -> None:
    url = influx.write_url(f"made_{influx.kind.replace('.', '_')}")
    assert main(["influx", "check", "--influx", url]) == 2
    said = capsys.readouterr().out
    assert "ok  version: " in said and "'switchover influx create' makes it" in said
    assert main(["influx", "create", "--influx", url, "--retention", "5430s"]) == 0
    said = capsys.readouterr().out
    assert "points are kept 1h30m30s" in said
    assert ("to read" in said) is (influx.kind == "2.7")
    assert main(["influx", "check", "--influx", url]) == 0
    said = capsys.readouterr().out
    assert "ok  may read: 0 runs" in said and "ok  may write: " in said
    assert main(["influx", "create", "--influx", url]) == 2
    assert "already exists, and was not changed" in capsys.readouterr().err


def test_the_token_to_write_may_not_read(
    influx: InfluxDB, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if influx.kind != "2.7":
        return  # InfluxDB 1 has users instead, whom its administrator makes
    url = influx.write_url("with_tokens")
    assert main(["influx", "create", "--influx", url]) == 0
    write, read = (line.split(": ")[1] for line in capsys.readouterr().out.splitlines()[1:3])
    for token, well, ill in ((write, "may write", "may read"), (read, "may read", "may write")):
        monkeypatch.setenv("SWITCHOVER_INFLUX_TOKEN", token)
        assert main(["influx", "check", "--influx", url]) == 2
        said = capsys.readouterr().out
        assert f"ok  {well}" in said and f"NO  {ill}" in said and token not in said


def test_points_of_strangers_are_one_line_and_hide_no_run(
    url: str, influx: InfluxDB, capsys: pytest.CaptureFixture[str]
) -> None:
    database = url.rpartition("=")[2]
    influx.write(database, b'switchover_verdict,run=odd,fault=x verdict="../../FINE",samples=3i 1\n')
    influx.write(database, b"switchover_event,run=strange,kind=start other=1 2\n")
    assert main(["influx", "runs", "--influx", url]) == 0
    said = capsys.readouterr().out
    assert "odd  x  ../../FINE" in said and "node-down" in said


def test_a_retention_policy_that_the_address_names_is_read(
    influx: InfluxDB, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if influx.kind == "2.7":
        return  # a bucket has none
    url = influx.create("policies")
    influx.query('CREATE RETENTION POLICY "a_year" ON "policies" DURATION INF REPLICATION 1')
    directory = kept_run("node-down", tmp_path)
    assert main(["report", str(directory)]) == 0
    assert main(["upload", str(directory), "--influx", f"{url}&rp=a_year"]) == 0
    capsys.readouterr()
    for address, runs in ((url, "0 runs"), (f"{url}&rp=a_year", "1 run")):
        assert main(["influx", "runs", "--influx", address]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == runs


def test_a_run_is_deleted_when_it_is_meant_and_no_other(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["influx", "runs", "--influx", url]) == 0
    first, second, counted = capsys.readouterr().out.splitlines()
    assert (first.split()[1:], second.split()[1:], counted) == (
        ["node-down", "MEASURED"],
        ["partition", "FAILED"],
        "2 runs",
    )
    run = first.split()[0]
    assert main(["influx", "delete", run, "--influx", url]) == 2
    assert "points would be deleted; --yes deletes them" in capsys.readouterr().out
    assert main(["influx", "delete", run, "--influx", url, "--yes"]) == 0
    assert capsys.readouterr().out.endswith("points deleted\n")
    assert main(["influx", "runs", "--influx", url]) == 0
    assert capsys.readouterr().out.splitlines() == [second, "1 run"]
    assert main(["influx", "delete", run, "--influx", url, "--yes"]) == 2
    assert f"has no points of a run {run}" in capsys.readouterr().err


def test_a_name_is_never_a_part_of_the_question(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("' OR 'a'='a", '" OR run!="', "a\\"):
        assert main(["influx", "delete", run, "--influx", url, "--yes"]) == 2
        assert "has no points of a run" in capsys.readouterr().err
    assert main(["influx", "runs", "--influx", url]) == 0
    assert capsys.readouterr().out.endswith("2 runs\n")


def test_a_database_that_is_away_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["influx", "runs", "--influx", "http://127.0.0.1:1?db=drills"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("switchover: http://127.0.0.1:1?db=drills: query failed: ") and said.count("\n") == 1
