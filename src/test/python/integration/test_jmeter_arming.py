"""A JMeter without a window: what arms its fault, and that it heals however the drill is ended."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.jmetering import (
    PATIENCE_S,
    PROBED,
    LoadLeft,
    Shop,
    bean,
    end,
    java,
    only_run,
    output_of,
    run,
    shop,
    write_plan,
)
from support.ports import free_port
from support.remains import marked
from support.waiting import wait_for
from switchover.report.make_report import make_report

pytestmark = pytest.mark.beside

ARMED_WORD = "switchover.armed=true"
PAIR_TARGET = """
[target]
url = "http://127.0.0.1:{port}{path}"
[[node]]
name = "lb1"
role = "balancer"
host = "lb1-{port}.invalid"
machine_id = ["echo", "lb1-{port}"]
[[node]]
name = "lb2"
role = "balancer"
host = "lb2-{port}.invalid"
machine_id = ["echo", "lb2-{port}"]
[fault.touch]
ready = ["test", "{{backup}}", "=", "lb2"]
kill = ["touch", "{place}/down"]
heal = ["rm", "-f", "{place}/down"]
verify_down = ["test", "-e", "{place}/down"]
verify_healed = ["test", "!", "-e", "{place}/down"]
"""


@dataclass
class RealPair:
    """A target that is no lab, and a plan that is to fire at it after a second."""

    folder: Path
    port: int

    def plan(self, name: str = "plan", loops: int = 100, **fields: str) -> Path:
        target = bean(
            "BalancerTarget",
            targetFile=f"{self.folder}/target.toml",
            out=f"{self.folder}/runs",
            probeRate="50",
            fault="touch",
            faultAt="1s",
            healAt="2s",
            **fields,
        )
        path = self.folder / f"{name}.jmx"
        return write_plan(path, self.port, threads=2, loops=loops, think_ms=40, more=target)

    def runs(self) -> list[dict[str, Any]]:
        found = sorted(self.folder.glob("runs/*/run.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in found]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[RealPair]:
    with shop() as server:
        text = PAIR_TARGET.format(port=server.port, path=PROBED, place=tmp_path)
        (tmp_path / "target.toml").write_text(text, encoding="utf-8")
        yield RealPair(tmp_path, server.port)


@pytest.mark.core
def test_the_word_on_the_command_line_arms(pair: RealPair) -> None:
    said = run("-n", "-t", str(pair.plan()), f"-J{ARMED_WORD}", folder=pair.folder)
    (found,) = pair.runs()
    assert found["plan"]["healed_us"] is not None, said
    assert found["settings"]["armed"] is True
    assert "Switchover: touch on lb1: fired" in said


@pytest.mark.core
def test_the_same_word_in_a_file_does_not(pair: RealPair) -> None:
    (pair.folder / "more.properties").write_text(f"{ARMED_WORD}\n", encoding="utf-8")
    said = run("-n", "-t", str(pair.plan()), "-q", f"{pair.folder}/more.properties", folder=pair.folder)
    assert_refused(
        pair, said, f"a true in a file or set by a plan arms nothing: add -J{ARMED_WORD} to the command line"
    )


def test_a_true_that_is_saved_in_the_plan_does_not(pair: RealPair) -> None:
    said = run("-n", "-t", str(pair.plan(armed="true")), folder=pair.folder)
    assert_refused(pair, said, f"for real; add -J{ARMED_WORD} to confirm it")


def assert_refused(pair: RealPair, said: str, why: str) -> None:
    assert f"the test is stopped: touch is not armed: it would act on http://127.0.0.1:{pair.port}" in said
    assert why in said
    assert pair.runs() == []


def test_of_two_tests_for_one_pair_the_second_is_stopped_before_its_load(pair: RealPair) -> None:
    first = java("-n", "-t", str(pair.plan("first", loops=-1)), f"-J{ARMED_WORD}", folder=pair.folder)
    try:
        wait_for(lambda: len(pair.runs()) == 1 or first.poll() is not None, "the first run")
        said = run("-n", "-t", str(pair.plan("second", loops=-1)), f"-J{ARMED_WORD}", folder=pair.folder)
        assert "the test is stopped: lb" in said
        assert f" is in use: process {first.pid} holds the lock for run " in said
        wait_for(lambda: pair.runs()[0]["plan"]["healed_us"] is not None, "the heal of the first")
        assert len(pair.runs()) == 1
        first.terminate()
        assert "Report: switchover report " in output_of(first)
    finally:
        end(first)


THREADS = 3
ARMED = ("-Jswitchover.armed=true", "-Jswitchover.allow.no.backup=true", "-Jswitchover.allow.unidentified=true")
"""A target file that names no other balancer."""
TARGET = """
[target]
url = "http://127.0.0.1:{port}{path}"
[fault.touch]
kill = ["touch", "{place}/down"]
heal = ["rm", "-f", "{place}/down"]
verify_down = ["test", "-e", "{place}/down"]
verify_healed = ["test", "!", "-e", "{place}/down"]
"""


@dataclass
class Drilling:
    """A JMeter that makes load for ever; its fault fires by itself."""

    folder: Path
    server: Shop
    process: "subprocess.Popen[str]"
    port: int
    """The port on which JMeter listens for the word to stop."""

    @property
    def is_down(self) -> bool:
        return (self.folder / "down").exists()

    def run_json(self) -> dict[str, Any]:
        (path,) = self.folder.glob("runs/*/run.json")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def until_confirmed(self) -> None:
        wait_for(lambda: self.is_down or self.process.poll() is not None, "the fault")
        wait_for(lambda: self.run_json()["plan"].get("confirmed_us") is not None, "the proof of the fault")
        requests = len(self.server.loads)
        wait_for(lambda: len(self.server.loads) > requests + 30, "some load")

    def ended(self) -> str:
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        return output


@pytest.fixture
def drilling(tmp_path: Path) -> Iterator[Drilling]:
    with shop() as server:
        text = TARGET.format(port=server.port, path=PROBED, place=tmp_path)
        (tmp_path / "target.toml").write_text(text, encoding="utf-8")
        out = tmp_path / "runs"
        target = bean(
            "BalancerTarget",
            targetFile=f"{tmp_path}/target.toml",
            out=str(out),
            probeRate="100",
            fault="touch",
            faultAt="2s",
        )
        plan = write_plan(tmp_path / "plan.jmx", server.port, threads=THREADS, loops=-1, think_ms=20, more=target)
        port = free_port()
        ports = (f"-Jjmeterengine.nongui.port={port}", f"-Jjmeterengine.nongui.maxport={port}")
        process = java("-n", "-t", str(plan), *ports, *ARMED, folder=tmp_path)
        try:
            yield Drilling(tmp_path, server, process, port)
        finally:
            end(process)


def ctrl_c(drilling: Drilling) -> None:
    os.killpg(drilling.process.pid, signal.SIGINT)


def terminate(drilling: Drilling) -> None:
    drilling.process.send_signal(signal.SIGTERM)


def say(status: str, drilling: Drilling) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(status.encode(), ("127.0.0.1", drilling.port))


def assert_healed(drilling: Drilling, left: LoadLeft) -> None:
    assert not drilling.is_down
    plan = drilling.run_json()["plan"]
    assert plan["healed_us"] is not None
    assert plan["end_us"] is not None
    assert left.load["state"] == "ended"
    assert left.counted == len(left.samples)
    assert (left.directory / "verdict.json").exists()
    assert not marked(drilling.folder)


@pytest.mark.parametrize("stop", [ctrl_c, terminate])
def test_a_signal_heals_and_judges(drilling: Drilling, stop: Any) -> None:
    drilling.until_confirmed()
    before = len(drilling.server.loads)
    stop(drilling)
    output = drilling.ended()
    left = only_run(drilling.folder / "runs")
    assert_healed(drilling, left)
    assert f"Report: switchover report {left.directory}" in output
    assert drilling.run_json()["stopped"] == "interrupted before the end of the plan"
    verdict = json.loads((left.directory / "verdict.json").read_text())
    assert not verdict["valid"]
    assert any("interrupted before the end of the plan" in reason["text"] for reason in verdict["reasons"])
    # Its threads go on until the process is gone; those rows are no part of the run any more.
    assert before - THREADS <= len(left.samples) <= len(drilling.server.loads) + THREADS


@pytest.mark.parametrize("status", ["StopTestNow", "Shutdown"])
def test_the_word_to_stop_heals_and_judges(drilling: Drilling, status: str) -> None:
    drilling.until_confirmed()
    say(status, drilling)
    output = drilling.ended()
    left = only_run(drilling.folder / "runs")
    assert_healed(drilling, left)
    assert drilling.process.returncode == 0
    assert f"Report: switchover report {left.directory}" in output
    asked = len(drilling.server.loads)
    assert asked <= len(left.samples) <= asked + (THREADS if status == "StopTestNow" else 0)


def test_after_sigkill_the_watchdog_heals_and_the_directory_has_all_but_the_last_moment(drilling: Drilling) -> None:
    drilling.until_confirmed()
    wait_for(lambda: len(drilling.server.loads) > 300, "some load")
    killed = time.monotonic()
    drilling.process.kill()
    drilling.process.wait()
    wait_for(lambda: not drilling.is_down, "the watchdog")
    wait_for(lambda: not marked(drilling.folder), "its end")
    left = only_run(drilling.folder / "runs")
    assert left.load["state"] == "running"
    # A second for what is on its way to the disk, and one for a busy machine.
    assert len(left.samples) >= sum(at < killed - 2 for at in drilling.server.loads)
    verdict = make_report(left.directory)
    assert not verdict.record.valid
