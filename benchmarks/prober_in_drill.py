"""What the prober costs in a real drill: the ratio to a bare loop of the same system calls, through the same pair.

    python benchmarks/prober_in_drill.py [--turns 5] [--seconds 15]

One lab; in each turn the bare loop (prober_bare.py) probes the pair from the lab's client, then a drill kills its
HAProxy. Both take the real-time priority that they are given. Exit code 1 if the median ratio is above 1.7.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from prober import BARE, JUDGED_RATE

from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

RATIO_LIMIT = 1.7
WITHIN_S = 240.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=5, help="of each (default 5)")
    parser.add_argument("--seconds", type=float, default=15, help="that the bare loop probes in a turn (default 15)")
    options = parser.parse_args()
    ratios = []
    print("| turn | bare loop µs per probe | prober µs per probe | ratio | outage |")
    print("|---|---|---|---|---|")
    with Lab(LabSpec()) as lab, tempfile.TemporaryDirectory() as name:
        for turn in range(1, options.turns + 1):
            bare_us = bare_cost_us(lab, options.seconds)
            verdict = run_drill(lab, Path(name) / str(turn))
            drill_us = verdict["generator"]["cpu_percent"] * 1e4 / JUDGED_RATE
            ratios.append(drill_us / bare_us)
            outage = f"{verdict['outage']['low_ms']:,.0f} to {verdict['outage']['high_ms']:,.0f} ms"
            print(f"| {turn} | {bare_us:.0f} | {drill_us:.0f} | {ratios[-1]:.2f} | {outage} |", flush=True)
    print(f"median {median(ratios):.2f}, limit {RATIO_LIMIT}")
    return 0 if median(ratios) <= RATIO_LIMIT else 1


def bare_cost_us(lab: Lab, seconds: float) -> float:
    counted = asked_of_client(lab, [str(BARE), addresses.VIP, "80", f"{JUDGED_RATE}", f"{seconds:g}"])
    return float(counted["cpu_s"] * 1e6 / counted["answered"])


def run_drill(lab: Lab, out: Path) -> dict[str, Any]:
    words = ["-m", "switchover", "drill", "--target", str(lab.target_file), "--fault", "haproxy-kill"]
    words += ["--generator", "none", "--probe-rate", f"{JUDGED_RATE}", "--out", str(out), "--json"]
    return asked_of_client(lab, words)


def asked_of_client(lab: Lab, words: Sequence[str]) -> dict[str, Any]:
    """What a Python program in the lab's client prints as JSON."""
    command = lab.exec_argv("client", [sys.executable, *words])
    ended = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    if not ended.stdout.startswith("{"):
        raise SystemExit(f"{words[0]} ended with {ended.returncode}: {ended.stderr[-1000:]}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
