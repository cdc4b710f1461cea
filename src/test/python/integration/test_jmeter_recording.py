"""JMeter without a GUI, as a process: what its listener records is what the server was asked for."""

from pathlib import Path

import pytest

from support.jmetering import LoadLeft, only_run, run, shop, write_plan

pytestmark = [pytest.mark.integration, pytest.mark.beside]


def test_every_request_is_a_row_and_jmeters_own_file_has_the_columns(tmp_path: Path) -> None:
    with shop() as server:
        plan = write_plan(tmp_path / "plan.jmx", server.port, threads=4, loops=50, out=tmp_path / "runs")
        output = run("-n", "-t", str(plan), "-l", "results.csv", folder=tmp_path)
        asked = server.requests
    left = only_run(tmp_path / "runs")
    assert asked == 200
    assert len(left.samples) == left.counted == asked
    assert sum(not sample.success for sample in left.samples) == 20
    assert {sample.identity.answered_by for sample in left.samples} == {"backend", "balancer"}
    assert left.load["state"] == "ended"
    assert left.load["workers"][0]["samples"] == asked
    assert "keep their connections" in " ".join(left.load["warnings"])
    header, *rows = (tmp_path / "results.csv").read_text().splitlines()
    assert header.endswith('"backend","balancer","answered_by"')
    assert len(rows) == asked
    assert all(row.endswith((",web1,lb1,backend", ",web2,lb1,backend", ",,lb1,balancer")) for row in rows)
    assert str(left.directory) in output


def test_a_conducted_load_goes_into_the_directory_that_the_environment_names(tmp_path: Path) -> None:
    directory = tmp_path / "20260101T000000Z-drill"
    directory.mkdir()
    with shop() as server:
        plan = write_plan(tmp_path / "plan.jmx", server.port, threads=2, loops=10, out=None)
        environment = {"SWITCHOVER_RUN_DIRECTORY": str(directory)}
        run("-n", "-t", str(plan), folder=tmp_path, environment=environment)
    left = LoadLeft(directory)
    assert len(left.samples) == left.counted == 20
    assert left.load["state"] == "ended"
    assert sorted(path.name for path in directory.iterdir()) == ["journal-jmeter.lp", "load.json", "samples.jtl"]
