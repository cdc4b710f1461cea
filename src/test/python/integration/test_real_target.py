"""A target that is reached only by commands: the lab's hosts, with the lab's own way in standing in for ssh."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.drilling import drill, newest_run
from support.hand_made_pair import (
    drill_words,
    pids_in_client,
    runners_in_client,
    runs_on,
    state_of,
    write_target,
)
from support.waiting import wait_for
from switchover.lab.lab import Lab

DEADMAN_S = 20
"""Longer than a drill holds the fault: one that the dead-man healed early does not count."""
PATIENCE_S = 30.0


def switchover(lab: Lab, *statuses: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "switchover", *statuses]
    return subprocess.run(lab.exec_argv("client", command), capture_output=True, text=True, timeout=120, check=False)


def drill_lb_kill(
    lab: Lab, folder: Path, environment: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    statuses = drill_words(write_target(lab, folder), folder / "runs")
    return subprocess.run(
        lab.exec_argv("client", statuses),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment and {**os.environ, **environment},
    )


def test_doctor_tries_every_part_of_it(lab: Lab, tmp_path: Path) -> None:
    target = write_target(lab, tmp_path, deadman_s=DEADMAN_S)
    command = [sys.executable, "-m", "switchover", "doctor", "--target", str(target)]
    done = subprocess.run(lab.exec_argv("client", command), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("lb1 haproxy", "lb2 vip_owner", "lb1 clock", "lb1 keepalived", "master", "fault lb-kill"):
        assert part in done.stdout


@pytest.mark.core
def test_a_drill_of_it_finds_the_master_confirms_and_heals(lab: Lab, tmp_path: Path) -> None:
    target = write_target(lab, tmp_path, deadman_s=DEADMAN_S)
    done = drill(lab, tmp_path / "runs", "--fault", "lb-kill", "--arm", target=target)
    done.assert_word("MEASURED")
    assert done.run["fault"]["master"] == "lb1"
    assert done.verdict["prediction"]["inside"] is not False or not done.verdict["valid"]
    assert done.verdict["split_brain_ms"] is not None
    assert done.verdict["accounting"]["unaccounted"] is None, "other traffic may be there"
    bounds = [clock["bound_us"] for clock in done.run["clocks"]]
    assert len(bounds) == 4
    assert all(bound > 0 for bound in bounds)


def test_without_an_ownership_source_a_limit_on_split_brain_is_invalid(lab: Lab, tmp_path: Path) -> None:
    target = write_target(lab, tmp_path, observed=False, deadman_s=DEADMAN_S)
    options = ["--fault", "none", "--limit", "split-brain=0s"]
    done = switchover(lab, "drill", "--target", str(target), "--out", str(tmp_path / "runs"), *options)
    assert done.returncode == 2
    assert "lb1 and lb2 have no ownership source: add vip_owner" in done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_prints_the_commands_and_touches_nothing(lab: Lab, tmp_path: Path) -> None:
    target, before = write_target(lab, tmp_path, deadman_s=DEADMAN_S), state_of(lab)
    options = ["--fault", "lb-kill", "--dry-run", "--generator", "none", "--baseline", "1s", "--json"]
    done = switchover(lab, "drill", "--target", str(target), "--out", str(tmp_path / "runs"), *options)
    assert "lb-kill dry run: nothing was fired" in done.stderr, done.stderr
    assert "kill -9 $(pidof haproxy)" in done.stderr.replace("\n", " ")
    wait_for(lambda: state_of(lab) == before, "the end of what asked the nodes")
    run = json.loads((newest_run(tmp_path / "runs") / "run.json").read_text(encoding="utf-8"))
    assert run["dry_run"] and run["plan"]["fired_from_us"] is None


def test_a_dry_run_by_locust_prints_the_commands_and_touches_nothing(lab: Lab, tmp_path: Path) -> None:
    target, before = write_target(lab, tmp_path), state_of(lab)
    (tmp_path / "plan.py").write_text(
        "import switchover.locust\nfrom locust import HttpUser, constant, task\n"
        "class Visitor(HttpUser):\n    host = 'http://198.18.0.50'\n    wait_time = constant(1)\n"
        "    @task\n    def look(self):\n        self.client.get('/')\n"
    )
    command = [sys.executable, "-m", "locust", "-f", str(tmp_path / "plan.py"), "--headless", "-u", "1", "-t", "8s"]
    command += ["--switchover-target", str(target), "--switchover-out", str(tmp_path / "runs")]
    command += ["--switchover-fault", "lb-kill", "--switchover-fault-at", "2", "--switchover-dry-run"]
    command += ["--switchover-probe-rate", "50"]
    done = subprocess.run(lab.exec_argv("client", command), capture_output=True, text=True, timeout=120)
    assert "lb-kill dry run: nothing was fired" in done.stderr, done.stderr
    assert "kill -9 $(pidof haproxy)" in done.stderr.replace("\n", " ")
    wait_for(lambda: state_of(lab) == before, "the end of what asked the nodes")
    run = json.loads((newest_run(tmp_path / "runs") / "run.json").read_text(encoding="utf-8"))
    assert run["dry_run"] and run["plan"]["fired_from_us"] is None


def test_a_pair_whose_backup_is_dead_is_left_alone(lab: Lab, tmp_path: Path) -> None:
    assert lab.service("lb2", "haproxy", "kill")[0] == 0
    try:
        done = drill_lb_kill(lab, tmp_path)
        assert done.returncode == 2
        assert "no backup is proven healthy" in done.stderr.replace("\n", " ")
        assert runs_on(lab, "lb1")
    finally:
        lab.service("lb2", "haproxy", "start")
        wait_for(lambda: runs_on(lab, "lb2"), "the backup")


def test_of_two_runs_against_one_pair_the_second_is_refused(lab: Lab, tmp_path: Path) -> None:
    target = write_target(lab, tmp_path, deadman_s=DEADMAN_S)
    first = subprocess.Popen(
        lab.exec_argv("client", drill_words(target, tmp_path / "first", "--baseline", "60s")),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_for(lambda: any((tmp_path / "first").glob("*/watchdog.log")), "the lock")
    done = drill_lb_kill(lab, tmp_path, {"XDG_RUNTIME_DIR": str(tmp_path), "TMPDIR": str(tmp_path)})
    first.send_signal(signal.SIGINT)
    first.wait(timeout=2 * PATIENCE_S)
    assert done.returncode == 2
    assert "is in use: process" in done.stderr.replace("\n", " ")
    assert runs_on(lab, "lb1")


@pytest.mark.parametrize(
    ("how", "noted"),
    [
        (signal.SIGSTOP, "the runner hangs"),
        pytest.param(signal.SIGKILL, "the runner is dead", marks=pytest.mark.core),
    ],
)
def test_a_runner_that_is_stopped_or_killed_is_healed_without_it(
    lab: Lab, tmp_path: Path, how: signal.Signals, noted: str
) -> None:
    statuses = drill_words(write_target(lab, tmp_path, deadman_s=DEADMAN_S), tmp_path / "runs", "--hold", "3s")
    runner = subprocess.Popen(lab.exec_argv("client", statuses), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_for(lambda: not runs_on(lab, "lb1"), "the kill")
    stopped = runners_in_client(lab)
    assert stopped
    for pid in stopped:
        os.kill(pid, how)
    wait_for(lambda: runs_on(lab, "lb1"), "the watchdog")
    (run,) = (tmp_path / "runs").iterdir()
    wait_for(lambda: noted in (run / "watchdog.log").read_text(), "its log")
    for pid in stopped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    runner.wait(timeout=2 * PATIENCE_S)


def test_the_dead_man_on_the_node_heals_while_the_runner_and_its_watchdog_are_dead(lab: Lab, tmp_path: Path) -> None:
    target, out = write_target(lab, tmp_path, deadman_s=DEADMAN_S), tmp_path / "runs"
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(target), "--fault", "lb-kill", "--arm"]
    command += ["--out", str(out), "--baseline", "1s", "--hold", "60s", "--generator", "none"]
    runner = subprocess.Popen(lab.exec_argv("client", command), stderr=subprocess.DEVNULL)
    wait_for(lambda: not runs_on(lab, "lb1"), "the kill")
    for pid in pids_in_client(lab):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    runner.wait(timeout=PATIENCE_S)
    assert not runs_on(lab, "lb1"), "nobody but the dead-man is left to heal"
    wait_for(lambda: runs_on(lab, "lb1"), "the dead-man")
    run = json.loads((newest_run(out) / "run.json").read_text(encoding="utf-8"))
    assert run["plan"]["healed_us"] is None
