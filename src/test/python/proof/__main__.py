"""`make proof`: run the long checks, keep their figures in docs/proof, and put the tables into docs/."""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proof.cases import CASES, TRUTH_REPEATS
from proof.drills import run_case
from proof.pages import (
    PROBE_INTERVAL_MS,
    differences,
    faults_table,
    truth_section,
    uniform_fit,
    write_between,
)

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "docs" / "proof" / "drills.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make proof", description=__doc__)
    parser.add_argument("--case", action="append", help="only this case; repeatable")
    parser.add_argument("--repeats", type=int, help="drills a case, instead of what the case says")
    parser.add_argument("--seed", type=int, default=1, help="of the first drill of each case (default 1)")
    parser.add_argument("--pages-only", action="store_true", help="only make the tables again")
    arguments = parser.parse_args()
    results: dict[str, list[dict[str, Any]]] = _kept()
    if not arguments.pages_only:
        for case in CASES:
            if arguments.case and case.name not in arguments.case:
                continue
            results[case.name] = run_case(case, arguments.repeats or case.repeats, arguments.seed, _say)
            _keep({name.name: results[name.name] for name in CASES if name.name in results})
    write_between(ROOT / "docs" / "proof" / "faults.txt", "measured", faults_table(results))
    write_between(ROOT / "docs" / "proof" / "truth.txt", "truth", truth_section(results))
    failures = check(results)
    for failure in failures:
        _say(f"NOT PROVED: {failure}")
    _say(f"{len(results)} cases, {sum(map(len, results.values()))} drills, {len(failures)} failed")
    return 1 if failures else 0


def check(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """What must hold for the figures to be defended."""
    failures = []
    for name in ("haproxy-kill", "node-down"):
        compared, drilled = len(differences(results.get(name, ()))), len(results.get(name, ()))
        if compared < min(TRUTH_REPEATS, drilled):
            failures.append(f"{name}: only {compared} drills have a capture to compare with")
    for name, rows in results.items():
        apart = differences(rows)
        if any(abs(value) > 2 * PROBE_INTERVAL_MS for value in apart):
            failures.append(f"{name}: an outage is more than two probe intervals from the capture")
        if apart and abs(statistics.median(apart)) > PROBE_INTERVAL_MS / 2:
            failures.append(f"{name}: the median is more than half a probe interval from the capture")
    for name, rows in results.items():
        outside = [row["seed"] for row in rows if row["prediction"] and row["prediction"]["inside"] is False]
        if outside:
            failures.append(f"{name}: outside the predicted window with seeds {outside}")
        unaccounted = [row["seed"] for row in rows if row["unaccounted"]]
        if unaccounted:
            failures.append(f"{name}: unaccounted differences with seeds {unaccounted}")
    if "node-down" in results and uniform_fit(results["node-down"])[1] < 0.001:
        failures.append("node-down: the outages are not spread evenly over the window")
    return failures


def _kept() -> dict[str, list[dict[str, Any]]]:
    try:
        return dict(json.loads(RESULTS.read_text(encoding="utf-8"))["cases"])
    except FileNotFoundError:
        return {}


def _keep(results: Mapping[str, Any]) -> None:
    machine = {"kernel": platform.release(), "processors": os.cpu_count(), "python": platform.python_version()}
    made = time.strftime("%Y-%m-%d", time.gmtime())
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({"made": made, "machine": machine, "cases": results}, indent=1) + "\n")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
