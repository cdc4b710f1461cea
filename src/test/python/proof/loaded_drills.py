"""`python -m proof.loaded_drills`: drills with 50 users, each against the metronome and a packet capture.

What the users saw is compared sample by sample with the handover on the wire: nobody has an answer between the old
master's last one and the new master's first one, and who failed had begun before the service was back for everybody.
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
RESULTS = PAGE.parent / "proof" / "loaded_drills.json"
FAULTS = ("haproxy-kill", "node-down")
DRILLS = 10
USERS = 50


def main() -> int:
    rows = []
    made = Path(tempfile.mkdtemp(prefix="switchover-proof-"))
    print(f"runs are in {made}", flush=True)
    with Lab(LabSpec()) as lab:
        for number in range(DRILLS):
            seed = number + 1
            options = ("--users", str(USERS))
            rows.append(measured(lab, FAULTS[number % len(FAULTS)], seed, made / str(seed), *options))
            print(json.dumps(rows[-1]), flush=True)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(PAGE, "loaded", _table(rows))
    failures = [(row["seed"], wrong) for row in rows if (wrong := broken(row))]
    for seed, wrong in failures:
        print(f"NOT PROVED: seed {seed}: {', '.join(wrong)}")
    return 1 if failures else 0


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| fault, seed | outage (ms) | longest gap of all answers less capture (ms) | users' own longest gap (ms) "
        "| users' failed: switchover, other phases | of users' requests | unexplained | said of the closed loop |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        failed = row["failed"]["switchover"]
        others = sum(row["failed"].values()) - failed
        apart = row["together_ms"] - row["capture_ms"]
        lines.append(
            f"| {row['fault']}, {row['seed']} | {row['outage_ms']:,.1f} | {apart:+.3f} "
            f"| {row['load_gap_ms']:,.1f} | {failed}, {others} | {row['total']:,} | {row['unexplained']} "
            f"| {', '.join(row['artefacts'])} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
