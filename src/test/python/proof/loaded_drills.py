"""`python -m proof.loaded_drills`: drills with 50 users, each against the prober and a packet capture.

What the users saw is compared sample by sample with the handover on the wire: nobody has an answer between the old
master's last one and the new master's first one, and who failed had begun before the service was back for everybody.
"""

import sys
from collections.abc import Sequence
from typing import Any

from proof.against_capture import broken, measured
from proof.results import exit_status, keep, run_folder, said
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

FAULTS = ("haproxy-kill", "node-down")
DRILLS = 10
USERS = 50


def main() -> int:
    made = run_folder()
    with Lab(LabSpec()) as lab:
        rows = said(
            measured(lab, FAULTS[number % len(FAULTS)], number + 1, made / str(number + 1), "--users", str(USERS))
            for number in range(DRILLS)
        )
    keep("loaded_drills", rows, "loaded", as_table(rows))
    return exit_status(f"seed {row['seed']}: {', '.join(wrong)}" for row in rows if (wrong := broken(row)))


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| fault, seed | outage (ms) | longest gap of all answers less capture (ms) | users' own longest gap (ms) "
        "| users' failed: switchover, other phases | of users' requests | unaccounted | said of the closed loop |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        failed = row["failed"]["switchover"]
        others = sum(row["failed"].values()) - failed
        apart = row["together_ms"] - row["capture_ms"]
        lines.append(
            f"| {row['fault']}, {row['seed']} | {row['outage_ms']:,.1f} | {apart:+.3f} "
            f"| {row['load_gap_ms']:,.1f} | {failed}, {others} | {row['total']:,} | {row['unaccounted']} "
            f"| {', '.join(row['artefacts'])} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
