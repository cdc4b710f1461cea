"""`python -m proof.committed_history FOLDER`: the 201 drills of docs/proof that have a word, as runs for a history.

A row has the day of its series and no time, so the runs begin an hour apart, in the order of the rows.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.checkout import CHECKOUT
from support.kept_runs import KEPT
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE, with_checksum

SERIES = ("coverage-quiet", "coverage-busy", "make-drill-quiet", "make-drill-busy")
FIRST_US = 1_794_787_200_000_000
"""2026-11-16, UTC."""
APART_US = 3_600_000_000


def main() -> int:
    write_runs(Path(sys.argv[1]))
    return 0


def write_runs(folder: Path) -> None:
    for number, (series, row) in enumerate(_rows()):
        name = f"{number:03}-{row['fault']}-{series}-{row['seed']}"
        (folder / name).mkdir(parents=True)
        (folder / name / RUN_FILE).write_bytes(with_checksum(_run(name, FIRST_US + number * APART_US, row)))
        (folder / name / VERDICT_FILE).write_text(json.dumps(_verdict(row)), encoding="utf-8")


def _rows() -> Iterator[tuple[str, dict[str, Any]]]:
    for series in SERIES:
        for row in json.loads((CHECKOUT / "docs" / "proof" / f"{series}.json").read_text(encoding="utf-8")):
            yield series, row


def _run(name: str, start_us: int, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "name": row["fault"],
        "target": {"lab": True},
        "settings": {"probe_rate": row["probe_rate"]},
        "seed": row["seed"],
        "plan": {"start_us": start_us},
        "fault": {"name": row["fault"], "kind": "master"},
    }


def _verdict(row: dict[str, Any]) -> dict[str, Any]:
    low, high = row["outage"]["printed_low_ms"], row["outage"]["printed_high_ms"]
    outage = {
        "kind": "outage",
        "low_ms": low,
        "high_ms": high,
        "detection_limit_ms": row["probe_gap_ms"],
        "recovered": True,
    }
    kept = json.loads((KEPT / "haproxy-kill-quiet" / VERDICT_FILE).read_text(encoding="utf-8"))
    return {
        **kept,
        "verdict": row["verdict"],
        "valid": row["exit_code"] != 2,
        "outage": kept["outage"] | outage,
        "prediction": kept["prediction"] | row["prediction"],
    }


if __name__ == "__main__":
    raise SystemExit(main())
