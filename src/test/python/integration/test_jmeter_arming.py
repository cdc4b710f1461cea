"""A JMeter without a window fires at a real target where the word was typed, and not for what a file says."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.jmetering import PROBED, bean, end, java, output_of, run, shop, write_plan
from support.waiting import wait_for

pytestmark = pytest.mark.beside

ARMED = "switchover.armed=true"
TARGET = """
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
        text = TARGET.format(port=server.port, path=PROBED, place=tmp_path)
        (tmp_path / "target.toml").write_text(text, encoding="utf-8")
        yield RealPair(tmp_path, server.port)


@pytest.mark.core
def test_the_word_on_the_command_line_arms(pair: RealPair) -> None:
    said = run("-n", "-t", str(pair.plan()), f"-J{ARMED}", folder=pair.folder)
    (found,) = pair.runs()
    assert found["plan"]["healed_us"] is not None, said
    assert found["settings"]["armed"] is True
    assert "Switchover: touch on lb1: fired" in said


@pytest.mark.core
def test_the_same_word_in_a_file_does_not(pair: RealPair) -> None:
    (pair.folder / "more.properties").write_text(f"{ARMED}\n", encoding="utf-8")
    said = run("-n", "-t", str(pair.plan()), "-q", f"{pair.folder}/more.properties", folder=pair.folder)
    assert_refused(pair, said, f"a true in a file or set by a plan arms nothing: add -J{ARMED} to the command line")


def test_a_true_that_is_saved_in_the_plan_does_not(pair: RealPair) -> None:
    said = run("-n", "-t", str(pair.plan(armed="true")), folder=pair.folder)
    assert_refused(pair, said, f"for real; add -J{ARMED} to confirm it")


def assert_refused(pair: RealPair, said: str, why: str) -> None:
    assert f"the test is stopped: touch is not armed: it would act on http://127.0.0.1:{pair.port}" in said
    assert why in said
    assert pair.runs() == []


def test_of_two_tests_for_one_pair_the_second_is_stopped_before_its_load(pair: RealPair) -> None:
    first = java("-n", "-t", str(pair.plan("first", loops=-1)), f"-J{ARMED}", folder=pair.folder)
    try:
        wait_for(lambda: len(pair.runs()) == 1 or first.poll() is not None, "the first run")
        said = run("-n", "-t", str(pair.plan("second", loops=-1)), f"-J{ARMED}", folder=pair.folder)
        assert "the test is stopped: lb" in said
        assert f" is in use: process {first.pid} holds the lock for run " in said
        wait_for(lambda: pair.runs()[0]["plan"]["healed_us"] is not None, "the heal of the first")
        assert len(pair.runs()) == 1
        first.terminate()
        assert "Report: switchover report " in output_of(first)
    finally:
        end(first)
