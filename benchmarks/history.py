"""How long `switchover history` takes over many runs: alone, and with its page.

    PYTHONPATH=src/test/python python benchmarks/history.py [--runs 10000] [--quick]

Makes the runs, each with the whole run.json and verdict.json of a real drill, and measures the command from its start
to its end, five times each. Results go to benchmarks/README.md. Exit code 1 if the goal is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from results import machine
from tables import quote

from support.many_runs import make_runs

LIMIT_S = 5.0
TURNS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    what: str
    seconds: list[float]
    cpu_seconds: list[float]
    peak_mb: float


def main() -> int:
    parser = argparse.ArgumentParser(description="a history of many runs")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true", help="few runs: whether it works, not what it costs")
    options = parser.parse_args()
    runs = 200 if options.quick else options.runs
    with tempfile.TemporaryDirectory(prefix="switchover-history-") as passing:
        folder = Path(passing) / "runs"
        make_runs(folder, runs)
        page = str(Path(passing) / "history.html")
        found = [
            measured("printed", folder, []),
            measured("printed, and the page", folder, ["--html", page]),
        ]
    met = all(median(one.seconds) <= LIMIT_S for one in found)
    text = report(found, runs, met)
    if not options.quick:
        quote(text, "history.py")
    print(text)
    return 0 if met else 1


def measured(what: str, folder: Path, options: Sequence[str]) -> Measured:
    """Run the command several times. All files are in the kernel's memory."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds, cpu, peaks = [], [], []
    for _ in range(TURNS):
        began = time.monotonic()
        words = [sys.executable, "-m", "switchover", "history", str(folder), *options]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        seconds.append(time.monotonic() - began)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"switchover history ended with {process.returncode}")
        cpu.append(used.ru_utime + used.ru_stime)
        peaks.append(used.ru_maxrss / 1024)
    return Measured(what, seconds, cpu, max(peaks))


def report(found: Sequence[Measured], runs: int, met: bool) -> str:
    told = ", ".join(f"{name} {value}" for name, value in machine().items())
    lines = [f"{told}; {runs:,} runs. Each cell is the median of {TURNS} calls.", ""]
    lines += ["| history | seconds | CPU seconds | peak MB |", "|---|---|---|---|"]
    lines += [
        f"| {one.what} | {median(one.seconds):.1f} | {median(one.cpu_seconds):.1f} | {one.peak_mb:,.0f} |"
        for one in found
    ]
    return (
        "\n".join(
            [*lines, "", f"Goal: switchover history takes at most {LIMIT_S:g} s; {'met' if met else 'not met'}."]
        )
        + "\n"
    )


if __name__ == "__main__":
    raise SystemExit(main())
