"""Ten reloads of a real HAProxy under a load of long requests, by Locust and by JMeter: each change is told apart.

Old processes end after a second, so every download of three seconds that crosses a reload is cut.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.damage import figures_of_jar
from support.drilling import DRILL_TIMEOUT_S
from support.jmetering import HOME
from switchover.lab.addresses import VIP
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.report.make_report import make_report

TIMES = 10
USERS = 8
FIRST = "4500ms"
"""Half-way through each user's second download. After 3 s, where each one's first ends, a reload may find any number
of them between two requests; those that it cuts a second later begin together, and the next reload finds them all."""
SLOW = "/connections/download?s=3"
LOCUSTFILE = f"""
import switchover.locust
from locust import HttpUser, constant, task

class Reader(HttpUser):
    wait_time = constant(0)

    @task
    def slow(self):
        self.client.get("{SLOW}", name="slow")
"""
PLAN = f"""<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
<hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="reloads"/>
<hashTree>
<io.github.switchover.jmeter.element.SwitchoverListener guiclass="TestBeanGUI"
    testclass="io.github.switchover.jmeter.element.SwitchoverListener" testname="listener"/>
<hashTree/>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="users">
  <intProp name="ThreadGroup.num_threads">{USERS}</intProp>
  <intProp name="ThreadGroup.ramp_time">0</intProp>
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController" guiclass="LoopControlPanel"
      testclass="LoopController">
    <stringProp name="LoopController.loops">-1</stringProp>
    <boolProp name="LoopController.continue_forever">false</boolProp>
  </elementProp>
</ThreadGroup>
<hashTree>
<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="slow">
  <elementProp name="HTTPsampler.Arguments" elementType="Arguments" guiclass="HTTPArgumentsPanel"
      testclass="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
  <stringProp name="HTTPSampler.domain">{VIP}</stringProp>
  <stringProp name="HTTPSampler.path">{SLOW}</stringProp>
  <stringProp name="HTTPSampler.method">GET</stringProp>
  <boolProp name="HTTPSampler.use_keepalive">true</boolProp>
</HTTPSamplerProxy>
<hashTree/>
</hashTree>
</hashTree>
</hashTree>
</jmeterTestPlan>
"""


@pytest.fixture(scope="module")
def cutting_lab() -> Iterator[Lab]:
    with Lab(LabSpec(connections=True, hard_stop_after_s=1.0)) as running:
        yield running


def samples_of(directory: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The verdict's changes, and their row of samples; as `switchover report` tells them."""
    make_report(directory)
    changes = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))["changes"]
    (row,) = [kind for kind in changes["kinds"] if kind["kind"] == "samples"]
    return changes, row


def assert_each_change_is_told(changes: dict[str, Any], row: dict[str, Any]) -> None:
    """Of the requests that were under way at a reload those are lost that had more than a second to go."""
    assert changes["made"] == TIMES
    felt = [change["felt"]["samples"] for change in changes["by_change"]]
    assert all(1 <= one["exposed"] <= USERS for one in felt)
    assert row["lossy"] == sum(one["lost"] > 0 for one in felt) >= TIMES - 2
    assert row["lost"] == sum(one["lost"] for one in felt) >= TIMES
    assert row["lost_elsewhere"] == 0


def changed(lab: Lab, folder: Path, **options: str) -> tuple[int, Path]:
    """The exit code and the run directory of ten reloads beside a load, in the lab's client."""
    chosen = {
        "target": str(lab.target_file),
        "times": str(TIMES),
        "every": "2500ms",
        "baseline": FIRST,
        "probe-rate": "100",
        "connections": "pooled=4,download=4",
        "limit": "lost=0",
        "out": str(folder / "runs"),
        **options,
    }
    typed = [f"--{name.replace('_', '-')}={value}" for name, value in chosen.items()]
    statuses = [sys.executable, "-m", "switchover", "change", "haproxy-reload", *typed]
    command = lab.exec_argv("client", statuses)
    done = subprocess.run(command, capture_output=True, text=True, timeout=DRILL_TIMEOUT_S, check=False)
    (directory,) = (folder / "runs").iterdir()
    return done.returncode, directory


def test_locust_is_told_which_requests_each_reload_cost(cutting_lab: Lab, tmp_path: Path) -> None:
    plan = tmp_path / "my.py"
    plan.write_text(LOCUSTFILE, encoding="utf-8")
    code, directory = changed(cutting_lab, tmp_path, plan=str(plan), users=str(USERS), spawn_rate=str(USERS))
    changes, row = samples_of(directory)
    assert code == 1
    assert_each_change_is_told(changes, row)
    assert {"pooled", "download", "samples"} == {kind["kind"] for kind in changes["kinds"]}


def test_jmeter_is_told_which_requests_each_reload_cost(cutting_lab: Lab, tmp_path: Path) -> None:
    plan = tmp_path / "my.jmx"
    plan.write_text(PLAN, encoding="utf-8")
    code, directory = changed(cutting_lab, tmp_path, generator="jmeter", jmeter_home=str(HOME), plan=str(plan))
    assert code == 1
    changes, row = samples_of(directory)
    assert_each_change_is_told(changes, row)
    jar = figures_of_jar(next(HOME.glob("lib/ext/jmeter-switchover-*.jar")), directory)
    assert (jar["verdict"], next(reason["code"] for reason in jar["reasons"])) == ("INCONCLUSIVE", "needs_report")
