"""Nothing of a lab outlives the process that holds it, however that ends; a drill that is asked to end heals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.remains import marked
from support.sample_rows import read_samples
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


@contextmanager
def drilling(out: Path, runtime: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "switchover", "drill", "--generator", "none", "--out", str(out), *options]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "NO_COLOR": "1"}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        yield process


def read_errors_until(process: "subprocess.Popen[str]", wanted: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if wanted in line:
            return
    raise AssertionError(f"it ended before it said {wanted!r}")


@pytest.mark.parametrize("moment", ["baseline", "fired haproxy-kill"])
def test_after_sigkill_nothing_of_the_lab_remains_and_the_probes_are_kept(
    moment: str, short_folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    with drilling(out, short_folder, "--baseline", "2s", "--hold", "60s") as process:
        read_errors_until(process, moment)
        assert marked(short_folder)
        process.kill()
    wait_for(lambda: not marked(short_folder), "the lab's processes to end")
    assert not [path for path in short_folder.glob("switchover/*") if is_held(path)]
    if moment != "baseline":
        (probes,) = out.glob("*/probes.jtl")
        assert sum(1 for _ in read_samples(probes)) > 1000


@pytest.mark.core
def test_a_terminated_drill_heals_writes_its_verdict_and_ends_with_2(short_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    with drilling(out, short_folder, "--baseline", "1s", "--hold", "60s") as process:
        read_errors_until(process, "fired haproxy-kill")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    (run,) = out.iterdir()
    assert "interrupted" in (run / "verdict.json").read_text(encoding="utf-8")
    assert '"healed_us": null' not in (run / "run.json").read_text(encoding="utf-8")
