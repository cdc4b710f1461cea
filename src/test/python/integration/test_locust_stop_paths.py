"""However a run of Locust ends, what it recorded is all there: in the rows, in the points, in what the server saw."""

import functools
import signal
from pathlib import Path

import pytest

from support.locusting import Left, Locust, locust, only_run, post, runs_in, shop_plan
from support.misbehaving import MisbehavingServer
from support.ports import free_port, is_open
from support.waiting import wait_for

pytestmark = pytest.mark.beside

PLAN = shop_plan(0.005, 'def item(self): self.client.get("/item/1", name="/item")')
PLUGGED = "import switchover.locust\n" + PLAN
HEADLESS = ("--headless", "-u", "6", "-r", "6", "--only-summary", "--stop-timeout", "20")
GRACEFUL = ("--stop-timeout", "3")


def plan(folder: Path, text: str = PLUGGED) -> Path:
    path = folder / "my.py"
    path.write_text(text, encoding="utf-8")
    return path


def start(folder: Path, server: MisbehavingServer, *arguments: str) -> "Locust":
    plan(folder)
    return Locust(folder, "-f", "my.py", "-H", server.url("site", ""), *arguments)


def under_load(run: Locust, server: MisbehavingServer, requests: int = 300) -> None:
    server.wait("site", lambda seen: seen.requests >= requests)


def assert_complete(left: Left, requests: int) -> None:
    """Rows, points, and every worker's own count are what the server saw; it may not have seen what was abandoned."""
    rows = len(left.samples)
    assert left.answered <= requests <= rows
    assert left.counted == rows
    assert sum(worker["samples"] for worker in left.load["workers"]) == rows
    assert sum(worker["abandoned"] for worker in left.load["workers"]) == rows - left.answered
    assert [worker["points"] for worker in left.load["workers"]] == [
        worker["samples"] for worker in left.load["workers"]
    ]
    assert left.load["state"] == "ended"
    assert left.load["warnings"] == []


@pytest.mark.parametrize("processes", [(), ("--processes", "2")], ids=["single", "processes"])
def test_the_run_time_is_over(tmp_path: Path, server: MisbehavingServer, processes: tuple[str, ...]) -> None:
    plan(tmp_path)
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *HEADLESS, "-t", "8s", *processes) as run:
        assert run.end() == 0, run.said
    left = only_run(tmp_path)
    assert_complete(left, server.seen("site").requests)
    assert len(left.rows) == (2 if processes else 1)
    assert left.verdict()["samples"]["total"] == left.answered


def test_users_that_are_cut_off_leave_what_they_had_begun(tmp_path: Path, server: MisbehavingServer) -> None:
    """Without a stop timeout there are always some, of which Locust does not tell."""
    plan(tmp_path)
    cut_off = ("--stop-timeout", "0", "-u", "30", "-r", "30")
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *HEADLESS, *cut_off) as run:
        under_load(run, server)
        run.interrupt()
        assert run.end() == 0, run.said
    assert_complete(only_run(tmp_path), server.seen("site").requests)


@pytest.mark.parametrize("processes", [(), ("--processes", "2")], ids=["single", "processes"])
@pytest.mark.parametrize("how", ["ctrl-c", "sigterm"])
def test_a_signal_ends_it(tmp_path: Path, server: MisbehavingServer, how: str, processes: tuple[str, ...]) -> None:
    plan(tmp_path)
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *HEADLESS, *processes) as run:
        under_load(run, server)
        if how == "ctrl-c":
            run.interrupt()
        else:
            run.signal(signal.SIGTERM)
        assert run.end() == 0, run.said
        assert "incomplete" not in run.said
    assert_complete(only_run(tmp_path), server.seen("site").requests)


@pytest.mark.parametrize("processes", [(), ("--processes", "2")], ids=["single", "processes"])
def test_the_web_page_stops_it_and_starts_it_again(
    tmp_path: Path, server: MisbehavingServer, processes: tuple[str, ...]
) -> None:
    """Each test of a process is a run of its own."""
    plan(tmp_path)
    port = free_port()
    page = f"http://127.0.0.1:{port}"
    arguments = ("--web-host", "127.0.0.1", "--web-port", str(port), *GRACEFUL, *processes)
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *arguments) as run:
        run.wait_until(lambda: is_open(port), "page")
        before = 0
        for number in (1, 2):
            if processes:
                # A worker is ready again when the stop timeout is over.
                run.wait_for("reported as ready", times=2 * number)
            assert post(f"{page}/swarm", user_count="6", spawn_rate="6")["success"]
            under_load(run, server, before + 300)
            assert post(f"{page}/stop")["success"]
            run.wait_until(functools.partial(judged, tmp_path, number), "verdict")
            assert_complete(Left(runs_in(tmp_path)[-1]), server.seen("site").requests - before)
            before = server.seen("site").requests
        run.interrupt()
        assert run.end() == 0, run.said
    assert len(runs_in(tmp_path)) == 2


def test_who_cannot_wait_loses_only_the_verdict(tmp_path: Path, server: MisbehavingServer) -> None:
    """A second Ctrl-C: the controller goes on alone, and heals and judges by itself."""
    plan(tmp_path)
    asked = ("--switchover-limit", "failed-total=1%", "--switchover-probe-rate", "50")
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *HEADLESS, *asked) as run:
        under_load(run, server)
        run.interrupt()
        run.wait_for("waiting for the last measurements and the verdict")
        run.interrupt()
        assert run.end() == 2, run.said
        assert "Traceback" not in run.said
        assert run.printed.startswith("Switchover: interrupted before the run was judged")
    wait_for(functools.partial(judged, tmp_path, 1), "the controller's verdict")
    left = only_run(tmp_path)
    assert left.answered <= server.seen("site").requests - left.probes <= len(left.samples)


def judged(folder: Path, runs: int) -> bool:
    return len(list(folder.glob("runs/*/verdict.json"))) == runs


def test_a_user_ends_it(tmp_path: Path, server: MisbehavingServer) -> None:
    """Its own greenlet is the one that stops all, itself too."""
    ending = "def end(self): self.environment.stats.total.num_requests >= 200 and self.environment.runner.quit()"
    plan(tmp_path, "import switchover.locust\n" + shop_plan(0.005, ending))
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *HEADLESS, "-u", "1") as run:
        assert run.end() == 0, run.said
    assert_complete(only_run(tmp_path), server.seen("site").requests)
