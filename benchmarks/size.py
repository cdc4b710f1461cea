"""How long a report on a large sample log takes, and how much memory; beside JMeter's own report on the same rows.

    python benchmarks/size.py [--millions 100] [--beside 2 10] [--folder DIR] [--quick]

Makes the logs (167 bytes a row: 17 GB for 100 million), reports on each with `switchover report`, and on those of
`--beside` million rows also with `jmeter -g`, by turns: the median times are compared. Before each turn the log is
read through, so that both find it in the kernel's memory. Results go to benchmarks/size.json and into
benchmarks/README.md. Exit code 1 if a goal is missed. `make jmeter` first.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import duckdb
from results import machine
from tables import quote

from switchover.rundir.sample_log import HEADER

RESULTS = Path(__file__).with_name("size.json")
JMETER = Path(__file__).parents[1] / "build" / "jmeter" / "bin" / "ApacheJMeter.jar"
MILLION = 1_000_000
SECONDS_PER_MILLION = 1.5
MEMORY_LIMIT_MB = 1024
TIMES_FASTER = 15
TURNS = 5
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Measured:
    who: str
    millions: float
    seconds: float
    cpu_seconds: float
    peak_mb: float


def main() -> int:
    parser = argparse.ArgumentParser(description="reports on large sample logs")
    parser.add_argument("--millions", type=float, nargs="*", default=[100], help="rows, in millions")
    parser.add_argument(
        "--beside", type=float, nargs="+", default=[2, 10], help="rows that JMeter reports on, too, in millions"
    )
    parser.add_argument("--folder", type=Path, help="where the logs are made, and left for the next time")
    parser.add_argument("--quick", action="store_true", help="small logs: whether it works, not what it costs")
    options = parser.parse_args()
    if options.quick:
        options.millions, options.beside = [0.1], [0.02, 0.05]
    found: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="switchover-size-") as passing:
        folder = options.folder or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        for millions in options.beside:
            log = log_of(folder, millions)
            for _ in range(TURNS):
                found.append(ours(log, millions))
                found.append(jmeters(log, millions))
        found += [ours(log_of(folder, millions), millions) for millions in options.millions]
    goals = goals_of(found, max(options.beside))
    if not options.quick:
        document = {"machine": machine(), "measured": [asdict(one) for one in found], "goals": goals}
        RESULTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        quote(report(found, goals), "size.py")
    print(report(found, goals))
    return 0 if all(met for *_, met in goals) else 1


def log_of(folder: Path, millions: float) -> Path:
    log = folder / f"{millions:g}-million.jtl"
    if not log.exists():
        partial = log.with_suffix(".new")
        make_log(partial, round(millions * MILLION))
        partial.replace(log)
    return log


def make_log(path: Path, rows: int) -> None:
    """One sample each 100 µs, answered by three backends in turn; a pause and a burst of failures in the middle."""
    away = f"(i BETWEEN {rows // 2} AND {rows // 2 + rows // 100})"
    began, took = "(1767225600000000 + i * 100)", f"(CASE WHEN {away} THEN 250 ELSE 300 + (hash(i) % 4096) END)"
    line = (
        f"concat_ws(',', {began} // 1000, ({began} + {took}) // 1000 - {began} // 1000, "
        f"CASE i % 4 WHEN 0 THEN 'home' WHEN 1 THEN 'search' WHEN 2 THEN 'product' ELSE 'cart' END, "
        f"CASE WHEN {away} THEN '' ELSE '200' END, CASE WHEN {away} THEN 'Connection refused' ELSE 'OK' END, "
        f"'Thread Group 1-' || (i % 50 + 1), 'text', CASE WHEN {away} THEN 'false' ELSE 'true' END, '', 512, 130, "
        f"50, 50, 'http://198.18.0.50/item/' || (i % 1000), 1, 0, 0, "
        f"CASE WHEN {away} THEN '' ELSE 'web' || (i % 3 + 1) END, CASE WHEN {away} THEN '' ELSE 'lb1' END, "
        f"CASE WHEN {away} THEN 'none' ELSE 'backend' END, CASE WHEN {away} THEN 'refused' ELSE '' END, "
        f"1, 'kept', '', '', {began}, {began} + {took})"
    )
    header = HEADER.replace("'", "''")
    with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
        connection.execute(
            f"COPY (SELECT '{header}' AS line UNION ALL SELECT {line} FROM range({rows}) AS rows(i)) "
            f"TO '{path}' (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '')"
        )


def ours(log: Path, millions: float) -> Measured:
    out = log.with_name("report")
    words = [sys.executable, "-m", "switchover", "report", str(log), "--out", str(out)]
    return measured("switchover report", millions, log, words, out)


def jmeters(log: Path, millions: float) -> Measured:
    out = log.with_name("jmeter")
    words = ["java", "-jar", str(JMETER), "-g", str(log), "-o", str(out), "-j", str(log.with_name("jmeter.log"))]
    return measured("jmeter -g", millions, log, words, out)


def measured(who: str, millions: float, log: Path, words: Sequence[str], out: Path) -> Measured:
    """Everything from the start of the process to its end."""
    shutil.rmtree(out, ignore_errors=True)
    read_through(log)
    # As it is installed: Python keeps what it has compiled.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=out.parent, env=environment
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{who} ended with {process.returncode}: {process.stderr.read().decode()[-500:]}")
    return Measured(who, millions, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def read_through(log: Path) -> None:
    """A log that has just been written is in the kernel's memory: so it is here for both, and no disk is measured."""
    with log.open("rb", buffering=0) as file:
        while file.read(PIECE):
            pass


def goals_of(found: Sequence[Measured], beside: float) -> list[tuple[str, str, bool]]:
    """`beside`: the most rows that JMeter reported on, too."""

    def seconds(who: str, millions: float) -> float:
        return median(one.seconds for one in found if one.who == who and one.millions == millions)

    times = seconds("jmeter -g", beside) / seconds("switchover report", beside)
    text = f"{beside:g} million rows: at least {TIMES_FASTER} times as fast as jmeter -g"
    goals = [(text, f"{times:.1f}", times >= TIMES_FASTER)]
    for millions in sorted({one.millions for one in found if one.millions >= beside}):
        limit, took = millions * SECONDS_PER_MILLION, seconds("switchover report", millions)
        goals.append((f"{millions:g} million rows: at most {limit:g} s", f"{took:.1f} s", took <= limit))
    peak = max(one.peak_mb for one in found if one.who == "switchover report")
    return [*goals, ("peak memory of switchover report: under 1 GB", f"{peak:,.0f} MB", peak < MEMORY_LIMIT_MB)]


def report(found: Sequence[Measured], goals: Sequence[tuple[str, str, bool]]) -> str:
    told = ", ".join(f"{name} {value}" for name, value in machine().items())
    lines = [f"{told}. Each time is from the start to the end of the process.", ""]
    lines += ["| report | million rows | seconds | CPU seconds | peak MB |", "|---|---|---|---|---|"]
    lines += [
        f"| {one.who} | {one.millions:g} | {one.seconds:.1f} | {one.cpu_seconds:.1f} | {one.peak_mb:,.0f} |"
        for one in found
    ]
    lines += ["", "The goals:", "", "| goal | measured | met |", "|---|---|---|"]
    lines += [f"| {goal} | {value} | {'yes' if met else 'no'} |" for goal, value, met in goals]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
