"""Nothing of a lab outlives the process that holds it, however that process ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.remains import marked
from support.waiting import PATIENCE_S, wait_for
from switchover.target.lab_directory import is_held

COMMAND = [sys.executable, "-m", "switchover", "lab", "up", "--keepalived", "version=3,advert_int=100ms"]


def namespaces() -> dict[int, str]:
    """The network namespace of every process that runs."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                found[int(entry.name)] = str((entry / "ns/net").readlink())
            except OSError:
                continue
    return found


def program(pid: int) -> list[str]:
    """The words of its command line that follow Python's flags."""
    statuses = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    return statuses[3:5]


def start(base: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        COMMAND,
        env=os.environ | {"XDG_RUNTIME_DIR": str(base)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def read_until(process: "subprocess.Popen[str]", statuses: str) -> None:
    assert process.stdout is not None
    while statuses not in (line := process.stdout.readline()):
        assert line, f"the lab ended before it said {statuses!r}"


def labs(base: Path) -> list[Path]:
    folder = base / "switchover"
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def assert_nothing_remains(base: Path, theirs: set[str]) -> None:
    wait_for(lambda: not marked(base))
    wait_for(lambda: not theirs & set(namespaces().values()))
    assert str(base) not in Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    wait_for(lambda: not any(is_held(lab) for lab in labs(base)))


@pytest.mark.parametrize("moment", ["electing a master", "is master and answers", "Ctrl-C ends"])
def test_after_sigkill_nothing_remains(short_folder: Path, moment: str) -> None:
    ours = set(namespaces().values())
    with start(short_folder) as process:
        read_until(process, moment)
        every = namespaces()
        theirs = {every[pid] for pid in marked(short_folder) if pid in every} - ours
        process.kill()
    assert_nothing_remains(short_folder, theirs)
    wait_for(lambda: labs(short_folder) == [])


def test_sigkill_as_early_as_can_be_leaves_at_most_a_folder_that_the_next_lab_sweeps(short_folder: Path) -> None:
    for delay_s in (0.05, 0.15, 0.25, 0.35):
        with start(short_folder) as process:
            time.sleep(delay_s)  # the moment is what is tried here, not a condition
            process.kill()
        assert_nothing_remains(short_folder, set())
    left = labs(short_folder)
    with start(short_folder) as process:
        read_until(process, "Ctrl-C ends")
        assert not set(left) & set(labs(short_folder))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert labs(short_folder) == []


def test_a_lab_whose_first_process_dies_says_so_and_ends(short_folder: Path) -> None:
    with start(short_folder) as process:
        read_until(process, "Ctrl-C ends")
        (supervisor,) = (pid for pid in marked(short_folder) if program(pid) == ["-m", "switchover.lab.supervisor"])
        os.kill(supervisor, signal.SIGKILL)
        assert process.wait(PATIENCE_S) == 2
        assert process.stdout is not None
        assert "the lab's first process ended" in process.stdout.read()
    assert_nothing_remains(short_folder, set())
    assert labs(short_folder) == []
