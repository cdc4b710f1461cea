"""`python -m proof.both_generators`: the same drills with Locust and with JMeter, each against a packet capture.

The same lab, the same seeds, and so the same moments of the same faults: both must find an outage inside the window
that theory predicts and in agreement with the capture, and explain every one of their requests.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proof.against_capture import broken, measured
from proof.pages import write_between
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

PAGE = Path(__file__).parents[4] / "docs" / "proof.md"
RESULTS = PAGE.parent / "proof" / "both_generators.json"
GENERATORS = ("locust", "jmeter")
FAULTS = ("haproxy-kill", "node-down")
USERS = 400
BASELINE_S = 20
LEAST_REQUESTS = 50_000


def main() -> int:
    rows = []
    made = Path(tempfile.mkdtemp(prefix="switchover-proof-"))
    print(f"runs are in {made}", flush=True)
    with Lab(LabSpec()) as lab:
        for seed, fault in enumerate(FAULTS, start=1):
            for generator in GENERATORS:
                options = ("--generator", generator, "--users", str(USERS), "--baseline", str(BASELINE_S))
                row = measured(lab, fault, seed, made / f"{seed}-{generator}", *options)
                rows.append({"generator": generator, **row})
                print(json.dumps(rows[-1]), flush=True)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(PAGE, "both", _table(rows))
    failures = [(row["generator"], row["seed"], wrong) for row in rows if (wrong := _broken(row))]
    for generator, seed, wrong in failures:
        print(f"NOT PROVED: {generator}, seed {seed}: {', '.join(wrong)}")
    return 1 if failures else 0


def _broken(row: dict[str, Any]) -> list[str]:
    wrong = broken(row)
    if row["prediction"]["inside"] is not True:
        wrong.append("outside the predicted window")
    if row["total"] < LEAST_REQUESTS:
        wrong.append(f"fewer than {LEAST_REQUESTS:,} requests")
    return wrong


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| fault, seed | load by | predicted (ms) | outage (ms) | of that too long by at most (ms) "
        "| less capture (ms) | requests of users | of them failed | unexplained |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        window = f"{row['prediction']['low_ms']:,.0f} to {row['prediction']['high_ms']:,.0f}"
        lines.append(
            f"| {row['fault']}, {row['seed']} | {row['generator']} | {window} "
            f"| {row['outage_ms']:,.1f} | {row['early_ms']:,.1f} | {row['gap_ms'] - row['capture_ms']:+.3f} "
            f"| {row['total']:,} | {sum(row['failed'].values()):,} | {row['unexplained']} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
