"""The test plans that come along, in JMeter's own process against a real pair: short, but otherwise as documented."""

import contextlib
import csv
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.drilling import assert_word
from support.jmetering import LOCALLY, OLDER_VERSIONS, VERSION, LoadLeft, command, end, only_run, output_of, started
from support.journals import read_journal
from support.ports import free_port
from switchover.evidence.machine import machine_seconds
from switchover.lab.lab import Lab
from switchover.report.make_report import make_report
from switchover.verdict.judge import Verdict

COLUMNS = "-Jsample_variables=backend,balancer,answered_by"
PLANS = Path(__file__).parents[4] / "testplans" / "jmeter"
AT_ONCE = "-Jjmeterengine.force.system.exit=true"
SERVER_WITHIN_S = 60.0


def start(lab: Lab, folder: Path, *arguments: str, version: str = VERSION) -> "subprocess.Popen[str]":
    return started(lab.exec_argv("client", command(*arguments, folder=folder, version=version)), folder)


def run_plan(lab: Lab, folder: Path, name: str, *arguments: str, version: str = VERSION, **properties: object) -> str:
    settings = [f"-Jswitchover.{key.replace('_', '.')}={value}" for key, value in properties.items()]
    plan = ("-n", "-t", str(PLANS / name), "-l", "results.csv", COLUMNS, f"-Jswitchover.target={lab.target_file}")
    return output_of(start(lab, folder, *plan, *settings, *arguments, version=version))


def results(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def judged(left: LoadLeft) -> Verdict:
    """By the whole of the analysis, once JMeter has said what it can."""
    assert (left.directory / "verdict.json").is_file()
    verdict = make_report(left.directory)
    assert_word(json.loads((left.directory / "verdict.json").read_text(encoding="utf-8")), "PASSED", "MEASURED")
    accounting = verdict.figures.accounting
    assert accounting is not None and accounting.unaccounted == 0, accounting
    return verdict


def adds_up(left: LoadLeft) -> None:
    told = sum(worker["samples"] for worker in left.load["workers"])
    assert len(left.samples) == left.counted == told > 0
    assert left.load["state"] == "ended"


def fired_once_and_healed(left: LoadLeft, verdict: Verdict) -> None:
    events = [
        point for point in read_journal([left.directory / "journal.lp"]) if point.measurement == "switchover_event"
    ]
    assert [event.tags["kind"] for event in events].count("fault") == 1
    assert verdict.events.run.fault is not None and verdict.events.run.fault.victim == verdict.events.run.fault.master
    assert verdict.events.run.plan.healed_us is not None
    assert verdict.events.outage is not None and verdict.events.outage.duration_us > 0


def test_shop(lab: Lab, tmp_path: Path) -> None:
    output = run_plan(lab, tmp_path, "shop.jmx", users=8, ramp=1, duration=6)
    left = only_run(tmp_path / "runs")
    assert f"Report: switchover report {left.directory}" in output
    adds_up(left)
    judged(left)
    assert {sample.label for sample in left.samples} == {"home", "search", "product", "cart", "checkout"}
    assert {sample.identity.backend for sample in left.samples} == {"web1", "web2", "web3"}
    rows = results(tmp_path)
    assert len(rows) == len(left.samples)
    assert all(row["success"] == "true" and row["answered_by"] == "backend" for row in rows)
    assert len({row["balancer"] for row in rows}) == 1
    assert not any("waits without a time-out" in warning for warning in left.load["warnings"])


@pytest.mark.parametrize("version", [pytest.param(VERSION, marks=pytest.mark.core), *OLDER_VERSIONS])
def test_drill(lab: Lab, tmp_path: Path, version: str) -> None:
    short = {"settle": 2, "duration": 18, "baseline": "3s", "hold": "5s", "users": 4, "rate": 20, "probe_rate": 200}
    output = run_plan(lab, tmp_path, "drill.jmx", AT_ONCE, version=version, **short)
    log = (tmp_path / "jmeter.log").read_text(encoding="utf-8")
    assert f"Version {version}" in log and "at io.github.switchover" not in log, log
    left = only_run(tmp_path / "runs")
    assert f"Report: switchover report {left.directory}" in output
    adds_up(left)
    verdict = judged(left)
    fired_once_and_healed(left, verdict)
    here = json.loads((left.directory / "verdict.json").read_text(encoding="utf-8"))
    assert verdict.events.outage is not None
    assert round(verdict.events.outage.duration_us / 1000, 3) == here["outage"]["high_ms"]
    prediction = verdict.figures.prediction
    assert prediction is not None and (prediction.inside is not False or not here["valid"])
    assert verdict.figures.split_brain is not None
    seconds = machine_seconds(read_journal([left.directory / "journal.lp"]))
    assert len(seconds) >= 8 and any(second.waited_ms is not None for second in seconds)
    rows = results(tmp_path)
    (kill,) = [row for row in rows if row["label"] == "Master Kill"]
    assert kill["success"] == "true" and "healed haproxy-kill" in kill["responseMessage"]
    assert len(left.samples) == len(rows) - 1
    labels = {sample.label for sample in left.samples}
    assert labels == {"one probe", "product, kept connection", "home, fresh connection"}
    assert {sample.identity.balancer for sample in left.samples if sample.success} == {"lb1", "lb2"}


def test_telemetry(lab: Lab, tmp_path: Path) -> None:
    run_plan(lab, tmp_path, "telemetry.jmx", duration=4, every=300)
    (directory,) = (tmp_path / "runs").iterdir()
    rows = results(tmp_path)
    assert {row["label"] for row in rows} == {"HAProxy of lb1", "HAProxy of lb2"}
    assert [row["failureMessage"] for row in rows if row["success"] != "true"] == []
    points = [p for p in read_journal([directory / "journal.lp"]) if p.measurement == "switchover_haproxy"]
    assert {point.tags["node"] for point in points} == {"lb1", "lb2"}
    assert make_report(directory).record.reasons == []


@contextlib.contextmanager
def server(lab: Lab, folder: Path) -> Iterator[str]:
    """One of JMeter's servers on the lab's client."""
    folder.mkdir()
    port = free_port()
    process = start(lab, folder, "-s", f"-Jserver_port={port}", f"-Jserver.rmi.localport={free_port()}", *LOCALLY)
    log = folder / "jmeter.log"
    try:
        until = time.monotonic() + SERVER_WITHIN_S
        while not (log.exists() and "Bound to RMI registry" in log.read_text()) and process.poll() is None:
            assert time.monotonic() < until, "JMeter's server did not start"
            time.sleep(0.05)
        yield f"127.0.0.1:{port}"
    finally:
        end(process)


def test_remote(lab: Lab, tmp_path: Path) -> None:
    times: dict[str, Any] = {"fault_at": "4s", "heal_at": "10s", "probe_rate": 200}
    load = ("-Gswitchover.users=3", "-Gswitchover.ramp=0", "-Gswitchover.duration=18")
    with server(lab, tmp_path / "one") as one, server(lab, tmp_path / "two") as two:
        run_plan(lab, tmp_path, "remote.jmx", "-R", f"{one},{two}", *LOCALLY, *load, **times)
    left = only_run(tmp_path / "runs")
    adds_up(left)
    assert {worker["worker"] for worker in left.load["workers"]} == {one, two}
    fired_once_and_healed(left, judged(left))
    rows = results(tmp_path)
    assert len(rows) == len(left.samples)
    assert {row["balancer"] for row in rows if row["success"] == "true"} == {"lb1", "lb2"}
