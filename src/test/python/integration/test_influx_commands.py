"""`switchover influx` against real servers of both versions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.influxdb import InfluxDB
from support.kept_runs import kept_run
from switchover.cli.main import main
from switchover.rundir.run_directory import read_run

pytestmark = pytest.mark.beside

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
        assert main(["influx", "upload", str(directory), "--influx", url]) == 0
    capsys.readouterr()
    return url


def test_a_database_is_created_once_and_is_well(influx: InfluxDB, capsys: pytest.CaptureFixture[str]) -> None:
    url = influx.write_url(f"made_{influx.kind.replace('.', '_')}")
    assert main(["influx", "check", "--influx", url]) == 2
    said = capsys.readouterr().out
    assert "ok  version: " in said and "'switchover influx create' creates it" in said
    assert main(["influx", "create", "--influx", url, "--retention", "5430s"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("created ")
    assert main(["influx", "check", "--influx", url]) == 0
    said = capsys.readouterr().out
    assert "ok  may read: " in said and "ok  may write: " in said
    assert main(["influx", "create", "--influx", url]) == 2
    assert "already exists, and was not changed" in capsys.readouterr().err


def test_a_retention_policy_that_the_address_names_is_read(
    influx: InfluxDB, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if influx.kind == "2.7":
        return  # a bucket has none
    url = influx.create("policies")
    influx.query('CREATE RETENTION POLICY "a_year" ON "policies" DURATION INF REPLICATION 1')
    directory = kept_run("node-down", tmp_path)
    assert main(["report", str(directory)]) == 0
    assert main(["influx", "upload", str(directory), "--influx", f"{url}&rp=a_year"]) == 0
    capsys.readouterr()
    for address, said in ((url, "has no points of the run"), (f"{url}&rp=a_year", "points would be deleted")):
        assert main(["influx", "tidy", read_run(directory).id, "--influx", address]) == 2
        assert said in "".join(capsys.readouterr())


def test_a_run_is_deleted_when_it_is_meant_and_no_other(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, other = (read_run(kept_run(name, tmp_path / "again")).id for name in ("node-down", "partition"))
    assert main(["influx", "tidy", run, "--influx", url]) == 2
    assert "points would be deleted; --yes deletes them" in capsys.readouterr().out
    assert main(["influx", "tidy", run, "--influx", url, "--yes"]) == 0
    assert capsys.readouterr().out.endswith("points deleted\n")
    assert main(["influx", "tidy", run, "--influx", url, "--yes"]) == 2
    assert f"has no points of the run {run}" in capsys.readouterr().err
    assert main(["influx", "tidy", other, "--influx", url]) == 2
    assert "points would be deleted; --yes deletes them" in capsys.readouterr().out


def test_a_name_is_never_a_part_of_the_question(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("' OR 'a'='a", '" OR run!="', "a\\"):
        assert main(["influx", "tidy", run, "--influx", url, "--yes"]) == 2
        assert "has no points of the run" in capsys.readouterr().err


def test_a_database_that_is_away_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["influx", "tidy", "a", "--influx", "http://127.0.0.1:1?db=drills"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("switchover: http://127.0.0.1:1?db=drills: query failed: ") and said.count("\n") == 1
