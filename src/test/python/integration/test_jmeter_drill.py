"""JMeter and a real pair: the run directory that its plugin leaves is read by everything that reads one."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.drilling import assert_word
from support.jmetering import OLDER_VERSIONS, VERSION, bean, jar_of
from switchover.evidence.machine import machine_seconds
from switchover.lab.lab import Lab
from switchover.report.make_report import make_report
from switchover.rundir.journal import read_journal

pytestmark = pytest.mark.integration

LIMIT_S = 180

PLAN = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
  <hashTree>
    <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="drill"/>
    <hashTree>
      {target}
      {kill}
      {wait}
    </hashTree>
  </hashTree>
</jmeterTestPlan>
"""
GROUP = """
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="{name}">
  <intProp name="ThreadGroup.num_threads">{threads}</intProp>
  <intProp name="ThreadGroup.ramp_time">0</intProp>
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController" guiclass="LoopControlPanel"
      testclass="LoopController">
    <stringProp name="LoopController.loops">{loops}</stringProp>
    <boolProp name="LoopController.continue_forever">false</boolProp>
  </elementProp>
</ThreadGroup>
<hashTree>{samplers}</hashTree>
"""
PAUSE = """
<TestAction guiclass="TestActionGui" testclass="TestAction" testname="pause">
  <intProp name="ActionProcessor.action">1</intProp>
  <intProp name="ActionProcessor.target">0</intProp>
  <stringProp name="ActionProcessor.duration">{ms}</stringProp>
</TestAction>
<hashTree/>
"""


def group(samplers: str, threads: int = 1, loops: int = 1) -> str:
    return GROUP.format(name=f"{threads} users", threads=threads, loops=loops, samplers=samplers)


def plan(**fields: str) -> str:
    usual = {"targetFile": "${__P(switchover.target,)}", "probeRate": "500"}
    target = bean("BalancerTarget", **(usual | fields))
    scrapes = bean("HaproxyStats", node="lb1") + bean("NginxStatus", node="lb1")
    kill = bean("MasterKill", fault="haproxy-kill", action="fireAndHeal", delay="3s", hold="6s")
    killers = "" if "fault" in fields else group(kill, threads=2, loops=3)
    return PLAN.format(target=target, kill=group(scrapes) + killers, wait=group(PAUSE.format(ms=15_000)))


def run_jmeter(lab: Lab, folder: Path, text: str, version: str = VERSION) -> subprocess.CompletedProcess[str]:
    (folder / "plan.jmx").write_text(text, encoding="utf-8")
    command = ["java", "-Xmx256m", "-jar", str(jar_of(version)), "-n", "-t", "plan.jmx", "-l", "result.jtl"]
    command += ["-j", "jmeter.log", f"-Jswitchover.target={lab.target_file}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHOVER_")}
    return subprocess.run(
        lab.exec_argv("client", command),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def only_run(folder: Path) -> Path:
    (directory,) = (folder / "runs").iterdir()
    return directory


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    "by",
    [pytest.param("master kill", marks=pytest.mark.long), pytest.param("balancer target", marks=pytest.mark.core)],
)
def test_a_run_of_jmeter_is_one_of_ours(lab: Lab, tmp_path: Path, by: str) -> None:
    timed = {"fault": "haproxy-kill", "faultAt": "3s", "healAt": "9s"} if by == "balancer target" else {}
    done = run_jmeter(lab, tmp_path, plan(**timed))
    log = (tmp_path / "jmeter.log").read_text(encoding="utf-8")
    assert "at io.github.switchover" not in log, log
    directory = only_run(tmp_path)
    assert f"Report: switchover report {directory}" in done.stdout

    here = read(directory / "verdict.json")
    verdict = make_report(directory)
    assert_word(read(directory / "verdict.json"), "PASSED", "MEASURED")
    assert (
        verdict.events.outage is not None
        and round(verdict.events.outage.duration_us / 1000, 3) == here["outage"]["high_ms"]
    )
    assert verdict.run.fault is not None and verdict.run.fault.victim == verdict.run.fault.master
    assert all(one.outage.recovered for one in verdict.events.watched) or not here["valid"]
    assert verdict.events.timeline
    prediction = verdict.figures.prediction
    assert prediction is not None and (prediction.inside is not False or not here["valid"])
    assert verdict.figures.split_brain is not None
    assert verdict.figures.accounting is not None and verdict.figures.accounting.unaccounted == 0
    assert {line.said_by for line in verdict.figures.accounting.lines} >= {"HAProxy's counters"}
    assert all(log["lines"] > 0 for log in read(directory / "run.json")["access_logs"].values())
    seconds = machine_seconds(read_journal([directory / "journal.lp"]))
    assert len(seconds) >= 8 and any(second.waited_ms is not None for second in seconds)

    results = (tmp_path / "result.jtl").read_text(encoding="utf-8").splitlines()
    assert sum("MasterKill" in line for line in results) == (0 if timed else 1)
    assert any("HaproxyStats" in line and ",true," in line for line in results)
    assert any("NginxStatus" in line and "has no nginx" in line for line in results)


@pytest.mark.parametrize("version", OLDER_VERSIONS)
def test_an_older_jmeter_drills_too(lab: Lab, tmp_path: Path, version: str) -> None:
    done = run_jmeter(lab, tmp_path, plan(fault="haproxy-kill", faultAt="3s", healAt="9s"), version)
    log = (tmp_path / "jmeter.log").read_text(encoding="utf-8")
    assert f"Version {version}" in log
    assert "at io.github.switchover" not in log, log
    directory = only_run(tmp_path)
    assert f"Report: switchover report {directory}" in done.stdout
    verdict = make_report(directory)
    assert_word(read(directory / "verdict.json"), "PASSED", "MEASURED")
    assert verdict.events.outage is not None and verdict.events.outage.duration_us > 0
    assert verdict.run.plan.healed_us is not None and all(one.outage.recovered for one in verdict.events.watched)
