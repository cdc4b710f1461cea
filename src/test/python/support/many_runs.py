"""Runs of years, made from one that was kept: what a history reads of each, and nothing else."""

import json
import random
from pathlib import Path
from typing import Any

from support.kept_runs import KEPT
from switchover.rundir.run_directory import with_checksum
from switchover.verdict.record import Status

FAULTS = ("node-down", "haproxy-kill", "keepalived-stop", "haproxy-reload")
START_US = 1_700_000_000_000_000
APART_US = 3_600_000_000


def make_runs(parent: Path, count: int, *, seed: int = 1) -> None:
    """`count` runs an hour apart, each with the whole run.json and verdict.json of a real drill."""
    rng = random.Random(seed)
    run, verdict = real_run()
    for number in range(count):
        make_run(parent, number, run, verdict, fault=FAULTS[number % len(FAULTS)], outage_ms=rng.uniform(2609, 3609))


def real_run() -> tuple[dict[str, Any], dict[str, Any]]:
    """Its run.json and its verdict.json."""
    run, verdict = (json.loads((KEPT / "node-down" / name).read_bytes()) for name in ("run.json", "verdict.json"))
    run.pop("checksum", None)
    return run, verdict


def make_run(
    parent: Path,
    number: int,
    run: dict[str, Any],
    verdict: dict[str, Any],
    *,
    fault: str = "node-down",
    outage_ms: float = 3000.0,
    status: Status = Status.MEASURED,
) -> Path:
    start_us = START_US + number * APART_US
    identifier = f"run-{number:06}"
    directory = parent / f"month-{number // 700:03}" / identifier
    directory.mkdir(parents=True)
    version = f"2.6.{12 + number // 4000}"
    changed = {
        **run,
        "id": identifier,
        "versions": {**run["versions"], "haproxy": version, "keepalived": "2.2.7"},
        "plan": {**run["plan"], "start_us": start_us, "end_us": start_us + 26_000_000},
        "fault": {**run["fault"], "name": fault},
    }
    (directory / "run.json").write_bytes(with_checksum(changed))
    outage = {**verdict["outage"], "low_ms": outage_ms - 20, "high_ms": outage_ms}
    judged = {**verdict, "run": identifier, "verdict": status.value, "outage": outage, "exit_code": status.exit_code}
    judged["valid"] = status is not Status.INVALID
    (directory / "verdict.json").write_text(json.dumps(judged, indent=2), encoding="utf-8")
    return directory
