"""JMeter's processes and a real InfluxDB: every point of a run is there, once, with the values of the journal."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.influxdb import PASSWORD, TOKEN, InfluxDB, influxdb
from support.jmetering import (
    LOCALLY,
    PATIENCE_S,
    PROBED,
    Shop,
    bean,
    end,
    java,
    only_run,
    remote_server,
    run,
    shop,
    write_plan,
)
from support.streamed import compare, journalled, stored
from switchover.cli.main import main

PATIENTLY = "-Jswitchover.influx_wait=60s"


@pytest.fixture(scope="module")
def server() -> Iterator[Shop]:
    with shop() as running:
        yield running


@pytest.fixture(scope="module", params=["1.8-auth", "2.7"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InfluxDB]:
    with influxdb(request.param, tmp_path_factory.mktemp("influxdb") / "server") as running:
        yield running


def probed(folder: Path, server: Shop, out: Path) -> str:
    """A Balancer Target of that shop."""
    target = folder / "target.toml"
    target.write_text(f'[target]\nurl = "http://127.0.0.1:{server.port}{PROBED}"\n', encoding="utf-8")
    return bean("BalancerTarget", targetFile=str(target), out=str(out), probeRate="50", limits="failed-total=50%")


def assert_all_there(database: InfluxDB, name: str, folder: Path) -> None:
    directory = only_run(folder / "runs").directory
    found = compare(journalled(directory), stored(database, name))
    assert found.equal, found
    assert found.points > 0
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert TOKEN.encode() not in content and PASSWORD.encode() not in content, path


def streamed(plan: Path, url: str, database: InfluxDB, *options: str) -> str:
    """What JMeter prints when it has run a plan that streams to the database."""
    more = (*options, f"-Jswitchover.influx={url}", PATIENTLY)
    return run("-n", "-t", str(plan), *more, folder=plan.parent, environment=database.environment)


@pytest.mark.beside
def test_every_point_of_a_run_is_there_and_the_summary_says_so(
    tmp_path: Path, server: Shop, database: InfluxDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = database.create("run")
    out = tmp_path / "runs"
    plan = write_plan(
        tmp_path / "plan.jmx",
        server.port,
        threads=3,
        loops=20,
        think_ms=100,
        more=probed(tmp_path, server, out),
    )
    said = streamed(plan, url, database)
    written = sum(path.read_bytes().count(b"\n") for path in only_run(out).directory.glob("journal*.lp"))
    assert f"streamed {written:,} of {written:,} points\n" in said
    assert {"switchover_requests", "switchover_probes", "switchover_event"} <= {
        name for name, _, _ in stored(database, "run")
    }
    assert_all_there(database, "run", tmp_path)
    log = (tmp_path / "jmeter.log").read_text()
    assert TOKEN not in said + log
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    marks = {path: path.read_bytes() for path in only_run(out).directory.glob("*.sent")}
    assert len(marks) >= 3
    assert main(["influx", "upload", str(only_run(out).directory)]) == 0
    assert marks == {path: path.read_bytes() for path in marks}, "something was sent again"


@pytest.mark.beside
def test_every_point_of_a_run_with_servers_is_there(tmp_path: Path, server: Shop, database: InfluxDB) -> None:
    url = database.create("remote")
    plan = write_plan(tmp_path / "plan.jmx", server.port, threads=2, loops=20, think_ms=50)
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(remote_server(tmp_path / name)) for name in ("one", "two")]
        said = streamed(plan, url, database, "-R", ",".join(servers), *LOCALLY)
    assert "streamed " in said
    assert {
        dict(tags).get("worker") for name, tags, _ in stored(database, "remote") if name == "switchover_requests"
    } == {*servers}
    assert_all_there(database, "remote", tmp_path)


@pytest.mark.beside
def test_what_a_killed_jmeter_has_journalled_arrives_by_upload(
    tmp_path: Path, server: Shop, database: InfluxDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = database.create("killed")
    plan = write_plan(tmp_path / "plan.jmx", server.port, threads=2, loops=10_000, think_ms=20)
    database.freeze()
    process = java(
        "-n",
        "-t",
        str(plan),
        f"-Jswitchover.influx={url}",
        folder=tmp_path,
        environment=database.environment,
    )
    try:
        until = time.monotonic() + PATIENCE_S
        while not any(b"switchover_requests" in path.read_bytes() for path in tmp_path.glob("runs/*/journal*.lp")):
            assert time.monotonic() < until, "nothing was journalled"
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        end(process)
        database.thaw()
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    (directory,) = (tmp_path / "runs").iterdir()
    assert main(["influx", "upload", str(directory), "--influx", url, "--wait", "60s"]) == 0
    assert_all_there(database, "killed", tmp_path)
    assert main(["influx", "upload", str(directory), "--influx", url]) == 0
