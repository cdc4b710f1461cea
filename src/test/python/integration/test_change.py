"""`switchover change` in the lab: reloads of real balancers, felt by every kind of connection and by a load."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.damage import figures_of_jar
from support.drilling import DRILL_TIMEOUT_S, assert_word, newest_run
from support.jmetering import HOME
from switchover.lab.addresses import VIP
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.model.held_kind import HeldKind
from switchover.report.make_report import make_report

TIMEOUT_S = 300


def make_changes(out: Path, *statuses: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the verdict and what was printed."""
    command = [sys.executable, "-m", "switchover", "change", *statuses, "--out", str(out), "--baseline", "2s"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    verdict = json.loads((newest_run(out) / "verdict.json").read_text())
    return done.returncode, verdict, done.stdout


def by_kind(verdict: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {kind["kind"]: kind for kind in verdict["changes"]["kinds"]}


def test_idle_close_on_response_makes_reloads_of_haproxy_hitless(tmp_path: Path) -> None:
    options = ("--idle-close-on-response", "--times", "3", "--every", "3s", "--limit", "lost=0")
    code, verdict, said = make_changes(tmp_path, "haproxy-reload", *options)
    assert (code, verdict["verdict"], verdict["changes"]["lost"]) == (0, "PASSED", 0), verdict["reasons"]
    assert by_kind(verdict).keys() == set(HeldKind)
    assert verdict["changes"]["made"] == 3
    assert verdict["accounting"]["unaccounted"] == 0
    assert max(len(line) for line in said.splitlines() if not line.startswith("  Report ")) <= 80


@pytest.mark.core
def test_hard_stop_after_cuts_every_download_and_each_loss_is_told(tmp_path: Path) -> None:
    options = ("--hard-stop-after", "1s", "--times", "1", "--connections", "download=5,websocket=5,tcp=5")
    code, verdict, _ = make_changes(tmp_path, "haproxy-reload", *options, "--limit", "lost=0")
    assert_word(verdict, "FAILED")
    assert code == verdict["exit_code"]
    assert {kind: found["lost"] for kind, found in by_kind(verdict).items()} == dict.fromkeys(
        ("download", "websocket", "tcp"), 5
    )
    loss = verdict["changes"]["losses"][0]
    assert loss["change"] == 1 and loss["ended_by"] in ("fin", "rst") and loss["after_change_ms"] > 900


def test_reloads_of_nginx_have_other_workers_and_every_answer_is_explained(tmp_path: Path) -> None:
    options = ("--balancer", "nginx", "--times", "2", "--every", "3s")
    _, verdict, _ = make_changes(tmp_path, "nginx-reload", *options)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert found["download"]["lost"] == found["websocket"]["lost"] == found["tcp"]["lost"] == 0
    assert verdict["accounting"]["unaccounted"] == 0


@pytest.mark.parametrize(
    ("balancer", "change", "closed"),
    [("caddy", "caddy-reload", 10), ("traefik", "traefik-swap", 0), ("envoy", "envoy-listener", 0)],
)
def test_caddy_closes_websockets_traefik_and_envoy_close_nothing_that_lasts(
    balancer: str, change: str, closed: int, tmp_path: Path
) -> None:
    counts = ("--connections", "pooled=2,download=5,upload=5,sse=5,websocket=10,h2=2")
    options = ("--balancer", balancer, "--times", "1", "--every", "3s", "--probe-rate", "150")
    _, verdict, _ = make_changes(tmp_path, change, *options, *counts)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert {one["lost"] for kind, one in found.items() if kind != HeldKind.POOLED} == {0}
    assert [found[kind]["closed_politely"] for kind in (HeldKind.WEBSOCKET, HeldKind.SSE)] == [closed, 0]
    assert verdict["accounting"]["unaccounted"] == 0
    answered = verdict["distribution"]["by_phase"]["baseline"]
    assert {"web1", "web2", "web3"} <= {name for counts in answered.values() for name in counts}


def test_the_retrying_client_of_a_series_of_changes_counts_its_attempts(tmp_path: Path) -> None:
    options = ("--times", "2", "--every", "3s", "--probe-rate", "100")
    kinds = ("--connections", "pooled=10", "--retrying-client")
    _, verdict, _ = make_changes(tmp_path, "haproxy-reload", *options, *kinds)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    (retrying_client,) = verdict["changes"]["retrying_clients"]
    assert (
        retrying_client["client"] == "urllib3" and retrying_client["attempts"] >= retrying_client["requests"] > 0
    ), json.dumps(retrying_client)
    assert verdict["accounting"]["unaccounted"] == 0


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    code, verdict, _ = make_changes(tmp_path, "haproxy-reload", "--dry-run", "--connections", "pooled=2")
    assert (code, verdict["verdict"]) == (0, "DRY RUN")
    assert "changes" not in verdict


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
def test_a_renewed_certificate_is_shown_to_new_connections_and_cuts_nothing(balancer: str, tmp_path: Path) -> None:
    options = ("--mode", "https", "--balancer", balancer, "--times", "1", "--every", "8s", "--probe-rate", "50")
    kinds = ("--connections", "pooled=5,download=5,websocket=5")
    _, verdict, _ = make_changes(tmp_path, "certificate-swap", *options, *kinds)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert found["download"]["lost"] == found["websocket"]["lost"] == 0
    assert verdict["changes"]["made"] == 1 and verdict["changes"]["by_change"][0]["settled_us"] is not None


@pytest.mark.parametrize("options", [("--idle-close-on-response",), ("--balancer", "nginx")])
def test_another_backend_takes_the_place_of_the_first_and_gives_it_back(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    times = ("--times", "2", "--every", "6s", "--probe-rate", "100")
    kinds = ("--connections", "pooled=5,download=5,websocket=5")
    _, verdict, _ = make_changes(tmp_path, "backend-swap", *options, *times, *kinds)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert found["download"]["lost"] == found["websocket"]["lost"] == 0
    assert verdict["changes"]["made"] == 2 and verdict["accounting"]["unaccounted"] == 0
    answered = verdict["distribution"]["by_phase"]["baseline"]
    assert {"web1", "web1-next", "web2", "web3"} <= {name for counts in answered.values() for name in counts}


def test_a_planned_move_costs_what_is_open_and_comes_back(tmp_path: Path) -> None:
    options = ("--times", "1", "--every", "12s", "--connections", "pooled=5,websocket=5")
    _, verdict, _ = make_changes(tmp_path, "priority-move", *options)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    assert by_kind(verdict)["websocket"]["lost"] >= 5, "no balancer knows the connections of another"


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
    """A reload loses the requests under way that had more than a second to go."""
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
