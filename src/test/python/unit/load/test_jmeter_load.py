"""JMeter as the load of a drill: started, waited for, ended, and what is said when it does not go well.

A script stands for Java with JMeter in it.
"""

import os
from pathlib import Path

import pytest

from support.fake_java import fake_jmeter, started
from switchover.load import jmeter
from switchover.load.jmeter import CONSOLE_FILE, LOG_FILE, JMeterLoad
from switchover.load.jmeter_plan import VISITORS
from switchover.load.load_process import ChosenLoad
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.rundir.load_facts import read_load
from switchover.target.model import Endpoint, Target

DEAF = "deaf = ('Shutdown', 'StopTestNow')"
URL = "http://198.18.0.50:8080/shop?x=1"
TARGET = Target(Endpoint(URL), source=Path("/lab/target.toml"))


def load_of(folder: Path, script: str = "", target: Target = TARGET, plan: Path | None = None) -> JMeterLoad:
    return JMeterLoad(fake_jmeter(folder, script), ChosenLoad(7, 50.0, plan, 0.5), target)


def test_it_is_there_once_its_users_are_and_ends_when_it_is_told(tmp_path: Path) -> None:
    load = load_of(tmp_path)
    assert load.stop() is None, "nothing to end yet"
    load.start(tmp_path, Clock.of_process())
    pid = load.pid
    assert pid is not None and os.getsid(pid) == pid
    assert (load.died, load.stop(), load.died) == (None, None, None)
    facts = read_load(tmp_path)
    assert facts is not None and (facts.state, facts.generator) == ("ended", "jmeter")
    assert "Creating summariser" in (tmp_path / CONSOLE_FILE).read_text()
    assert (tmp_path / LOG_FILE).read_text().endswith("Shutdown\n"), "users may finish what they are doing"
    assert load.stop() is None, "once is enough"


def test_jmeter_is_told_what_plans_and_the_plugin_ask_for(tmp_path: Path) -> None:
    load = load_of(tmp_path)
    load.start(tmp_path, Clock.of_process())
    load.stop()
    words, told, files = started(tmp_path)
    assert words[:7] == [
        "-Xmx1g",
        "-Djava.awt.headless=true",
        *("-jar", str(tmp_path / "home/bin/ApacheJMeter.jar")),
        *("-n", "-t", str(VISITORS)),
    ]
    assert words[7:9] == ["-j", str(tmp_path / LOG_FILE)]
    assert files == [] and not any("x=1" in word for word in words), "a query may hold a token"
    assert told.pop("jmeterengine.nongui.port") == told.pop("jmeterengine.nongui.maxport") != "0"
    assert told == {
        "switchover.target": "/lab/target.toml",
        "switchover.late": "0.5",
        "switchover.scheme": "http",
        "switchover.host": "198.18.0.50",
        "switchover.port": "8080",
        "switchover.users": "7",
        "switchover.users.kept": "6",
        "switchover.users.fresh": "1",
        "switchover.ramp": "0",
        "switchover.duration": "86400",
    }


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import nosuch_module", "JMeter ended with 1 (see jmeter.log)"),
        (
            "say('ERROR', 'Error in NonGUIDriver'); print('An error occurred: The file x is empty'); sys.exit(1)",
            "JMeter ended with 1: The file x is empty (see jmeter.log)",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", "JMeter was killed by signal 9"),
        ("sys.exit(0)", "JMeter ended with 0 (see jmeter.log)"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(tmp_path: Path, script: str, said: str) -> None:
    load = load_of(tmp_path, script)
    with pytest.raises(SwitchoverError) as refusal:
        load.start(tmp_path, Clock.of_process())
    assert "the load did not start" in str(refusal.value) and said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert load.stop() is None, "it was said already"


@pytest.mark.parametrize(
    ("script", "steps_in_vain", "said"),
    [
        ("deaf = ('Shutdown',)", 1, None),
        (DEAF, 2, "and was killed: its last"),
        ("code = 1", 0, "the load ended with an error: JMeter ended with 1"),
    ],
)
def test_one_that_does_not_end_when_it_is_told_is_ended_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, steps_in_vain: int, said: str | None
) -> None:
    for number, step in enumerate(("FINISH_TASK_S", "BREAK_OFF_S")):
        monkeypatch.setattr(jmeter, step, 0.5 if number < steps_in_vain else 60.0)
    load = load_of(tmp_path, script)
    load.start(tmp_path, Clock.of_process())
    pid = load.pid
    assert pid is not None
    problem = load.stop()
    assert problem is None if said is None else said in (problem or "")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
