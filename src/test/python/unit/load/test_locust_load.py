"""Locust as the load of a drill: started, waited for, ended, and what is said when it does not go well.

A script stands for Locust; it tells of itself as Locust's plugin does. Visitors of a real target are a real Locust.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.remains import lives
from support.shop import rows_of_visitors
from support.waiting import wait_for
from switchover.load.load_process import ChosenLoad
from switchover.load.locust import (
    LOG_FILE,
    PLUGIN,
    VISITORS,
    LocustLoad,
    last_complaint,
)
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.rundir.load_facts import read_load
from switchover.target.model import Endpoint, Target

TARGET = Target(Endpoint("http://198.18.0.50:8080/shop?x=1"), source=Path("/lab/target.toml"))

STUB = """
import json, os, signal, sys, time
directory = os.environ["SWITCHOVER_RUN_DIRECTORY"]
assert os.environ["SWITCHOVER_CLOCK_ANCHOR"]
def tell(state):
    with open(os.path.join(directory, "load.part"), "w") as file:
        json.dump({"state": state}, file)
    os.rename(os.path.join(directory, "load.part"), os.path.join(directory, "load.json"))
def stop(number, frame):
    tell("ended")
    sys.exit(%(code)s)
signal.signal(signal.SIGTERM, %(handler)s)
print("[2024-05-01 12:00:00,000] host/INFO/locust.main: Starting Locust", flush=True)
%(script)s
tell("running")
while True:
    time.sleep(0.05)
"""


@dataclass
class Stub(LocustLoad):
    """The same, with another program."""

    script: str = ""
    code: int = 0
    handler: str = "stop"

    def __post_init__(self) -> None:
        super().__init__(ChosenLoad(users=5, spawn_rate=5.0), TARGET)

    def _command(self) -> list[str]:
        values = {"script": self.script, "code": self.code, "handler": self.handler}
        return [sys.executable, "-c", STUB % values]


def ended(load: LocustLoad) -> bool:
    return load.died is not None


def test_it_is_there_once_its_users_are_and_ends_when_it_is_told(tmp_path: Path) -> None:
    load = Stub()
    assert load.stop() is None, "nothing to end yet"
    load.start(tmp_path, Clock.of_process())
    pid = load.pid
    assert pid is not None and os.getsid(pid) == pid
    assert (load.died, load.stop(), load.died) == (None, None, None)
    facts = read_load(tmp_path)
    assert facts is not None and facts.state == "ended"
    assert "Starting Locust" in (tmp_path / LOG_FILE).read_text()
    assert load.stop() is None, "once is enough"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import nosuch_module", "ModuleNotFoundError: No module named 'nosuch_module'"),
        (
            "print('[2024-05-01 12:00:01,000] a/ERROR/locust.main: No User class found!'); print('x'); sys.exit(1)",
            "Locust ended with 1: No User class found! (see locust.log)",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", "Locust was killed by signal 9"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(tmp_path: Path, script: str, said: str) -> None:
    load = Stub(script=script)
    with pytest.raises(SwitchoverError) as refusal:
        load.start(tmp_path, Clock.of_process())
    assert "the load did not start" in str(refusal.value) and said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert load.stop() is None, "it was said already"


def test_users_that_never_come_are_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stub, "start_s", 0.2)
    load = Stub(script="time.sleep(60)", handler="signal.SIG_DFL")
    with pytest.raises(SwitchoverError, match="not all users started within 1 s"):
        load.start(tmp_path, Clock.of_process())
    assert load.pid is None


def test_a_load_that_ends_by_itself_says_so(tmp_path: Path) -> None:
    script = "tell('running')\nwhile not os.path.exists(directory + '/seen'): time.sleep(0.01)\n"
    load = Stub(script=f"{script}print('all done'); sys.exit(3)")
    load.start(tmp_path, Clock.of_process())
    (tmp_path / "seen").touch()
    wait_for(lambda: ended(load))
    assert load.died == "the load ended by itself: Locust ended with 3: all done (see locust.log)"
    assert load.stop() == "the load ended by itself: Locust ended with 3: all done (see locust.log)"


def test_one_that_does_not_end_is_killed_and_may_lack_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stub, "end_s", 0.3)
    load = Stub(handler="signal.SIG_IGN")
    load.start(tmp_path, Clock.of_process())
    pid = load.pid
    assert pid is not None
    assert "did not end within 0.3 s and was killed" in (load.stop() or "")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


OWNER = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from switchover.model.clock import Clock
from unit.load.test_locust_load import Stub
load = Stub(handler="signal.SIG_IGN")
load.start(Path({directory!r}), Clock.of_process())
print(load.pid, flush=True)
sys.stdin.read()
"""


def test_it_does_not_outlive_a_drill_that_was_killed(tmp_path: Path) -> None:
    script = OWNER.format(tests=str(Path(__file__).parents[2]), directory=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
    wait_for(lambda: not lives(pid))


def test_the_command_has_what_the_plugin_needs() -> None:
    settings = ChosenLoad(users=7, spawn_rate=2.5, plan=Path("my/plan.py"), late_s=0.5)
    words = LocustLoad(settings, TARGET)._command()
    assert words[words.index("-f") + 1] == f"{PLUGIN},my/plan.py"
    for option, value in {
        "--users": "7",
        "--spawn-rate": "2.5",
        "--host": "http://198.18.0.50:8080",
        "--switchover-target": "/lab/target.toml",
        "--switchover-late": "0.5",
    }.items():
        assert words[words.index(option) + 1] == value
    assert PLUGIN.exists() and VISITORS.exists()


def test_the_complaint_of_an_error_with_a_traceback_is_its_exception(tmp_path: Path) -> None:
    log = tmp_path / "locust.log"
    error = (
        "[2026-01-01 12:00:00,000] me/CRITICAL/locust.runners: Unhandled exception in greenlet: <Greenlet at 0x7f>"
    )
    traceback = [
        "Traceback (most recent call last):",
        '  File "runners.py", line 305, in monitor_cpu_and_memory',
        "OSError: [Errno 24] Too many open files: '/proc/49/stat'",
    ]
    behind = ["[2026-01-01 12:00:00,100] client/INFO/locust.main: Shutting down (exit code 0)", "Type     Name"]
    log.write_text("\n".join([error, *traceback, *behind]), encoding="utf-8")
    assert last_complaint(log) == "OSError: [Errno 24] Too many open files: '/proc/49/stat'"
    log.write_text("\n".join([error, *behind]), encoding="utf-8")
    assert last_complaint(log) == "Unhandled exception in greenlet: <Greenlet at 0x7f>"


def test_visitors_of_a_real_target_ask_for_its_url_with_its_headers(tmp_path: Path) -> None:
    settings = ChosenLoad(users=10, spawn_rate=10.0)
    rows = rows_of_visitors(lambda target: LocustLoad(settings, target), tmp_path)
    assert {row["stream"] for row in rows if row["success"] == "true"} == {"fresh", "kept"}
    facts = read_load(tmp_path)
    assert facts is not None and facts.state == "ended"
    assert all(client["timeout_read_s"] == 2.0 for client in facts.settings["clients"].values())
