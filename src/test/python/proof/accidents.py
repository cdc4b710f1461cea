"""`python -m proof.accidents`: accidents in the middle of drills of a hand-made pair, which must serve again in time.

What was tried stays in docs/proof/accidents.json. A try that failed stays there, too, and is made again. Several of
these may run at a time, each with a lab of its own and with other accidents.
"""

import argparse
import fcntl
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from proof.pages import write_between
from proof.results import DOCS, exit_status
from support.accidents import ACCIDENTS, GRACE_S, have_accident
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

RESULTS = DOCS / "proof" / "accidents.json"
TRIES = 20
ATTEMPTS = 3
"""Of a try whose accident did not come, since the drill had refused to fire before it."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.accidents", description=__doc__)
    parser.add_argument("--accident", action="append", choices=ACCIDENTS, help="only this one; repeatable")
    parser.add_argument("--tries", type=int, default=TRIES, help=f"of each accident (default {TRIES})")
    arguments = parser.parse_args()
    with Lab(LabSpec()) as lab:
        for accident in arguments.accident or ACCIDENTS:
            for seed in range(1, arguments.tries + 1):
                if not _is_proved(accident, seed):
                    _try(lab, accident, seed)
    rows = [row for row in _kept() if row["accident"] in (arguments.accident or ACCIDENTS)]
    return exit_status(
        f"{row['accident']}, seed {row['seed']}: {'; '.join(row['problems'])}" for row in rows if row["problems"]
    )


def _try(lab: Lab, accident: str, seed: int) -> None:
    for _ in range(ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix=f"switchover-{accident}-{seed}-"))
        outcome = have_accident(lab, accident, seed, folder)
        row = asdict(outcome)
        print(json.dumps(row | {"happened": outcome.happened, "folder": str(folder)}), flush=True)
        if outcome.happened:
            _keep(row)
            return


def _is_proved(accident: str, seed: int) -> bool:
    return any((row["accident"], row["seed"]) == (accident, seed) and not row["problems"] for row in _kept())


def _kept() -> list[dict[str, Any]]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else []


def _keep(row: dict[str, Any]) -> None:
    """Beside the others; and the table made again."""
    with (DOCS / "proof" / "accidents.txt").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = [*_kept(), row]
        rows.sort(key=lambda kept: (list(ACCIDENTS).index(kept["accident"]), kept["seed"]))
        RESULTS.write_text("[\n" + ",\n".join(json.dumps(kept) for kept in rows) + "\n]\n", encoding="utf-8")
        write_between(DOCS / "proof" / "accidents.txt", "accidents", table(rows))


def table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| accident | tries | of them fired | the pair served again after the kill: median, longest "
        f"| after its heal was due: median, longest (limit {GRACE_S:g} s) | in time |",
        "|---|---|---|---|---|---|",
    ]
    for accident, act in ACCIDENTS.items():
        mine = [row for row in rows if row["accident"] == accident]
        if mine:
            fired = [row for row in mine if row["serving_after_s"] is not None]
            after_kill = _figures([row["serving_after_s"] for row in fired])
            after_due = _figures([row["serving_after_s"] - row["heal_due_s"] for row in fired])
            held = sum(not row["problems"] for row in mine)
            what = (act.__doc__ or "").strip().rstrip(".")
            lines.append(
                f"| {what} (`{accident}`) | {len(mine)} | {len(fired)} | {after_kill} | {after_due} | {held} |"
            )
    return "\n".join(lines)


def _figures(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.1f} s, {max(seconds):.1f} s" if seconds else "-"


if __name__ == "__main__":
    sys.exit(main())
