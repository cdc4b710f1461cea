"""The controller's process: it starts or says why not, tells how it stands, and ends in order however it is left."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.drilling import assert_word
from support.servers import answers_page, tcp_server
from support.waiting import wait_for
from switchover.drill.options import DrillSettings
from switchover.drill.remote import Controller
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.rundir.load_facts import ENDED, LoadFacts, write_load
from switchover.rundir.sample_log import SampleWriter
from synthetic import sample

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with tcp_server(answers_page(b"hello")) as port:
        yield f"http://127.0.0.1:{port}/"


def settings_of(directory: Path, url: str, **changes: Any) -> DrillSettings:
    values: dict[str, Any] = {"url": url, "probe_rate": 50.0, "prefix": "--switchover-", **changes}
    directory.mkdir(exist_ok=True)
    return DrillSettings(directory=directory, name="measure", **values)


def write_a_load(directory: Path) -> None:
    writer = SampleWriter(directory / "samples.jtl")
    now_us = Clock.of_process().now_us()
    writer.write(sample(now_us - 900, now_us, intended_us=None))
    writer.close()
    worker = {"worker": "", "samples": 1, "lost": 0, "ended": "stopped"}
    write_load(directory, LoadFacts(ENDED, parts=["samples.jtl"], workers=[worker]))


def test_a_run_from_its_start_to_its_verdict(tmp_path: Path, url: str) -> None:
    directory = tmp_path / "run"
    controller = Controller(settings_of(directory, url, limits=("failed-total=100%",)), Clock.of_process())
    assert controller.state.phase == "ready"
    controller.begin()
    wait_for(lambda: (controller.state.probes or {}).get("good", 0) > 5, "probes")
    assert (controller.state.phase, controller.state.armed, controller.state.faults) == ("baseline", False, [])
    controller.fire("nosuch")
    wait_for(lambda: bool(controller.state.notes), "the refusal")
    assert "a target file must define the commands" in controller.state.notes[-1]
    write_a_load(directory)
    finished = controller.finish(PATIENCE_S)
    assert controller.died is None
    assert_word(finished.verdict, "PASSED")
    assert finished.exit_code == finished.verdict["exit_code"] and finished.verdict["verdict"] in finished.summary
    assert "✓ Failed total" in finished.summary and "limit 100 %" in finished.summary
    assert json.loads((directory / "verdict.json").read_text()) == finished.verdict
    run = json.loads((directory / "run.json").read_text())
    assert run["settings"]["generator"] == "locust" and run["workers"][0]["samples"] == 1
    assert {"junit.xml", "report.html", "probes.jtl", "journal.lp"} <= {path.name for path in directory.iterdir()}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"url": "ftp://x"}, "not a URL to probe"),
        ({"target": Path("/nowhere/site.toml")}, "cannot read target file"),
        ({"url": None}, "there is no URL to probe"),
        ({"limits": ("speed=1",)}, "known: outage"),
        ({"url": "http://no.such.host.invalid/"}, "no.such.host.invalid"),
    ],
)
def test_whatever_is_refused_is_one_line(tmp_path: Path, url: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SwitchoverError, match=said) as refusal:
        Controller(settings_of(tmp_path, **{"url": url, **changes}), Clock.of_process())
    assert "\n" not in str(refusal.value)


def test_a_parent_that_goes_away_leaves_a_verdict_behind(tmp_path: Path, url: str) -> None:
    controller = Controller(settings_of(tmp_path, url), Clock.of_process())
    controller.begin()
    controller.hang_up()
    assert controller.wait(PATIENCE_S)
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    assert any("ended before it sent the command `finish`" in text for text in verdict["warnings"])
    assert controller.died is None


def test_ctrl_c_is_for_the_parent(tmp_path: Path, url: str) -> None:
    controller = Controller(settings_of(tmp_path, url), Clock.of_process())
    os.kill(controller.pid, signal.SIGINT)
    controller.begin()
    wait_for(lambda: controller.state.phase == "baseline", "the baseline")
    assert os.getsid(controller.pid) != os.getsid(0)
    controller.finish(PATIENCE_S)


def test_a_controller_that_was_killed_says_so_and_keeps_nobody_waiting(tmp_path: Path, url: str) -> None:
    controller = Controller(settings_of(tmp_path, url), Clock.of_process())
    os.kill(controller.pid, signal.SIGKILL)
    wait_for(lambda: controller.died is not None, "its end")
    assert controller.died == "the controller was killed by signal 9"
    with pytest.raises(SwitchoverError, match="killed by signal 9"):
        controller.finish(PATIENCE_S)


UNDER_GEVENT = """
import gevent.monkey
gevent.monkey.patch_all()
import sys, gevent
from pathlib import Path
from switchover.model.clock import Clock
from switchover.drill.options import DrillSettings
from switchover.drill.remote import Controller
ticks = []
def tick():
    while True:
        ticks.append(1)
        gevent.sleep(0.01)
gevent.spawn(tick)
settings = DrillSettings(directory=Path(sys.argv[1]), name="measure", url=sys.argv[2], probe_rate=50.0)
controller = Controller(settings, Clock.of_process())
assert ticks, "starting it held up the loop"
controller.begin()
while not controller.state.probes:
    gevent.sleep(0.05)
before = len(ticks)
finished = controller.finish(60)
assert len(ticks) > before, "finishing it held up the loop"
print(finished.exit_code, controller.died)
"""


def test_its_parent_may_be_a_gevent_program(tmp_path: Path, url: str) -> None:
    command = [sys.executable, "-W", "error", "-c", UNDER_GEVENT, str(tmp_path), url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.stdout == "2 None\n", done.stderr
