"""Locust and a real pair: what its users counted is what the balancers counted; its fault costs what it costs."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.drilling import assert_word
from support.locusting import Locust, only_run, runs_in
from switchover.lab.lab import Lab

PLAN = """
import switchover.locust
from locust import FastHttpUser, HttpUser, constant, task

class Shop(FastHttpUser):
    wait_time = constant(0.002)

    @task
    def home(self):
        self.client.get("/")
"""
PORT = "5557"


class Client:
    """Locust in the lab's client."""

    def __init__(self, lab: Lab, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self._lab = lab
        self._stack = stack
        (folder / "my.py").write_text(PLAN, encoding="utf-8")

    def locust(self, *arguments: str) -> Locust:
        through = self._lab.exec_argv("client", [])
        running = Locust(self.folder, "-f", "my.py", *arguments, through=through)
        self._stack.callback(running.kill)
        return running

    def target(self) -> tuple[str, ...]:
        options = ("--switchover-target", str(self._lab.target_file), "--switchover-probe-rate", "200")
        return ("--headless", "-u", "8", "-r", "8", "--stop-timeout", "10", "--switchover-timeout", "1s,2s", *options)


@pytest.fixture
def client(lab: Lab, tmp_path: Path) -> Iterator[Client]:
    with contextlib.ExitStack() as stack:
        yield Client(lab, tmp_path, stack)


def verdict_of(client: Client) -> dict[str, Any]:
    (directory,) = runs_in(client.folder)
    found: dict[str, Any] = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    return found


def test_one_process(client: Client) -> None:
    run = client.locust(*client.target(), "-t", "8s")
    assert_equal_to_the_balancers(client, run.end())


def assert_equal_to_the_balancers(client: Client, code: int) -> None:
    left, verdict = only_run(client.folder), verdict_of(client)
    assert_word(verdict, "PASSED", "MEASURED")
    assert code == verdict["exit_code"]
    assert verdict["accounting"]["unaccounted"] == 0
    assert 500 < left.answered == verdict["samples"]["total"] <= len(left.samples) == left.counted
    assert left.load["warnings"] == []


def test_two_processes(client: Client) -> None:
    run = client.locust(*client.target(), "-t", "8s", "--processes", "2")
    assert_equal_to_the_balancers(client, run.end())


def test_a_master_and_two_workers(client: Client) -> None:
    master = client.locust(
        *client.target(), "-t", "20s", "--master", "--master-bind-port", PORT, "--expect-workers", "2"
    )
    workers = [
        client.locust("--worker", "--master-port", PORT, "--switchover-target", "not-on-this-machine.toml")
        for _ in range(2)
    ]
    code = master.end()
    assert [worker.end() for worker in workers] == [0, 0]
    assert_equal_to_the_balancers(client, code)


@pytest.mark.core
def test_a_fault_on_schedule_costs_what_the_limit_does_not_allow(client: Client) -> None:
    """The exit code, the summary, and the files for a build server, all after Locust's own."""
    fault = ("--switchover-fault", "haproxy-kill", "--switchover-fault-at", "6s", "--switchover-heal-at", "22s")
    limits = ("--switchover-limit", "outage=1s", "--switchover-limit", "failed=100%,failback=30s")
    run = client.locust(*client.target(), *fault, *limits, "-t", "38s")
    code = run.end()
    left, verdict = only_run(client.folder), verdict_of(client)
    assert_word(verdict, "FAILED")
    assert code == verdict["exit_code"], run.said
    limit = {one["name"]: one["state"] for one in verdict["limits"]}
    assert (limit["outage"], limit["failed"], limit["failback"]) == ("exceeded", "kept", "kept")
    assert verdict["outage"]["high_ms"] > 1000
    plan = left.run()["plan"]
    assert plan["start_us"] + 6e6 <= plan["fired_from_us"] < plan["start_us"] + 22e6
    assert min(sample.start_us for sample in left.samples) < plan["fired_from_us"]
    assert plan["healed_us"] is not None
    assert verdict["samples"]["failed"] > 0
    failures = (left.directory / "junit.xml").read_text(encoding="utf-8").count("<failure")
    lines = run.printed.splitlines()
    assert not verdict["valid"] or (failures == 1 and lines[0].startswith("FAILED")), lines
    assert lines[-1] == f"  Report      {left.directory / 'report.html'}"
    assert verdict["accounting"]["unaccounted"] == 0


def test_a_fault_that_costs_nothing_passes(client: Client) -> None:
    fault = ("--switchover-fault", "haproxy-reload", "--switchover-fault-at", "5s", "--switchover-heal-at", "10s")
    run = client.locust(*client.target(), *fault, "--switchover-limit", "failed-total=5%", "-t", "20s")
    code = run.end()
    verdict = verdict_of(client)
    assert_word(verdict, "PASSED")
    assert code == verdict["exit_code"], run.said
