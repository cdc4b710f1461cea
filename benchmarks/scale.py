"""How the cost of a test grows with its backends, users, probes, samples, Locust's workers and JMeter's servers.

    python benchmarks/scale.py [--turns 2] [--seconds 10] [--axis users] [--go-on] [--quick] [--pages-only]

Each step is a load with everything on, through a HAProxy of its own on loopback: processor time and memory of each
process, how much of the schedules was kept, how fast the files grow, and how long a report takes. Rows go to
benchmarks/scale.json as they come; tables to docs/proof/scale.txt, the picture to docs/images/scale.svg. After an
interruption, `--go-on` plays only what is not in the file yet. SIGTERM ends it with all that it has started.
`make jmeter` first. Exit code 1 if a sample was lost.
"""

import argparse
import json
import platform
import signal
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src" / "test" / "python"))

from jmeter_contestants import require_current_plugins
from results import machine
from scale_plays import play
from scale_steps import JMETER, largest, steps
from scale_tables import draw, tables

from proof.pages import write_between
from proof.results import DOCS

RESULTS = Path(__file__).with_name("scale.json")
PAGE, PICTURE = DOCS / "proof" / "scale.txt", DOCS / "images" / "scale.svg"
QUICK_S = 3.0


def main() -> int:
    every_step = list(steps())
    axes = list(dict.fromkeys(step.axis for step in every_step))
    parser = argparse.ArgumentParser(description="what grows with the size of a test, and where the knee is")
    parser.add_argument("--turns", type=int, default=2, help="of all steps, one turn after the other (default 2)")
    parser.add_argument("--seconds", type=float, default=10.0, help="that each step is watched (default 10)")
    parser.add_argument("--axis", action="append", choices=axes, help="only this one; repeatable")
    parser.add_argument("--go-on", action="store_true", help="keep what is in the file, and play what is missing")
    parser.add_argument("--quick", action="store_true", help="the largest step of each axis: whether it works")
    parser.add_argument("--pages-only", action="store_true", help="only make the tables and the picture again")
    options = parser.parse_args()
    if options.pages_only:
        return _publish(json.loads(RESULTS.read_text(encoding="utf-8")))
    wanted = [step for step in every_step if not options.axis or step.axis in options.axis]
    if any(step.client == JMETER for step in wanted):
        require_current_plugins()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    if options.quick:
        return _exit_status([_said(play(step, QUICK_S)) for step in largest(wanted)])
    asked = {step.axis for step in wanted}
    rows = [row for row in _kept() if options.go_on or row["axis"] not in asked]
    done = {(row["axis"], row["size"], row["turn"]) for row in rows}
    result = {"machine": {**machine(), "python": platform.python_version()}, "rows": rows}
    for turn, step in product(range(1, options.turns + 1), wanted):
        if (step.axis, step.size, turn) not in done:
            at = datetime.now(UTC).strftime("%Y-%m-%d")
            rows.append(_said({"at": at, "turn": turn, **play(step, options.seconds)}))
            RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return _publish(result)


def _kept() -> list[dict[str, Any]]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]) if RESULTS.exists() else []


def _said(row: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(row), flush=True)
    return row


def _publish(result: dict[str, Any]) -> int:
    for place, table in tables(result).items():
        write_between(PAGE, place, table)
    PICTURE.write_text(draw(result), encoding="utf-8")
    return _exit_status(result["rows"])


def _exit_status(rows: list[dict[str, Any]]) -> int:
    lost = [row for row in rows if row["rows"] != row["counted"]]
    for row in lost:
        print(f"{row['axis']} {row['size']}: {row['rows']:,} rows, {row['counted']:,} counted", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
