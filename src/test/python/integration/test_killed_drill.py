"""A drill that is killed with SIGKILL leaves nothing of its lab behind, and an exec fault healed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

PATIENCE_S = 20.0
ENDS_WITHIN_S = 10.0
MOMENTS = {"while it starts": "starting", "while it elects": "electing", "in the baseline": "baseline"}


def namespaces() -> set[str]:
    """Every network and pid namespace that some process of this machine is in."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        for kind in ("net", "pid", "mnt"):
            try:
                found.add(str((process / "ns" / kind).readlink()))
            except OSError:
                continue
    return found


def start_drill(out: Path, runtime: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "switchover", "drill", "--out", str(out), *options]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "NO_COLOR": "1"}
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)


def await_line(process: "subprocess.Popen[str]", wanted: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if wanted in line:
            return
    raise AssertionError(f"it ended before it said {wanted!r}")


@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_of_the_lab_remains(moment: str, short_folder: Path, tmp_path: Path) -> None:
    before = namespaces()
    mounts = Path("/proc/self/mounts").read_text()
    process = start_drill(tmp_path / "runs", short_folder, "--baseline", "30s")
    await_line(process, MOMENTS[moment])
    process.kill()
    process.wait()
    limit = time.monotonic() + ENDS_WITHIN_S
    while namespaces() - before and time.monotonic() < limit:
        time.sleep(0.05)
    assert not namespaces() - before
    assert Path("/proc/self/mounts").read_text() == mounts
    assert not [path for path in short_folder.glob("switchover/*") if not path.name.startswith(".")]


def test_a_terminated_drill_heals_writes_its_verdict_and_ends_with_2(short_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    process = start_drill(out, short_folder, "--baseline", "1s", "--hold", "60s")
    await_line(process, "fired")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    (run,) = out.iterdir()
    verdict = (run / "verdict.json").read_text(encoding="utf-8")
    assert "interrupted" in verdict
    assert '"healed_us": null' not in (run / "run.json").read_text(encoding="utf-8")
