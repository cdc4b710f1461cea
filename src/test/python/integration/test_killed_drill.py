"""A drill that is killed leaves nothing of its lab behind; one that is asked to end heals and writes its verdict."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.remains import marked
from support.sample_rows import read_samples
from support.waiting import PATIENCE_S, wait_for
from switchover.target.lab_directory import is_held


@contextmanager
def drilling(out: Path, runtime: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "switchover", "drill", "--generator", "none", "--out", str(out), *options]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "NO_COLOR": "1"}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        yield process


def read_until(process: "subprocess.Popen[str]", wanted: str) -> None:
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
        read_until(process, moment)
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
        read_until(process, "fired haproxy-kill")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    (run,) = out.iterdir()
    assert "interrupted" in (run / "verdict.json").read_text(encoding="utf-8")
    assert '"healed_us": null' not in (run / "run.json").read_text(encoding="utf-8")
