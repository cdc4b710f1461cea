"""`python -m proof.both_generators`: the same drills with Locust and with JMeter, each against a packet capture.

The same lab, the same seeds, and so the same moments of the same faults: both must find an outage inside the window
that theory predicts and in agreement with the capture, and explain every one of their requests.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proof.against_capture import broken, measured
from proof.results import exit_status, keep, run_folder, said
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

GENERATORS = ("locust", "jmeter")
FAULTS = ("haproxy-kill", "node-down")
USERS = 400
BASELINE_S = 20
LEAST_REQUESTS = 50_000


def main() -> int:
    made = run_folder()
    with Lab(LabSpec()) as lab:
        rows = said(_measured(lab, made))
    keep("both_generators", rows, "both", as_table(rows))
    return exit_status(
        f"{row['generator']}, seed {row['seed']}: {', '.join(wrong)}" for row in rows if (wrong := _broken(row))
    )


def _measured(lab: Lab, made: Path) -> Iterator[dict[str, Any]]:
    for seed, fault in enumerate(FAULTS, start=1):
        for generator in GENERATORS:
            options = ("--generator", generator, "--users", str(USERS), "--baseline", str(BASELINE_S))
            row = measured(lab, fault, seed, made / f"{seed}-{generator}", *options)
            yield {"generator": generator, **row}


def _broken(row: dict[str, Any]) -> list[str]:
    wrong = broken(row)
    if row["prediction"]["inside"] is not True:
        wrong.append("outside the predicted window")
    if row["total"] < LEAST_REQUESTS:
        wrong.append(f"fewer than {LEAST_REQUESTS:,} requests")
    return wrong


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| fault, seed | load by | predicted (ms) | outage (ms) | of that too long by at most (ms) "
        "| less capture (ms) | requests of users | of them failed | unaccounted |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        window = f"{row['prediction']['low_ms']:,.0f} to {row['prediction']['high_ms']:,.0f}"
        lines.append(
            f"| {row['fault']}, {row['seed']} | {row['generator']} | {window} "
            f"| {row['outage_ms']:,.1f} | {row['early_ms']:,.1f} | {row['gap_ms'] - row['capture_ms']:+.3f} "
            f"| {row['total']:,} | {sum(row['failed'].values()):,} | {row['unaccounted']} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
