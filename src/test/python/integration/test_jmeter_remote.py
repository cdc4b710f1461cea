"""JMeter's client and servers on loopback, and a real InfluxDB: samples and points add up to the last one."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support.influxdb import PASSWORD, TOKEN, InfluxDB, influxdb
from support.jmetering import (
    LOCALLY,
    PATIENCE_S,
    PROBED,
    LoadLeft,
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
from support.sample_rows import read_samples
from support.streamed import compare, journalled, stored
from switchover.cli.main import main
from switchover.rundir.run_directory import read_run

pytestmark = pytest.mark.beside

THREADS, LOOPS = 3, 40
THINK_MS = 50
"""Long enough together for both servers to be at work at the same time."""
WRONG_S = 3600
"""The client's clock is ahead by that much, so that the servers' are behind: all of them are on one machine."""
STEADY_US = 20_000
"""What a machine's time service may do to its wall clock, seen from its monotonic one, while a test runs."""
TARGET = """
[target]
url = "http://127.0.0.1:9/"
[fault.count]
kill = ["sh", "-c", "echo once >> '{place}/fired'"]
heal = ["touch", "{place}/healed"]
verify_down = ["test", "-e", "{place}/fired"]
verify_healed = ["sh", "-c", "! test -e '{place}/fired' || test -e '{place}/healed'"]
"""
ARMED = ("-Jswitchover.armed=true", "-Jswitchover.allow.no.backup=true", "-Jswitchover.allow.unidentified=true")
"""A pair of which the target file names no other balancer."""
COLUMNS = "-Jsample_variables=backend,balancer,answered_by"


@pytest.fixture(scope="module")
def server() -> Iterator[Shop]:
    with shop() as running:
        yield running


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    folder = tmp_path_factory.mktemp("servers")
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(remote_server(folder / name)) for name in ("one", "two")]


def remote(
    folder: Path,
    servers: list[str],
    server: Shop,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    more: str = "",
) -> str:
    plan = write_plan(
        folder / "plan.jmx",
        server.port,
        threads=THREADS,
        loops=LOOPS,
        think_ms=THINK_MS,
        more=more,
    )
    statuses = ("-n", "-t", str(plan), "-R", ",".join(servers), *LOCALLY, *arguments, "-l", "results.csv")
    return run(*statuses, folder=folder, environment=environment)


def firing(folder: Path) -> str:
    """An element by which the client fires, while both servers are at work, what says how often it was fired."""
    (folder / "target.toml").write_text(TARGET.format(place=folder), encoding="utf-8")
    fields = {"targetFile": f"{folder}/target.toml", "out": f"{folder}/runs", "fault": "count", "faultAt": "1s"}
    return bean("BalancerTarget", probeRate="0", **fields)


@pytest.mark.parametrize(
    "mode", ["Standard", "DiskStore", pytest.param("StrippedBatch", marks=pytest.mark.core), "StrippedDiskStore"]
)
def test_a_fault_is_fired_once_and_every_sample_of_both_servers_is_a_row_at_its_time(
    mode: str, tmp_path: Path, servers: list[str], server: Shop
) -> None:
    before = server.requests
    anchor_ns = time.time_ns() - time.monotonic_ns() + WRONG_S * 1_000_000_000
    began_us = (time.monotonic_ns() + anchor_ns) // 1000
    remote(
        tmp_path,
        servers,
        server,
        f"-Jmode={mode}",
        COLUMNS,
        *ARMED,
        environment={"SWITCHOVER_CLOCK_ANCHOR": str(anchor_ns)},
        more=firing(tmp_path),
    )
    ended_us = (time.monotonic_ns() + anchor_ns) // 1000
    asked = server.requests - before
    left = only_run(tmp_path / "runs")
    assert asked == 2 * THREADS * LOOPS
    assert len(left.samples) == left.counted == asked
    assert left.load["state"] == "ended"
    assert ended(left) == dict.fromkeys(servers, (THREADS * LOOPS, "stopped"))
    assert sum(sample.identity.answered_by == "balancer" for sample in left.samples) == asked // 10
    assert clocks(left, servers) == pytest.approx(dict.fromkeys(servers, -WRONG_S * 1_000_000), abs=STEADY_US)
    assert all(began_us < sample.start_us <= sample.end_us < ended_us for sample in left.samples)
    header, *rows = (tmp_path / "results.csv").read_text().splitlines()
    assert header.endswith('"backend","balancer","answered_by"')
    assert len(rows) == asked
    assert all(row.endswith((",lb1,backend", ",,lb1,balancer")) for row in rows)
    assert (tmp_path / "fired").read_text(encoding="utf-8") == "once\n"
    assert (tmp_path / "healed").exists()
    assert read_run(left.directory).plan.healed_us is not None


def clocks(left: LoadLeft, servers: list[str]) -> dict[str, int]:
    """How far each server was ahead, which it has found out before its test and after; what is left of it is within
    the bounds."""
    offsets = {worker["worker"]: (worker["offset_us"], worker["bound_us"]) for worker in left.load["workers"]}
    readings = [(clock["node"], clock["when"]) for clock in left.load["clocks"]]
    assert sorted(readings) == sorted((server, when) for server in servers for when in ("before", "after"))
    for clock in left.load["clocks"]:
        assert abs(clock["offset_us"]) <= clock["bound_us"] + offsets[clock["node"]][1] + STEADY_US
    assert not any("could not be compared" in warning for warning in left.load["warnings"])
    return {server: offset for server, (offset, _) in offsets.items()}


@pytest.mark.parametrize("mode", ["Asynch", "StrippedAsynch", "Statistical"])
def test_a_sender_that_loses_samples_is_refused_before_there_is_load(
    mode: str, tmp_path: Path, servers: list[str], server: Shop
) -> None:
    before = server.requests
    output = remote(tmp_path, servers, server, f"-Jmode={mode}")
    assert f"mode={mode} " in output
    assert "-Jmode=StrippedBatch" in output
    assert server.requests == before
    assert not (tmp_path / "runs").exists()


def test_a_refused_run_stops_the_test_on_each_server(tmp_path: Path, servers: list[str], server: Shop) -> None:
    before = server.requests
    output = remote(tmp_path, servers, server, more=bean("BalancerTarget", targetFile=f"{tmp_path}/missing.toml"))
    assert output.count("the test is stopped: ") == len(servers)
    assert server.requests == before
    assert not (tmp_path / "runs").exists()


WAIT = "${__BeanShell(Thread.sleep(${__P(wait,0)}))}"
SLOW_START = f"""
<Arguments guiclass="ArgumentsPanel" testclass="Arguments" testname="slow start">
  <collectionProp name="Arguments.arguments">
    <elementProp name="waited" elementType="Argument">
      <stringProp name="Argument.name">waited</stringProp>
      <stringProp name="Argument.value">{WAIT}</stringProp>
    </elementProp>
  </collectionProp>
</Arguments>
<hashTree/>
"""
"""A server evaluates variables after its client has told it to start, before it says that its test has started."""


def test_a_server_that_begins_when_the_other_has_ended_makes_the_same_run(tmp_path: Path, server: Shop) -> None:
    before = server.requests
    plan = write_plan(tmp_path / "plan.jmx", server.port, threads=1, loops=3, more=SLOW_START)
    with remote_server(tmp_path / "one") as one, remote_server(tmp_path / "two", "-Jwait=9000") as two:
        output = run("-n", "-t", str(plan), "-R", f"{one},{two}", *LOCALLY, COLUMNS, folder=tmp_path)
    left = only_run(tmp_path / "runs")
    assert output.count("Report: switchover report") == 1
    assert len(left.samples) == left.counted == server.requests - before == 6
    assert ended(left) == dict.fromkeys((one, two), (3, "stopped"))
    parts = [list(read_samples(path)) for path in left.directory.glob("samples*.jtl")]
    early, late = sorted(parts, key=lambda samples: samples[0].start_us)
    assert early[-1].end_us < late[0].start_us, "too busy a machine for one server to end before the other begins"


def ended(left: LoadLeft) -> dict[str, tuple[int, str]]:
    return {worker["worker"]: (worker["samples"], worker["ended"]) for worker in left.load["workers"]}


def test_servers_without_a_sample_are_listed_and_without_who_answered_nobody_compares_clocks(
    tmp_path: Path, servers: list[str], server: Shop
) -> None:
    plan = write_plan(tmp_path / "plan.jmx", server.port, threads=1, loops=0, who=False)
    run("-n", "-t", str(plan), "-R", ",".join(servers), *LOCALLY, folder=tmp_path)
    left = only_run(tmp_path / "runs")
    assert left.load["state"] == "ended"
    assert ended(left) == dict.fromkeys(servers, (0, "stopped"))
    assert left.load["clocks"] == []
    assert {(worker["offset_us"], worker["bound_us"]) for worker in left.load["workers"]} == {(None, None)}
    told = [warning for warning in left.load["warnings"] if "could not be compared" in warning]
    assert len(told) == 2 and all("add Who Answered to the plan" in warning for warning in told)


PATIENTLY = "-Jswitchover.influx_wait=60s"


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
    """Run a plan that streams to the database, and return the output of JMeter."""
    more = (*options, f"-Jswitchover.influx={url}", PATIENTLY)
    return run("-n", "-t", str(plan), *more, folder=plan.parent, environment=database.environment)


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


def test_what_a_killed_jmeter_has_journalled_arrives_by_upload(
    tmp_path: Path, server: Shop, database: InfluxDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = database.create("killed")
    plan = write_plan(tmp_path / "plan.jmx", server.port, threads=2, loops=10_000, think_ms=20)
    database.freeze()
    words = ("-n", "-t", str(plan), f"-Jswitchover.influx={url}")
    process = java(*words, folder=tmp_path, environment=database.environment)
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
