"""JMeter as the load of a drill: started, waited for, ended, and what is said when it does not go well.

A script stands for Java with JMeter in it.
"""

import os
import time
from pathlib import Path

import pytest

from support.fake_java import fake_jmeter, started
from support.owner import load_of_a_killed_owner
from support.remains import lives
from support.waiting import wait_for
from switchover.load import jmeter
from switchover.load.jmeter import CONSOLE_FILE, LOG_FILE, JMeterLoad, fresh_visitors, java_arguments
from switchover.load.jmeter_plan import VISITORS
from switchover.load.load_process import ChosenLoad
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError, UsageError
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


def test_users_still_come_after_the_first_has_asked(tmp_path: Path) -> None:
    load = JMeterLoad(fake_jmeter(tmp_path), ChosenLoad(users=2, spawn_rate=2.0), TARGET)
    before = time.monotonic()
    load.start(tmp_path, Clock.of_process())
    assert time.monotonic() - before >= 1.0
    assert load.stop() is None


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
    assert files == ["switchover.page=\\u002fshop\\u003fx\\u003d1\n"], "a query may hold a token"
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


def test_in_the_lab_visitors_see_several_pages(tmp_path: Path) -> None:
    load = load_of(tmp_path, target=Target(Endpoint(URL), source=Path("t"), lab=tmp_path))
    load.start(tmp_path, Clock.of_process())
    load.stop()
    assert "switchover.page" not in started(tmp_path)[1]


def test_the_targets_headers_are_on_no_command_line_and_in_no_file_of_the_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    endpoint = Endpoint(URL, headers={"X-Key": "se cret"}, host_header="shop.test")
    load = load_of(tmp_path, target=Target(endpoint, source=Path("t")))
    load.start(run, Clock.of_process())
    load.stop()
    words, _, (file,) = started(run)
    assert "switchover.header.0=se\\u0020cret" in file
    (run / "started.json").unlink()
    assert not Path(words[words.index("-q") + 1]).exists()
    assert words[words.index("-t") + 1] == str(run / "visitors.jmx")
    assert not any("cret" in text for text in [*words, *(path.read_text() for path in run.iterdir())])


def test_a_plan_of_the_users_own_is_given_as_it_is(tmp_path: Path) -> None:
    endpoint = Endpoint(URL, headers={"X-Key": "secret"})
    load = load_of(tmp_path, target=Target(endpoint, source=Path("t")), plan=Path("my/plan.jmx"))
    load.start(tmp_path, Clock.of_process())
    load.stop()
    words, _, files = started(tmp_path)
    assert words[words.index("-t") + 1] == "my/plan.jmx" and "header" not in "".join(files)


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


def test_a_java_that_cannot_be_started_is_one_line(tmp_path: Path) -> None:
    load = load_of(tmp_path)
    (tmp_path / "java").unlink()
    with pytest.raises(SwitchoverError, match=r"cannot start JMeter .*No such file"):
        load.start(tmp_path, Clock.of_process())


def test_users_that_never_come_are_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jmeter, "START_S", 0.2)
    monkeypatch.setattr(jmeter, "FINISH_TASK_S", 0.2)
    monkeypatch.setattr(jmeter, "BREAK_OFF_S", 0.2)
    load = load_of(tmp_path, "time.sleep(60)")
    with pytest.raises(SwitchoverError, match="not all users were there within 0 s"):
        load.start(tmp_path, Clock.of_process())
    assert load.pid is None


def test_a_load_that_ends_by_itself_says_so(tmp_path: Path) -> None:
    script = "tell('running')\nwhile not os.path.exists(directory + '/seen'): time.sleep(0.01)\n"
    load = load_of(tmp_path, f"{script}say('ERROR', 'out of memory'); sys.exit(3)")
    load.start(tmp_path, Clock.of_process())
    (tmp_path / "seen").touch()
    wait_for(lambda: load.died is not None)
    assert load.died == "the load ended by itself: JMeter ended with 3: out of memory (see jmeter.log)"
    assert load.stop() == "the load ended by itself: JMeter ended with 3: out of memory (see jmeter.log)"


@pytest.mark.parametrize(
    ("script", "steps_in_vain", "said"),
    [
        ("deaf = ('Shutdown',)", 1, None),
        (DEAF, 2, "and was terminated (see jmeter.log)"),
        (f"{DEAF}; signal.signal(signal.SIGTERM, signal.SIG_IGN)", 3, "and was killed: its last"),
        ("code = 1", 0, "the load did not end well: JMeter ended with 1"),
    ],
)
def test_one_that_does_not_end_when_it_is_told_is_ended_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, steps_in_vain: int, said: str | None
) -> None:
    for number, step in enumerate(("FINISH_TASK_S", "BREAK_OFF_S", "TERMINATE_S")):
        monkeypatch.setattr(jmeter, step, 0.5 if number < steps_in_vain else 60.0)
    load = load_of(tmp_path, script)
    load.start(tmp_path, Clock.of_process())
    pid = load.pid
    assert pid is not None
    problem = load.stop()
    assert problem is None if said is None else said in (problem or "")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


OWNER = """
from unit.load.test_jmeter_load import load_of
load = load_of(directory, "signal.signal(signal.SIGTERM, signal.SIG_IGN)")
"""


def test_it_does_not_outlive_a_drill_that_was_killed(tmp_path: Path) -> None:
    pid = load_of_a_killed_owner(OWNER, tmp_path)
    wait_for(lambda: not lives(pid))


def test_java_hears_the_variables_of_jmeters_own_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEAP", "-Xms64m -Xmx64m")
    monkeypatch.setenv("JVM_ARGS", "-Da='b c'")
    assert java_arguments() == ["-Xms64m", "-Xmx64m", "-Da=b c"]
    monkeypatch.setenv("JVM_ARGS", "'")
    with pytest.raises(UsageError, match="the environment's JVM_ARGS is no list of words"):
        java_arguments()


def test_one_visitor_of_five_opens_a_connection_for_every_visit() -> None:
    for users, fresh in ((1, 0), (2, 0), (5, 1), (50, 10), (52, 10)):
        assert fresh_visitors(users) == fresh
