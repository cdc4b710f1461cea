"""The runner hangs: stopped by a signal, silent, or waiting for a disk. The watchdog heals without it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.waiting import wait_for
from support.watchdogs import RUNNER, kill_hard, log_of, watchdog_says, watchdogs_of
from switchover.faults import healer
from switchover.faults.healer import Undo
from switchover.faults.watchdog import LOG_FILE, UndoList, Watchdog, WatchdogLog

PROMISING = RUNNER.replace("guard.fire()", "guard.fire(heal_within_s=0.2)")


def undo(place: Path) -> Undo:
    heal = ("sh", "-c", f"cd '{place}' && echo heal >> log; rm -f down")
    return Undo("touch", heal, ("test", "!", "-e", str(place / "down")))


@pytest.fixture
def runner(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Has fired, and promised to heal soon."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROMISING, str(tmp_path), "echo kill >> log; touch down", "fired"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "fired"
    yield process
    kill_hard(process)
    wait_for(lambda: not watchdogs_of(tmp_path))


def test_a_stopped_runner_is_healed_without_it_when_the_heal_is_overdue(
    runner: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    os.kill(runner.pid, signal.SIGSTOP)
    wait_for(lambda: not (tmp_path / "down").exists())
    wait_for(lambda: "touch: healed by the watchdog" in watchdog_says(tmp_path))
    assert "the runner hangs: its heal is overdue" in watchdog_says(tmp_path)
    assert log_of(tmp_path) == ["kill", "heal"]
    os.kill(runner.pid, signal.SIGCONT)


def test_a_kill_that_comes_after_the_watchdogs_heal_is_healed_as_well(tmp_path: Path) -> None:
    """The runner stood still just before its kill, and was woken after the watchdog had healed."""
    with followed(tmp_path) as dog:
        dog._undo = undo(tmp_path)
        dog._follow(b"firing")
        assert dog._heal()
        dog._follow(b"group %d" % ended_group())
        (tmp_path / "down").touch()
        dog._follow(b"fired")
        assert dog.watch()
    assert not (tmp_path / "down").exists()


@contextmanager
def followed(place: Path) -> Iterator[Watchdog]:
    """A watchdog of a runner whose pipe has ended, and that is told by hand what it said."""
    reader, writer = os.pipe()
    os.close(writer)
    log = WatchdogLog(place / LOG_FILE)
    yield Watchdog(log, os.getppid(), reader)
    log.close()
    os.close(reader)


def ended_group() -> int:
    """A process group that is no more."""
    with subprocess.Popen(["true"], start_new_session=True) as process:
        process.wait()
    return process.pid


def test_a_log_that_cannot_be_written_holds_up_no_heal(tmp_path: Path) -> None:
    """The disk is blocked: the log is a pipe that is full, and that nobody reads."""
    os.mkfifo(tmp_path / LOG_FILE)
    full = os.open(tmp_path / LOG_FILE, os.O_RDWR | os.O_NONBLOCK)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(full, b"x" * 65536)
    (tmp_path / "down").touch()
    undo_list = UndoList(undo(tmp_path), tmp_path)
    undo_list.firing()
    undo_list.send("fired")
    assert undo_list.close()
    assert not (tmp_path / "down").exists()
    os.close(full)


def test_a_watchdog_that_is_stopped_holds_up_no_runner(tmp_path: Path) -> None:
    undo_list = UndoList(Undo("touch"), tmp_path)
    os.kill(undo_list._process.pid, signal.SIGSTOP)
    try:
        assert not os.get_blocking(undo_list._pipe.fileno())
        assert all(undo_list.send("beat") for _ in range(20_000)), "more than the pipe holds"
    finally:
        os.kill(undo_list._process.pid, signal.SIGCONT)
    assert undo_list.close()


def test_a_heal_that_fails_for_long_is_tried_on_at_a_slower_pace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paces = {"RETRY_S": 0.01, "SLOW_RETRY_S": 0.02, "KEEP_TRYING_S": 0.05, "PATIENCE_S": 60.0}
    for name, seconds in paces.items():
        monkeypatch.setattr(healer, name, seconds)
    count = f"cd '{tmp_path}'; echo heal >> log; test $(grep -c heal log) -ge 20"
    reader, writer = os.pipe()
    os.close(writer)
    log = WatchdogLog(tmp_path / LOG_FILE)
    dog = Watchdog(log, os.getppid(), reader)
    dog._undo = Undo("touch", ("sh", "-c", count))
    dog._follow(b"firing")
    dog._follow(b"fired")
    assert dog.watch()
    log.close()
    os.close(reader)
    assert log_of(tmp_path) == ["heal"] * 20


def test_a_lock_outlives_the_runner_until_the_fault_is_healed(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    undo_list = UndoList(undo(tmp_path), tmp_path, [writer])
    os.close(writer)
    os.set_blocking(reader, False)
    with pytest.raises(BlockingIOError):
        os.read(reader, 1)
    assert undo_list.close()
    assert os.read(reader, 1) == b"", "the watchdog has let go"
    os.close(reader)
