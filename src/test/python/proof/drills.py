"""Runs a case's drills in one lab, each with a packet capture beside it, and keeps what both said."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from proof.cases import Case
from support.capture import Capture, handover
from switchover.lab import addresses
from switchover.lab.lab import Lab

DRILL_TIMEOUT_S = 180.0
Say = Callable[[str], None]


def run_case(case: Case, repeats: int, first_seed: int, say: Say) -> list[dict[str, Any]]:
    """One row per drill: figures of the drill, and the handover that the capture saw."""
    rows = []
    with Lab(case.spec) as lab:
        for seed in range(first_seed, first_seed + repeats):
            with tempfile.TemporaryDirectory(prefix="switchover-proof-") as folder:
                row = run_drill(lab, case, seed, Path(folder))
            rows.append(row)
            say(f"{case.name} seed {seed}: {_shown(row)}")
    return rows


def drill_from_client(
    lab: Lab, fault: str, seed: int, folder: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """`switchover drill` on the client of a lab, whose run is kept in `folder`."""
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(lab.target_file), "--fault", fault]
    command += ["--seed", str(seed), "--out", str(folder), *options]
    return subprocess.run(
        lab.exec_argv("client", command), capture_output=True, text=True, timeout=DRILL_TIMEOUT_S, check=False
    )


def run_drill(lab: Lab, case: Case, seed: int, folder: Path) -> dict[str, Any]:
    options = ("--generator", "none", "--json", "--baseline", "3s", *case.options)
    with Capture(lab, addresses.VIP, folder) as capture:
        drill = drill_from_client(lab, case.fault, seed, folder, *options)
    try:
        verdict = json.loads(drill.stdout)
    except ValueError as error:
        raise AssertionError(f"{case.name} seed {seed} gave no verdict: {drill.stderr[-2000:]}") from error
    run = json.loads(next(folder.glob("*/run.json")).read_text(encoding="utf-8"))
    seen = handover(run, capture.answers())
    outage = verdict["outage"]
    return {
        "seed": seed,
        "exit_code": drill.returncode,
        "kill_delay_s": run["settings"]["kill_delay_s"],
        "outage_ms": outage["high_ms"],
        "early_ms": None if outage["high_ms"] is None else outage["high_ms"] - outage["low_ms"],
        "gap_ms": max((gap["duration_ms"] for gap in outage["gaps"]), default=0.0),
        "gaps": outage["gap_count"],
        "kind": outage["kind"],
        "censored": outage["censored"],
        "capture_ms": seen.gap_ms if seen else None,
        "capture_dropped": capture.dropped(),
        "failed": verdict["probes"]["failed"],
        "total": verdict["probes"]["total"],
        "split_brain_ms": verdict["split_brain_ms"],
        "failback_ms": verdict["failback"]["high_ms"] if verdict["failback"] else None,
        "prediction": verdict["prediction"],
        "valid": verdict["valid"],
        "reasons": [reason["text"] for reason in verdict["reasons"]],
        "unaccounted": verdict["accounting"]["unaccounted"],
        "lag_p99_ms": verdict["generator"]["lag_p99_ms"],
        "limits": {limit["name"]: limit["state"] for limit in verdict["limits"]},
    }


def _shown(row: dict[str, Any]) -> str:
    captured = "no handover" if row["capture_ms"] is None else f"capture {row['capture_ms']:.3f} ms"
    return f"outage {row['outage_ms']:.3f} ms, {captured}, exit {row['exit_code']}"
