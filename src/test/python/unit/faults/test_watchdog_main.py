"""The watchdog as a process: what it says, which signals it hears, and how it ends."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from support.watchdogs import watchdog_says
from switchover.faults.watchdog import IGNORED_SIGNALS

BEGIN = """
import os, sys
from pathlib import Path
from switchover.faults import watchdog
watchdog.LONGEST_S = float(sys.argv[3])
os._exit(watchdog.main(Path(sys.argv[1]), int(sys.argv[2])))
"""
"""As `python -m` does; when it gives up is the last word."""
Process = subprocess.Popen[bytes]


def begin(place: Path, parent: int, longest_s: float = 60.0) -> Process:
    command = [sys.executable, "-c", BEGIN, str(place), str(parent), str(longest_s)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


@pytest.fixture
def watchdog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Process]:
    """Its parameter is when it gives up."""
    with begin(tmp_path, os.getpid(), getattr(request, "param", 60.0)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process


def fire(process: Process, heal: Sequence[str]) -> int:
    """A fault is fired and its runner ends; the exit status."""
    assert process.stdin is not None
    undo = json.dumps({"name": "touch", "heal": heal}).encode()
    process.stdin.write(undo + b"\nfiring\nfired\n")
    process.stdin.close()
    return process.wait(60)


def test_it_says_that_it_is_ready_and_holds_no_output_open(watchdog: Process, tmp_path: Path) -> None:
    assert watchdog.stdin is not None and watchdog.stdout is not None
    assert watchdog.stdout.read() == b""
    assert watchdog.poll() is None, "it watches on"
    watchdog.stdin.close()
    assert watchdog.wait(60) == 0
    assert re.fullmatch(r"\S+ the runner is gone: its pipe has ended\n", watchdog_says(tmp_path))


def test_it_hears_no_signal_but_what_it_runs_does(watchdog: Process, tmp_path: Path) -> None:
    for number in IGNORED_SIGNALS:
        watchdog.send_signal(number)
    assert fire(watchdog, ["cp", "/proc/self/status", str(tmp_path / "status")]) == 0
    (ignored,) = re.findall(r"SigIgn:\s+([0-9a-f]+)", (tmp_path / "status").read_text())
    assert not any(int(ignored, 16) >> number - 1 & 1 for number in IGNORED_SIGNALS)
    assert "touch is HEALED" in watchdog_says(tmp_path)


@pytest.mark.parametrize("watchdog", [0.05], indirect=True)
def test_a_fault_that_stays_is_its_exit_status(watchdog: Process, tmp_path: Path) -> None:
    assert fire(watchdog, ["false"]) == 1
    assert "touch is NOT HEALED" in watchdog_says(tmp_path)


def test_a_runner_that_it_is_no_child_of_is_gone(tmp_path: Path) -> None:
    with begin(tmp_path, 1) as process:
        assert process.wait(60) == 0
    assert re.fullmatch(r"\S+ the runner is gone: process 1 is no longer the parent\n", watchdog_says(tmp_path))
