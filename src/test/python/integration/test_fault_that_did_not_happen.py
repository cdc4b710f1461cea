"""A fault that did not happen, or was not undone, never ends in a pass: in `drill`, with Locust and with JMeter.

The faults are a real target's: commands of our own, in a file. Held elsewhere:
- both languages find the same words: statuses.json, verdicts.json;
- a fault of JMeter's whose time never came was not fired: DrillTest.java;
- Locust and `drill` refuse to start without `--arm`: test_options.py, test_bad_input.py;
- Locust refuses to start with a fault behind its `--run-time`: test_options.py;
- a run that is stopped in mid fault ends in exit code 2: test_lab_end.py;
- a default limit makes no run PASSED, and a service that is not back needs none to fail: test_status.py.
"""

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import tomli_w

from support.drilling import Drilled, drill, newest_run, report
from support.hand_made_pair import holds_the_address
from support.jmetering import command, output_of, started
from support.locusting import Locust
from support.waiting import wait_for
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

DRILL_JMX = Path(__file__).parents[4] / "testplans" / "jmeter" / "drill.jmx"
PLAN = """
import gevent
import switchover.locust
from locust import FastHttpUser, constant, task

class Shop(FastHttpUser):
    wait_time = constant(0.1)

    @task
    def home(self):
        self.client.get("/")
"""
ENDS_BY_ITSELF = """
        if self.environment.runner.stats.total.num_requests > 20:
            gevent.spawn(self.environment.runner.quit)
"""
UNTOUCHED = "the same process on lb1 answered all the time"
AT_ONCE = "-Jjmeterengine.force.system.exit=true"
Measure = Callable[[Lab, Path, Path], Drilled]


def with_fault(lab: Lab, folder: Path, name: str = "mine", **fault: list[str]) -> Path:
    """A copy of the lab's target file with a fault of our own: for us it is a real target."""
    values = tomllib.loads(lab.target_file.read_text(encoding="utf-8"))
    values["fault"] = {name: {"ready": ["true"], **fault}}
    path = folder / "target.toml"
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    return path


def that_touches_only_a_file(lab: Lab, folder: Path) -> Path:
    """Its own commands agree that it happened and was healed."""
    mark = str(folder / "mark")
    exists, gone = ["test", "-e", mark], ["test", "!", "-e", mark]
    return with_fault(
        lab, folder, "haproxy-kill", kill=["touch", mark], verify_down=exists, heal=["rm", mark], verify_healed=gone
    )


def that_is_healed_only_by_its_own_account(lab: Lab, folder: Path) -> Path:
    """HAProxy on lb1 is killed, and stays dead."""
    mark = str(folder / "mark")
    dead = lab.exec_argv("lb1", ["sh", "-c", "kill -9 $(pidof haproxy)"])
    return with_fault(
        lab,
        folder,
        "haproxy-kill",
        kill=["sh", "-c", 'touch "$0" && exec "$@"', mark, *dead],
        verify_down=["test", "-e", mark],
        heal=["rm", mark],
        verify_healed=["test", "!", "-e", mark],
    )


@pytest.fixture
def mended(lab: Lab) -> Iterator[Lab]:
    """The lab, whose HAProxy on lb1 is started again afterwards, and which lb1 leads again."""
    try:
        yield lab
    finally:
        lab.service("lb1", "haproxy", "start")
        wait_for(lambda: holds_the_address(lab, "lb1"), "lb1 to take the address back")


def by_locust(lab: Lab, folder: Path, target: Path, *options: str, plan: str = PLAN) -> Drilled:
    """A short test of Locust, with the fault after 3 s and the heal after 10 s if they are not in the options."""
    (folder / "my.py").write_text(plan, encoding="utf-8")
    times = ("--switchover-fault-at", "3s", "--switchover-heal-at", "10s")
    statuses = ("-f", "my.py", "--headless", "-u", "2", "-r", "2", "-t", "20s", "--switchover-target", str(target))
    fault = ("--switchover-fault", "haproxy-kill", "--switchover-arm", "--switchover-probe-rate", "50")
    running = Locust(folder, *statuses, *fault, *(options or times), through=lab.exec_argv("client", []))
    try:
        code = running.end()
    finally:
        running.kill()
    return left_behind(folder, code, running.said)


def by_jmeter(lab: Lab, folder: Path, target: Path, *options: str) -> Drilled:
    """The shipped plan, shortened; JMeter's own exit code says nothing, that of `switchover report` does."""
    times = {"settle": 1, "baseline": "2s", "hold": "7s", "duration": 20}
    properties = {"target": target, "users": 2, "rate": 20, "probe.rate": 50, "armed": "true", **times}
    settings = [f"-Jswitchover.{name}={value}" for name, value in properties.items()]
    statuses = command("-n", "-t", str(DRILL_JMX), "-l", "results.csv", AT_ONCE, *settings, *options, folder=folder)
    said = output_of(started(lab.exec_argv("client", statuses), folder))
    return left_behind(folder, report(newest_run(folder)).returncode, said)


def left_behind(folder: Path, code: int, said: str) -> Drilled:
    directory = newest_run(folder)
    verdict, run = (
        json.loads((directory / name).read_text(encoding="utf-8")) for name in ("verdict.json", "run.json")
    )
    return Drilled(code=code, verdict=verdict, run=run, directory=directory, said=said)


def by_drill(lab: Lab, folder: Path, target: Path, *options: str) -> Drilled:
    fault = ("--fault", "haproxy-kill", "--arm", "--probe-rate", "50", "--hold", "7s")
    return drill(lab, folder / "runs", *fault, *(options or ("--recover", "6s")), target=target)


TOOLS = pytest.mark.parametrize("measure", [by_drill, by_locust, by_jmeter])


def texts(done: Drilled) -> str:
    return " ".join(reason["text"] for reason in done.verdict["reasons"])


@TOOLS
def test_a_kill_that_only_its_own_commands_confirm_had_no_effect(lab: Lab, tmp_path: Path, measure: Measure) -> None:
    done = measure(lab, tmp_path, that_touches_only_a_file(lab, tmp_path))
    assert (done.code, done.verdict["verdict"]) == (2, "NO EFFECT")
    assert f"haproxy-kill was fired without effect: {UNTOUCHED}" in texts(done)


@TOOLS
def test_a_heal_that_only_its_own_commands_confirm_left_the_pair_broken(
    mended: Lab, tmp_path: Path, measure: Measure
) -> None:
    done = measure(mended, tmp_path, that_is_healed_only_by_its_own_account(mended, tmp_path))
    assert (done.code, done.verdict["verdict"]) == (2, "NOT HEALED")
    assert "haproxy-kill was healed, but" in texts(done)


@pytest.mark.parametrize(
    ("measure", "soon_over"),
    [
        (by_drill, ("--recover", "1s")),
        (by_locust, ("--switchover-fault-at", "3s")),
        (by_jmeter, ("-Jswitchover.hold=16s",)),
    ],
)
def test_a_heal_at_the_end_of_the_run_is_not_believed_either(
    mended: Lab, tmp_path: Path, measure: Callable[..., Drilled], soon_over: tuple[str, ...]
) -> None:
    done = measure(mended, tmp_path, that_is_healed_only_by_its_own_account(mended, tmp_path), *soon_over)
    assert (done.code, done.verdict["verdict"]) == (2, "NOT HEALED")
    assert "haproxy-kill was healed, but checks report: lb1 does not answer scrapes" in texts(done)


def test_a_fault_that_was_not_due_when_locusts_test_ended_was_not_fired(lab: Lab, tmp_path: Path) -> None:
    late, plan = ("--switchover-fault-at", "15s"), PLAN.rstrip("\n") + ENDS_BY_ITSELF
    done = by_locust(lab, tmp_path, that_touches_only_a_file(lab, tmp_path), *late, plan=plan)
    assert (done.code, done.verdict["verdict"]) == (2, "NOT FIRED")
    assert "haproxy-kill was planned, but was not fired" in texts(done)


def test_a_fault_that_jmeter_was_not_armed_for_was_not_fired(lab: Lab, tmp_path: Path) -> None:
    done = by_jmeter(lab, tmp_path, that_touches_only_a_file(lab, tmp_path), "-Jswitchover.armed=false")
    assert (done.code, done.verdict["verdict"]) == (2, "NOT FIRED")
    assert "haproxy-kill is not armed" in texts(done)


def test_a_typo_in_an_exec_fault_is_not_done(lab: Lab, tmp_path: Path) -> None:
    target = with_fault(lab, tmp_path, kill=["systemctll", "kill", "haproxy"], verify_down=["false"], heal=["true"])
    done = drill(lab, tmp_path / "runs", "--fault", "mine", "--arm", target=target)
    assert done.code == 2
    assert done.verdict["verdict"] == "NOT FIRED"
    assert "systemctll" in texts(done)


@pytest.mark.core
def test_a_kill_that_hits_nothing_is_not_done(lab: Lab, tmp_path: Path) -> None:
    target = with_fault(lab, tmp_path, kill=["true"], verify_down=["false"], heal=["true"])
    done = drill(lab, tmp_path / "runs", "--fault", "mine", "--arm", target=target)
    assert done.code == 2
    assert "not confirmed" in " ".join(reason["text"] for reason in done.verdict["reasons"])


def test_a_balancer_that_its_supervisor_restarts_is_measured(tmp_path: Path) -> None:
    with Lab(LabSpec(supervised=True)) as supervised:
        done = drill(supervised, tmp_path, "--fault", "haproxy-kill")
    assert "not_confirmed" not in [reason["code"] for reason in done.verdict["reasons"]]
    assert "its supervisor restarted it within" in done.verdict["warnings"][0]
