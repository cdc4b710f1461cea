"""Several drills in one go: each a run, and together a distribution against the predicted window."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.drilling import DRILL_TIMEOUT_S, assert_word
from switchover.lab.lab import Lab
from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec


def test_repeats_lie_in_the_window_and_are_summed_up(tmp_path: Path) -> None:
    spec = LabSpec(keepalived=parse_keepalived("version=3,advert_int=100ms"))
    with Lab(spec) as lab:
        parent = repeated(lab, tmp_path)
    summary = json.loads((parent / "summary.json").read_text(encoding="utf-8"))
    assert (summary["asked"], summary["done"]) == (2, 2)
    series = summary["series"]
    assert (series["low_ms"], series["high_ms"]) == pytest.approx((260.938, 360.938), abs=0.01)
    assert series["outside"] in (0, None), series
    for run in summary["runs"]:
        verdict = json.loads((parent / run["run"] / "verdict.json").read_text(encoding="utf-8"))
        assert_word(verdict, "MEASURED")


def repeated(lab: Lab, out: Path) -> Path:
    """The folder of two drills."""
    command = [sys.executable, "-m", "switchover", "drill", "--generator", "none"]
    command += ["--target", str(lab.target_file)]
    command += ["--fault", "node-down", "--repeat", "2", "--seed", "5", "--baseline", "2s", "--json"]
    command += ["--out", str(out)]
    done = subprocess.run(
        lab.exec_argv("client", command), capture_output=True, text=True, timeout=DRILL_TIMEOUT_S, check=False
    )
    (parent,) = out.iterdir()
    assert json.loads(done.stdout) == json.loads((parent / "summary.json").read_text(encoding="utf-8")), done.stderr
    return parent
