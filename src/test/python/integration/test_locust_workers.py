"""A master and workers, started one by one: who comes late, goes early or dies is named, and nothing is lost."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.locusting import PACKAGE, Left, Locust, locust, only_run, shop_plan
from support.misbehaving import MisbehavingServer
from support.ports import free_port
from support.sample_rows import read_samples

pytestmark = pytest.mark.beside

PLAN = shop_plan(0.005)
PLUGGED = "import switchover.locust\n" + PLAN
SECOND_US = 1_000_000


class Crew:
    """A master, and the workers that a test starts."""

    def __init__(self, folder: Path, server: MisbehavingServer, port: int, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self.server = server
        self._port = port
        self._stack = stack

    def plan(self, text: str, name: str = "my.py") -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def master(self, *arguments: str, file: str = "my.py") -> Locust:
        master = ("-f", file, "-H", self.server.url("site", ""), "--master", "--master-bind-port", str(self._port))
        options = ("--stop-timeout", "20", "--only-summary", *arguments)
        return self._stack.enter_context(locust(self.folder, *master, *options))

    def worker(self, *, file: str = "my.py", through: tuple[str, ...] = (), folder: Path | None = None) -> Locust:
        worker = ("-f", file, "--worker", "--master-host", "127.0.0.1", "--master-port", str(self._port))
        return self._stack.enter_context(locust(folder or self.folder, *worker, through=through))

    def under_load(self, more: int = 300) -> None:
        before = self.requests
        self.server.wait("site", lambda seen: seen.requests >= before + more)

    @property
    def requests(self) -> int:
        return self.server.seen("site").requests


@pytest.fixture
def crew(tmp_path: Path, server: MisbehavingServer) -> Iterator[Crew]:
    with contextlib.ExitStack() as stack:
        crew = Crew(tmp_path, server, free_port(), stack)
        crew.plan(PLUGGED)
        yield crew


def test_all_that_the_workers_did_is_in_one_run(crew: Crew) -> None:
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "2", "-t", "6s")
    workers = [crew.worker(), crew.worker()]
    assert master.end() == 0, master.said
    assert [worker.end() for worker in workers] == [0, 0]
    left = only_run(crew.folder)
    assert list(left.rows) == ["samples-worker-1.jtl", "samples-worker-2.jtl"]
    assert left.answered <= crew.requests <= len(left.samples) == left.counted
    for name, worker in left.workers().items():
        assert (
            worker["samples"] == worker["points"] == left.counted_by_worker()[name] == len(left.rows[worker["part"]])
        )
        assert (worker["joined"], worker["ended"], worker["here"]) == ("start", "stopped", True)
        # One machine, one clock.
        assert (worker["offset_us"], worker["bound_us"]) == (0, 0)
    assert left.load["warnings"] == left.events() == []
    assert left.run()["workers"] == left.load["workers"]


def test_a_worker_that_is_told_to_end_takes_nothing_with_it(crew: Crew) -> None:
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "2")
    first, _ = crew.worker(), crew.worker()
    crew.under_load()
    first.signal(signal.SIGTERM)
    assert first.end() == 0, first.said
    crew.under_load(600)
    master.signal(signal.SIGTERM)
    assert master.end() == 0, master.said
    left = only_run(crew.folder)
    assert left.answered <= crew.requests <= len(left.samples) == left.counted
    assert [worker["ended"] for worker in left.workers().values()] == ["stopped", "stopped"]


@pytest.mark.core
def test_a_worker_that_is_killed_is_named_and_costs_a_second_at_most(crew: Crew) -> None:
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "2")
    killed, _ = crew.worker(), crew.worker()
    crew.under_load(2500)  # at most 1,200 each second, and a worker writes its rows once a second
    killed.signal(signal.SIGKILL)
    killed_us = time.time_ns() // 1000
    master.wait_for(" sent no message for ")
    master.interrupt()
    assert master.end() == 2, master.said  # INVALID
    left = only_run(crew.folder)
    (lost,) = (name for name, worker in left.workers().items() if worker["ended"] == "lost")
    (kept,) = (name for name, worker in left.workers().items() if worker["ended"] == "stopped")
    rows = left.rows[f"samples-{lost}.jtl"]
    assert killed_us - max(row.end_us for row in rows) < SECOND_US
    assert left.workers()[lost]["points"] == left.counted_by_worker()[lost] <= len(rows)
    assert left.workers()[kept]["samples"] == len(left.rows[f"samples-{kept}.jtl"]) == left.counted_by_worker()[kept]
    assert any(lost in event for event in left.events())
    assert any(lost in warning for warning in left.load["warnings"])
    assert not left.verdict()["valid"]


def test_a_worker_that_comes_late_is_named(crew: Crew) -> None:
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "1")
    crew.worker()
    crew.under_load()
    crew.worker()
    master.wait_for("joined after the start of the run")
    crew.under_load()
    master.interrupt()
    assert master.end() == 0, master.said
    left = only_run(crew.folder)
    assert [worker["joined"] for worker in left.workers().values()] == ["start", "late"]
    assert left.answered <= crew.requests <= len(left.samples) == left.counted
    assert left.events() == ["worker-2 joined after the start of the run"]


AMBIGUOUS = """
[target]
url = "{url}"
[fault.away]
kill = ["true", "{{master}}"]
"""
AWAY = (
    *("--switchover-target", "site.toml", "--switchover-fault", "away", "--switchover-fault-at", "1"),
    *("--switchover-arm", "--switchover-allow-unidentified"),
)


def test_a_run_that_is_refused_sends_the_workers_home(crew: Crew) -> None:
    """What only the controller can find out, when the workers are there already."""
    (crew.folder / "site.toml").write_text(AMBIGUOUS.format(url=crew.server.url("site")), encoding="utf-8")
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "1", *AWAY)
    worker = crew.worker()
    assert (master.end(), worker.end()) == (2, 0)
    assert master.said.count("the master is ambiguous") == 1
    assert "Traceback" not in master.said
    assert [path.name for path in (crew.folder / "runs").iterdir()] == []


def test_a_run_that_is_refused_leaves_no_process_behind(crew: Crew) -> None:
    (crew.folder / "site.toml").write_text(AMBIGUOUS.format(url=crew.server.url("site")), encoding="utf-8")
    options = ("-f", "my.py", "-H", crew.server.url("site", ""), "--headless", "--processes", "2", *AWAY)
    with locust(crew.folder, *options) as run:
        assert run.end() == 2
        # Whoever is left over holds the pipe that this waits for.
        assert run.said.count("the master is ambiguous") == 1
    assert crew.requests == 0


def test_nobody_waits_for_a_run_that_never_began(crew: Crew) -> None:
    port = free_port()
    master = crew.master("--web-host", "127.0.0.1", "--web-port", str(port))
    worker = crew.worker()
    master.wait_for("reported as ready")
    master.signal(signal.SIGTERM)
    assert (master.end(), worker.end()) == (0, 0)
    assert not (crew.folder / "runs").exists()


def test_workers_whose_master_was_killed_keep_what_they_recorded(crew: Crew) -> None:
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "2")
    workers = [crew.worker(), crew.worker()]
    crew.under_load()
    master.signal(signal.SIGKILL)
    crew.under_load()
    for worker in workers:
        worker.interrupt()
    for worker in workers:
        assert worker.end() == 0, worker.said
        assert "has not acknowledged the last traffic" in worker.said
    (directory,) = (crew.folder / "runs").iterdir()
    left = Left(directory)
    assert left.answered <= crew.requests <= len(left.samples)


def test_a_worker_without_the_plugin_is_named(crew: Crew) -> None:
    crew.plan(PLAN, "bare.py")
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "2", "-t", "8s")
    crew.worker()
    crew.worker(file="bare.py")
    assert master.end() == 2, master.said  # INVALID
    left = only_run(crew.folder)
    assert (
        sum("recorded nothing: does its locustfile import switchover.locust?" in w for w in left.load["warnings"])
        == 1
    )
    assert len(left.rows) == 1


def test_a_worker_whose_master_lacks_the_plugin_works_on(crew: Crew) -> None:
    crew.plan(PLAN, "bare.py")
    master = crew.master("--headless", "-u", "6", "-r", "6", "-t", "5s", file="bare.py")
    worker = crew.worker()
    assert (master.end(), worker.end()) == (0, 0)
    assert worker.said.count("because the Locust master runs without Switchover") == 1
    assert crew.requests > 0
    assert not (crew.folder / "runs").exists()


def test_a_worker_on_another_machine_keeps_the_masters_time_and_its_own_part(crew: Crew, tmp_path: Path) -> None:
    """Its monotonic clock is 5000 s ahead, and it does not see the master's files."""
    namespaces = ("unshare", "--user", "--map-root-user", "--mount", "--time", "--monotonic", "5000", "--fork")
    if subprocess.run([*namespaces, "true"], check=False).returncode:
        pytest.skip("no other machine can be played here: namespaces are refused, as in a chroot")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "my.py").write_text(PLUGGED, encoding="utf-8")
    runs = tmp_path / "runs"
    runs.mkdir()
    hide = f'mount -t tmpfs none {runs} && exec "$@"'
    through = (*namespaces, "--kill-child", "sh", "-c", hide, "sh")
    master = crew.master("--headless", "-u", "6", "-r", "6", "--expect-workers", "2", "-t", "8s")
    crew.worker()
    master.wait_for("reported as ready")
    far = crew.worker(through=through, folder=elsewhere)
    assert master.end() == 2, master.said  # INVALID
    assert far.end() == 0, far.said
    left = only_run(crew.folder)
    (directory,) = (elsewhere / "runs").iterdir()
    assert directory.name == left.directory.name
    part = directory / "samples-worker-2.jtl"
    worker = left.workers()["worker-2"]
    assert (worker["part"], worker["here"], worker["ended"]) == (part.name, False, "stopped")
    assert abs(worker["offset_us"]) < SECOND_US
    assert 0 < worker["bound_us"] < SECOND_US
    assert any(str(part) in warning for warning in left.load["warnings"])
    clocks = [clock for clock in left.run()["clocks"] if clock["node"] == "worker-2"]
    assert [clock["when"] for clock in clocks] == ["before", "after"]
    assert abs(clocks[1]["offset_us"]) <= clocks[0]["bound_us"] + clocks[1]["bound_us"] + 1
    # The parts of a run are judged together, wherever they come from.
    command = [sys.executable, "-m", "switchover", "report", str(left.directory), str(directory)]
    subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": PACKAGE}, capture_output=True, timeout=60)
    whole = Left(left.directory)
    abandoned = sum(one["abandoned"] for one in left.load["workers"])
    assert whole.verdict()["samples"]["total"] == left.counted - abandoned <= crew.requests <= left.counted
    plan = left.run()["plan"]
    rows = list(read_samples(part))
    assert len(rows) == worker["samples"]
    assert all(plan["start_us"] < row.start_us <= row.end_us < plan["end_us"] for row in rows)
