"""However a drill in JMeter is ended while its fault is on: it is healed, and what was measured is there."""

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
    shop,
    write_plan,
)
from support.ports import free_port
from support.remains import marked
from support.waiting import wait_for
from switchover.report.make_report import make_report

pytestmark = pytest.mark.beside

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
    """Where JMeter listens for the word to stop."""

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
