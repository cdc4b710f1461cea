"""The runner is killed with SIGKILL: what was fired is healed by the watchdog, what was not is left alone."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.journals import read_journal
from support.waiting import wait_for
from support.watchdogs import RUNNER, kill_hard, log_of, watchdog_says, watchdogs_of
from switchover.faults import watchdog as watchdog_module
from switchover.faults.healer import Undo
from switchover.faults.watchdog import JOURNAL_FILE, UndoList
from switchover.model.errors import FaultError

FORK = """
import os
if os.fork() == 0:
    for _ in range(2000):
        if not (place / "down").exists():
            break
        time.sleep(0.1)
    os._exit(0)
"""
"""Lives until it is healed, or for longer than anybody waits for that."""


def runner(place: Path, stop: str, kill: str = "echo kill >> log; touch down") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(place), kill, stop], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == stop
    return process


def test_killed_after_the_fault_it_is_healed(tmp_path: Path) -> None:
    kill_hard(runner(tmp_path, "fired"))
    wait_for(lambda: not (tmp_path / "down").exists())
    wait_for(lambda: not watchdogs_of(tmp_path))
    assert log_of(tmp_path) == ["kill", "heal"]
    assert "touch: healed by the watchdog" in watchdog_says(tmp_path)
    (point,) = read_journal([tmp_path / JOURNAL_FILE])
    assert point.tags == {"run": tmp_path.name, "kind": "heal"}
    assert point.fields == {"text": "touch: healed by the watchdog"}
    assert 0 <= time.time_ns() - point.time_ns < 60e9


def test_the_watchdog_disarms_the_deadman_after_its_heal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heal = ("sh", "-c", f"echo heal >> '{tmp_path}/log'")
    undo = UndoList(Undo("touch", heal, disarm=("sh", "-c", f"echo disarm >> '{tmp_path}/log'; exit 3")), tmp_path)
    undo.firing()
    undo.send("fired")
    assert undo.close()
    assert log_of(tmp_path) == ["heal", "disarm"]
    assert "disarm: `sh …`: exit status 3" in watchdog_says(tmp_path)

    def wait_in_vain(seconds: float) -> int:
        raise subprocess.TimeoutExpired("watchdog", seconds)

    monkeypatch.setattr(undo._process, "wait", wait_in_vain)
    assert undo.close() is False, "it heals for longer than the runner waits"


def test_the_watchdog_hears_a_new_line_at_once_and_the_same_line_at_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undo, said = UndoList(Undo("touch"), tmp_path), list[str]()
    monkeypatch.setattr(undo, "send", said.append)
    monkeypatch.setattr(watchdog_module, "BEAT_S", 60.0)
    for report in (undo.beat, undo.beat, undo.healing, undo.healing, undo.beat):
        report()
    assert said == ["beat", "healing", "beat"] and undo.close()


def test_a_watchdog_that_fails_says_so_in_its_log(tmp_path: Path) -> None:
    undo = UndoList(Undo("touch"), tmp_path)
    undo.send("within nothing")
    assert not undo.close()
    assert undo.has_died and undo._process.returncode == 2
    assert "the watchdog fails: Traceback" in watchdog_says(tmp_path)


def test_a_watchdog_that_does_not_start_in_time_is_killed_and_refuses_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 1000\n", encoding="utf-8")
    hangs.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(hangs))
    monkeypatch.setattr(watchdog_module, "READY_S", 0.1)
    why = rf"its watchdog did not start \(exit status -9\); can {tmp_path}/watchdog.log be written"
    with pytest.raises(FaultError, match=why):
        UndoList(Undo("touch"), tmp_path)


def test_killed_while_the_kill_runs_the_kill_is_ended_and_cannot_strike_later(tmp_path: Path) -> None:
    process = runner(tmp_path, "firing", "echo kill >> log; sleep 3; touch down")
    wait_for(lambda: log_of(tmp_path) == ["kill"])
    kill_hard(process)
    wait_for(lambda: not watchdogs_of(tmp_path))
    wait_for(lambda: not _alive("sleep 3; touch down", tmp_path))
    assert not (tmp_path / "down").exists()
    assert log_of(tmp_path)[:2] == ["kill", "heal"]


def test_what_the_kill_has_left_running_is_ended_before_the_watchdog_heals(tmp_path: Path) -> None:
    again = (
        "{ (while sleep 0.02; do touch down; done) >/dev/null 2>&1 & echo $! > pid; echo kill >> log; touch down; }"
    )
    process = runner(tmp_path, "fired", again)
    pid = (tmp_path / "pid").read_text().strip()
    kill_hard(process)
    wait_for(lambda: not watchdogs_of(tmp_path))
    wait_for(lambda: not Path("/proc", pid).exists())
    assert not (tmp_path / "down").exists()
    assert log_of(tmp_path) == ["kill", "heal"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_the_watchdog_hears_no_signal_that_ends_the_runner(tmp_path: Path, number: signal.Signals) -> None:
    process = runner(tmp_path, "fired")
    (watchdog,) = watchdogs_of(tmp_path)
    os.kill(watchdog, number)
    assert os.getsid(watchdog) == watchdog
    kill_hard(process)
    wait_for(lambda: not (tmp_path / "down").exists())


def test_the_watchdog_holds_none_of_the_runners_outputs_open(tmp_path: Path) -> None:
    """A reader of the runner's output sees its end although the watchdog still heals."""
    process = runner(tmp_path, "fired")
    (watchdog,) = watchdogs_of(tmp_path)
    assert process.stdout is not None
    pipe = Path(f"/proc/{os.getpid()}/fd/{process.stdout.fileno()}").readlink()
    assert pipe not in [entry.readlink() for entry in Path(f"/proc/{watchdog}/fd").iterdir()]
    kill_hard(process)


def test_a_fork_of_the_runner_that_holds_the_pipe_does_not_hide_its_death(tmp_path: Path) -> None:
    """Locust's --processes forks: the children inherit every descriptor."""
    forked = RUNNER.replace('at("fired")', f'{FORK}at("fired")')
    process = subprocess.Popen(
        [sys.executable, "-c", forked, str(tmp_path), "touch down", "fired"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "fired"
    kill_hard(process)
    wait_for(lambda: not (tmp_path / "down").exists())


def _alive(words: str, place: Path) -> bool:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if words in command and str(place) in command and "import sys" not in command:
                return True
    return False
