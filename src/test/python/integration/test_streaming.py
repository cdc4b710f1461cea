"""Drills and distributed runs that stream to real databases: every point is there once, and no secret anywhere."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.drilling import newest_run
from support.influxdb import PASSWORD, TOKEN, USER, InfluxDB, influxdb
from support.journals import read_journal
from support.locusting import PACKAGE, locust, only_run, shop_plan
from support.misbehaving import MisbehavingServer, misbehaving
from support.misfortune import play
from support.ports import free_port
from support.streamed import compare, journalled, stored
from switchover.lab.lab import Lab
from switchover.report.make_report import make_report
from switchover.rundir.run_directory import VERDICT_FILE, VERDICT_JOURNAL, read_run
from switchover.streaming.outside import OutsideStreams

SECRETS = tuple(secret.encode() for secret in (TOKEN, PASSWORD))
DRILL_TIMEOUT_S = 240.0

PLAN = "import switchover.locust\n" + shop_plan(0.02)


def run(command: Sequence[str], database: InfluxDB) -> "subprocess.CompletedProcess[str]":
    """A command that knows how to log in to the database."""
    environment = {**os.environ, "PYTHONPATH": PACKAGE, **database.environment}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=DRILL_TIMEOUT_S, check=False
    )


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InfluxDB]:
    """A server that wants to know who writes."""
    with influxdb("1.8-auth", tmp_path_factory.mktemp("asking") / "server") as server:
        yield server


@pytest.fixture(params=["1.8-auth", "2.7"])
def each(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InfluxDB]:
    """Each kind of server that wants to know who writes."""
    with influxdb(request.param, tmp_path_factory.mktemp("each") / "server") as server:
        yield server


@contextlib.contextmanager
def command_lines() -> Iterator[list[bytes]]:
    """Those of all processes, looked at again and again; what they hold of our secrets."""
    found: list[bytes] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    text = path.read_bytes()
                    found.extend(secret for secret in SECRETS if secret in text)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def secrets_in(directory: Path) -> list[str]:
    return [
        str(path)
        for path in directory.rglob("*")
        if path.is_file() and any(secret in path.read_bytes() for secret in SECRETS)
    ]


@dataclass(frozen=True, slots=True)
class Streamed:
    directory: Path
    code: int
    said: str
    on_command_lines: list[bytes]


@pytest.fixture(scope="session")
def drilled(lab: Lab, asking: InfluxDB, tmp_path_factory: pytest.TempPathFactory) -> Streamed:
    """In the lab's client, which has no way to the database, with Locust as its load. For the whole session: pytest
    leaves this file for others, and comes back, once for each database of `influx`."""
    out = tmp_path_factory.mktemp("streamed")
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(lab.target_file), "--out", str(out)]
    command += ["--baseline", "2s", "--users", "5", "--probe-rate", "100", "--influx", asking.create("drills")]
    with OutsideStreams(lab.layout.shipper_socket), command_lines() as seen:
        done = run(lab.exec_argv("client", [*command, "--influx-wait", "60s"]), asking)
    return Streamed(newest_run(out), done.returncode, done.stdout + done.stderr, seen)


@pytest.mark.core
def test_every_point_of_a_drill_is_in_the_database_once(drilled: Streamed, asking: InfluxDB) -> None:
    journal = journalled(drilled.directory)
    compared = compare(journal, stored(asking, "drills"))
    assert compared.equal, (compared, drilled.said)
    measurements = {key[0] for key in journal}
    assert {"switchover_requests", "switchover_probes", "switchover_haproxy", "switchover_verdict"} <= measurements


def test_the_run_says_what_became_of_its_points(drilled: Streamed) -> None:
    account = read_run(drilled.directory).streaming
    assert account is not None
    assert (account["left"], account["refused"], account["why"]) == (0, 0, "")
    assert f"streamed {account['points']:,} of {account['points']:,} points" in drilled.said


def test_streaming_moves_no_figure(drilled: Streamed, tmp_path: Path) -> None:
    bare = tmp_path / drilled.directory.name
    shutil.copytree(drilled.directory, bare, ignore=shutil.ignore_patterns(VERDICT_JOURNAL, "*.sent"))
    make_report(bare)
    assert (bare / VERDICT_FILE).read_bytes() == (drilled.directory / VERDICT_FILE).read_bytes()
    make_report(bare)
    assert (bare / VERDICT_FILE).read_bytes() == (drilled.directory / VERDICT_FILE).read_bytes()


def test_no_secret_is_left_anywhere(drilled: Streamed) -> None:
    assert secrets_in(drilled.directory) == []
    assert drilled.on_command_lines == []
    assert not any(secret.decode() in drilled.said for secret in SECRETS)


def test_a_run_can_be_sent_to_any_other_database(drilled: Streamed, influx: InfluxDB) -> None:
    url = influx.create("later")
    command = [sys.executable, "-m", "switchover", "influx", "upload", str(drilled.directory)]
    for _ in range(2):
        done = run([*command, "--influx", url, "--wait", "60s"], influx)
        assert done.returncode == 0, done.stdout + done.stderr
    compared = compare(journalled(drilled.directory), stored(influx, "later"))
    assert compared.equal, compared


@pytest.fixture
def shop() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


def test_workers_points_arrive_also_those_of_one_that_was_killed(
    shop: MisbehavingServer, each: InfluxDB, tmp_path: Path
) -> None:
    (tmp_path / "my.py").write_text(PLAN, encoding="utf-8")
    (tmp_path / "locust.conf").write_text(f"switchover-influx = {each.create('workers')}\n", encoding="utf-8")
    port, web = str(free_port()), free_port()
    pages: list[bytes] = []
    with contextlib.ExitStack() as stack:
        master = stack.enter_context(
            locust(
                tmp_path,
                *("-f", "my.py", "-H", shop.url("site", ""), "--master", "--master-bind-port", port),
                *("--web-port", str(web), "--autostart", "--expect-workers", "2", "-u", "4", "-r", "4"),
                environment={"LOCUST_SWITCHOVER_INFLUX_WAIT": "60s", **each.environment},
            )
        )
        worker = ("-f", "my.py", "--worker", "--master-host", "127.0.0.1", "--master-port", port)
        killed, kept = (stack.enter_context(locust(tmp_path, *worker)) for _ in range(2))
        master.wait_until(lambda: _told_of(tmp_path) == {"worker-1", "worker-2"}, "traffic of both")
        for path in ("", "stats/requests", "switchover"):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{web}/{path}") as page:
                pages.append(page.read())
        killed.signal(signal.SIGKILL)
        master.wait_for(" sent no message for ")
        master.interrupt()
        master.end()
        assert "Traceback" not in master.said
        left = only_run(tmp_path)
    compared = compare(journalled(left.directory), stored(each, "workers"))
    assert compared.equal, (compared, master.said)
    assert len({point.tags.get("worker") for point in left.points} - {None}) == 2
    assert "streamed" in master.printed
    assert len(pages) >= 2
    assert USER.encode() + b":" not in b"".join(pages)
    assert not any(secret in page for page in pages for secret in SECRETS)
    assert b"=workers" not in b"".join(pages)
    assert secrets_in(tmp_path) == []
    assert not any(secret.decode() in said.said + said.printed for said in (master, kept) for secret in SECRETS)


def _told_of(folder: Path) -> set[str]:
    """The workers whose traffic the master has written down."""
    points = read_journal(folder.glob("runs/*/journal-locust.lp"))
    return {point.tags["worker"] for point in points if "worker" in point.tags}


@pytest.mark.parametrize(("server", "kind"), [("1.8-auth", "killed in upload"), ("2.7", "killed")])
def test_whatever_befalls_the_database_all_points_arrive_once(server: str, kind: str, tmp_path: Path) -> None:
    """Two of the twenty that `python -m proof.streaming` plays."""
    with influxdb(server, tmp_path / "server") as running:
        result = play(kind, running, 7, tmp_path / "run")
    assert result["lost"] == result["foreign"] == result["different"] == 0, result
    assert result["points"] > 500
