"""What the prober costs and how punctual it is, against an Nginx of its own on loopback.

    python benchmarks/prober.py [--rate 200 --rate 1000 --rate 3000] [--seconds 10] [--kept-rate 0] [--json]

A percentage of a core says little from one machine to another, so the cost is also given as the ratio to a bare loop
of the same system calls (prober_bare.py) that runs by turns with the prober.
Exit code 1 if the limits are exceeded that hold at 1,000 probes/s on a quiet machine: ratio 1.5, p99 1.5 ms.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from surroundings import nginx

from switchover.prober import Prober, ProberSpec
from switchover.target.model import Endpoint

JUDGED_RATE = 1000
RATIO_LIMIT = 1.5
TURNS = 3
"""Each of the prober and of the bare loop, at each rate."""
BARE = Path(__file__).with_name("prober_bare.py")
LAG_P99_LIMIT_MS = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU and send lag of the prober")
    parser.add_argument("--rate", type=float, action="append", help="probes per second (repeatable)")
    parser.add_argument("--kept-rate", type=float, default=0.0, help="probes per second on kept connections, besides")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each rate")
    parser.add_argument("--json", action="store_true", help="the accounts instead of the table")
    options = parser.parse_args()
    rates = options.rate or [200.0, 1000.0, 3000.0]
    with tempfile.TemporaryDirectory() as name, nginx(Path(name)) as port:
        load = os.getloadavg()[0]
        accounts = [by_turns(port, Path(name), rate, options.kept_rate, options.seconds) for rate in rates]
    if options.json:
        print(json.dumps(accounts, indent=2))
    else:
        print_table(accounts, options.seconds, load)
    return 0 if all(map(holds, accounts)) else 1


def by_turns(port: int, directory: Path, rate: float, kept_rate: float, seconds: float) -> dict[str, Any]:
    """The account with the median ratio of a few turns."""
    found = []
    for _ in range(TURNS):
        account = measure(port, directory, rate, kept_rate, seconds)
        bare_us = bare_cost_us(port, rate, seconds)
        ratio = account["cpu_percent"] * 1e4 / (rate + kept_rate) / bare_us
        found.append({**account, "bare_us": round(bare_us, 1), "ratio": round(ratio, 2)})
    return sorted(found, key=lambda account: account["ratio"])[TURNS // 2]


def bare_cost_us(port: int, rate: float, seconds: float) -> float:
    """CPU of a probe of the bare loop, in a process of its own."""
    command = [sys.executable, str(BARE), "127.0.0.1", str(port), f"{rate:g}", f"{seconds:g}"]
    counted = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return float(counted["cpu_s"] * 1e6 / counted["answered"])


def measure(port: int, directory: Path, rate: float, kept_rate: float, seconds: float) -> dict[str, Any]:
    spec = ProberSpec(
        endpoint=Endpoint(f"http://127.0.0.1:{port}/"),
        probes=directory / f"{rate:g}.jtl",
        journal=directory / f"{rate:g}.lp",
        run="benchmark",
        rate=rate,
        kept_rate=kept_rate,
    )
    with Prober(spec) as prober:
        time.sleep(seconds)
        progress = prober.progress()
        account = prober.stop()
    return {**account, "failed": progress.failed if progress else None}


def holds(account: dict[str, Any]) -> bool:
    """Whether the limits hold, where there are any."""
    if account["rate"] != JUDGED_RATE or account["kept"]:
        return True
    return bool(account["ratio"] <= RATIO_LIMIT and account["lag_p99_ms"] <= LAG_P99_LIMIT_MS)


def print_table(accounts: list[dict[str, Any]], seconds: float, load: float) -> None:
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.2f} before, {seconds:g} s each")
    names = ["probes/s", "CPU % of a core", "µs per probe", "bare loop µs", "ratio", "lag p50 ms", "p99", "max"]
    print(f"| {' | '.join([*names, 'recorded', 'unsent', 'failed'])} |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for account in accounts:
        per_probe = account["cpu_percent"] * 1e4 / account["rate"]
        cells = (
            f"{account['rate']:g}",
            f"{account['cpu_percent']:.1f}",
            f"{per_probe:.0f}",
            f"{account['bare_us']:.0f}",
            f"{account['ratio']:.2f}",
            *(f"{account[name]:.2f}" for name in ("lag_p50_ms", "lag_p99_ms", "lag_max_ms")),
            *(f"{account[name]}" for name in ("recorded", "unsent", "failed")),
        )
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
