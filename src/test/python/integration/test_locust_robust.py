"""A defect of the plugin is no defect of the user's test; and where a drill conducts, the plugin only records."""

import signal
from pathlib import Path

import pytest

from support.locusting import Left, locust, only_run, shop_plan
from support.misbehaving import MisbehavingServer
from switchover.rundir.load_facts import RUNNING, read_load
from switchover.rundir.run_directory import VERDICT_FILE

pytestmark = pytest.mark.beside

PLAN = "import switchover.locust\n" + shop_plan(
    0.01, 'def broken(self): self.client.get("/status/500", name="broken")'
)
BRIEF = ("--headless", "-u", "2", "-r", "2", "--only-summary", "--stop-timeout", "5")


UNACCOUNTED = "the check of the recording processes"


@pytest.mark.parametrize(
    ("broken", "event"),
    [
        ("switchover.locust.leader.Leader._start_run", "test_start"),
        ("switchover.locust.run.LoadRun.spawned", "spawning_complete"),
        ("switchover.locust.run.LoadRun.stop", "test_stop"),
        ("switchover.locust.run.SingleProcess.facts", UNACCOUNTED),
    ],
)
def test_a_defect_of_ours_is_one_warning_and_the_test_goes_on(
    tmp_path: Path, server: MisbehavingServer, broken: str, event: str
) -> None:
    """`init` prepares the run of a single process; here it is left to `test_start`."""
    module, cls, method = broken.rsplit(".", 2)
    breaking = f"""
import {module}
import switchover.locust.leader
def fails(*_, **__):
    raise RuntimeError("a defect")
switchover.locust.leader.Leader._starts_at_once = False
{module}.{cls}.{method} = fails
"""
    (tmp_path / "my.py").write_text(PLAN + breaking, encoding="utf-8")
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *BRIEF, "-t", "8s") as run:
        code = run.end()
    # Without the account of its process the load is invalid; else the code is Locust's, of the failed requests.
    assert code == (2 if event == UNACCOUNTED else 1), run.said
    assert server.seen("site").requests > 20
    assert run.said.count("a defect") == 1
    assert "Traceback" not in run.said


def test_a_drill_that_conducts_gets_rows_and_facts_and_nothing_else(
    tmp_path: Path, server: MisbehavingServer
) -> None:
    (tmp_path / "my.py").write_text(PLAN, encoding="utf-8")
    directory = tmp_path / "20260101T000000Z-drill"
    directory.mkdir()
    environment = {"SWITCHOVER_RUN_DIRECTORY": str(directory), "SWITCHOVER_CLOCK_ANCHOR": "5000000000000000000"}
    options = ("--switchover-late", "5s")
    with locust(
        tmp_path, "-f", "my.py", "-H", server.url("site", ""), *BRIEF, *options, environment=environment
    ) as run:
        run.wait_until(lambda: (facts := read_load(directory)) is not None and facts.state == RUNNING, "users")
        server.wait("site", lambda seen: seen.requests >= 100)
        run.signal(signal.SIGTERM)
        assert run.end() == 0, run.said
    left = Left(directory)
    assert left.answered <= server.seen("site").requests <= len(left.samples) == left.counted
    assert left.load["state"] == "ended"
    assert left.load["parts"] == ["journal-locust.lp", "samples.jtl"]
    assert min(sample.start_us for sample in left.samples) > 5_000_000_000_000_000
    assert not (directory / VERDICT_FILE).exists()
    assert not (tmp_path / "runs").exists()
    assert run.printed == ""


def test_a_kill_costs_a_second_at_most_and_the_controller_ends_the_run(
    tmp_path: Path, server: MisbehavingServer
) -> None:
    (tmp_path / "my.py").write_text(PLAN, encoding="utf-8")
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *BRIEF, "-u", "6", "-r", "6") as run:
        server.wait("site", lambda seen: seen.requests >= 300)
        run.signal(signal.SIGKILL)
        run.end()
        seen = server.seen("site").requests
        verdicts = tmp_path.glob(f"runs/*/{VERDICT_FILE}")
        for _ in range(600):
            if any(verdicts):
                break
            signal.sigtimedwait([], 0.1)
            verdicts = tmp_path.glob(f"runs/*/{VERDICT_FILE}")
    left = only_run(tmp_path)
    rows = left.samples
    rate = len(rows) / (max(row.end_us for row in rows) - min(row.start_us for row in rows)) * 1e6
    assert seen - len(rows) < rate + 6
    assert not left.verdict()["valid"]
