"""`python -m proof.soak [--minutes 60] [--fast]`: a long run with everything on, and what becomes of its processes.

In the lab: Locust with its web page and 50 users, probes, scrapes, streaming to InfluxDB 1.8, metrics for Prometheus;
beside it somebody who has the page open, and somebody who fetches the metrics. Every ten seconds memory, descriptors
and threads of each process of ours are read, and in the end how late the probes of those ten seconds were sent.
`--fast` does in an hour what eight do: eight times the users, the probes and the scrapes. SIGTERM ends it before its
time. Exit code 1 where something grows; the rule is in docs/accuracy.md, the rows are in
docs/proof/soak.json.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import psutil

from proof.pages import write_between
from proof.results import DOCS, exit_status, run_folder
from proof.soak_rows import FAST, GROWS, PLAIN, as_table, judged, keep, read_result
from support.influxdb import influxdb
from support.our_processes import OURS, PROBER, module_of
from support.ports import free_port
from support.web_of_locust import locust_in_lab
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.streaming.outside import SHIPPER, OutsideStreams

TOP = Path(__file__).parents[4]
PLAN = TOP / "testplans" / "locust" / "shop.py"
PAGE = DOCS / "proof" / "scale.txt"
DATABASE = "soak"
USERS, PROBE_RATE, SCRAPE_MS = 50, 100, 1000
TIMES_FAST = 8
EVERY_S = 10.0
PAGE_EVERY_S, METRICS_EVERY_S = 1.0, 5.0
"""As the page asks for its state, and Prometheus for its figures."""
PATIENCE_S = 10.0
JUDGED_WITHIN_S = 900.0
"""Eight hours of requests, on two cores."""
MARK = "SWITCHOVER_SOAK_OF"
"""In the environment of all that this program starts: those in the lab are no children of it."""
LOCUST = "Locust"
NAMES = {**OURS, "locust": LOCUST}
"""By the module that a process runs. Of shipper and exporter there is one outside the lab that does the work, and
one in it that passes on what is said."""
MEGABYTE = 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description="a long run, and whether anything of it grows")
    parser.add_argument("--minutes", type=float, default=60.0, help="of load (default 60)")
    parser.add_argument("--fast", action="store_true", help=f"{TIMES_FAST} times as much of everything")
    parser.add_argument("--beside", default="nothing else ran on the machine", help="what ran there, for the page")
    parser.add_argument("--dry", action="store_true", help="print the table, write nothing")
    parser.add_argument("--pages-only", action="store_true", help="only make the table again")
    arguments = parser.parse_args()
    name, times = (FAST, TIMES_FAST) if arguments.fast else (PLAIN, 1)
    result = read_result(name) if arguments.pages_only else _soaked(arguments.minutes, times, arguments.beside)
    if result is None:
        parser.error("there are no rows of it")
    print(as_table(name, result))
    if not arguments.dry:
        keep(name, result)
        write_between(PAGE, name, as_table(name, result))
    return exit_status(
        f"{process}: {measure.title} grows" for process, measure, _, word in judged(result["rows"]) if word == GROWS
    )


def _soaked(minutes: float, times: int, beside: str) -> dict[str, Any]:
    made = run_folder()
    os.environ[MARK] = str(os.getpid())
    rows: list[dict[str, Any]] = []
    loads: list[float] = []
    with ExitStack() as stack:
        server = stack.enter_context(influxdb("1.8", made / "influxdb"))
        lab = stack.enter_context(Lab(LabSpec()))
        stack.enter_context(OutsideStreams(lab.layout.shipper_socket))
        metrics = f"127.0.0.1:{free_port()}"
        users, probe_rate, scrape_ms = str(times * USERS), str(times * PROBE_RATE), SCRAPE_MS // times
        options = ["-u", users, "-r", users, "--switchover-probe-rate", probe_rate]
        options += ["--switchover-scrape", f"{scrape_ms}ms"]
        options += ["--switchover-influx", server.create(DATABASE), "--switchover-prometheus", metrics]
        url = stack.enter_context(locust_in_lab(lab, PLAN, made, *options, ends_within_s=JUDGED_WITHIN_S))
        over = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: over.set())
        readers = [
            threading.Thread(target=_watch_page, args=(url, over)),
            threading.Thread(target=_fetch_metrics, args=(f"http://{metrics}/metrics", over)),
        ]
        for reader in readers:
            reader.start()
        began_s, began_us = time.monotonic(), time.time_ns() // 1000
        try:
            for row in _looks(began_s, minutes, over):
                rows.append(row)
                loads.append(os.getloadavg()[0])
        finally:
            over.set()
            for reader in readers:
                reader.join()
    (run,) = (made / "runs").iterdir()
    _add_lags(rows, run, began_us)
    _add_kept_by_locust(rows, run)
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%d"),
        "minutes": round(rows[-1]["at_s"] / 60, 1),
        "users": times * USERS,
        "scrape_ms": SCRAPE_MS // times,
        "beside": beside,
        "load_median": round(statistics.median(loads), 2),
        "load_most": round(max(loads), 2),
        **_outcome(run),
        **report_cost(run),
        "rows": rows,
    }


def _looks(began_s: float, minutes: float, over: threading.Event) -> Iterator[dict[str, Any]]:
    """A row for each process, every ten seconds."""
    known: dict[int, psutil.Process] = {}
    number = 0
    while (number := number + 1) * EVERY_S <= 60 * minutes:
        if over.wait(max(0.0, began_s + number * EVERY_S - time.monotonic())):
            return
        named = dict(_ours(known))
        for pid, name in named.items():
            with suppress(psutil.Error):
                yield _row(known[pid], name, number * EVERY_S)


def _ours(known: dict[int, psutil.Process]) -> Iterator[tuple[int, str]]:
    """The processes of the run, with their names; one that is known keeps what its processor time is counted from."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            module, parent = module_of(process), process.parent()
            # A child that is about to become a command of a target still looks as its parent does.
            is_fork = parent is not None and module_of(parent) == module
            if module in NAMES and not is_fork and process.environ().get(MARK) == str(os.getpid()):
                known.setdefault(process.pid, process)
                passes_on = module == SHIPPER and process.ppid() != os.getpid()
                yield process.pid, f"{NAMES[module]} in the lab" if passes_on else NAMES[module]


def _row(process: psutil.Process, name: str, at_s: float) -> dict[str, Any]:
    """Processor time since the row before; of the first row there is none."""
    percent = process.cpu_percent()
    with process.oneshot():
        return {
            "at_s": at_s,
            "process": name,
            "mb": round(process.memory_info().rss / MEGABYTE, 2),
            "descriptors": process.num_fds(),
            "threads": process.num_threads(),
            "cpu_percent": percent if at_s > EVERY_S else None,
            "lag_p99_ms": None,
            "kept_by_locust_mb": None,
        }


def _watch_page(url: str, over: threading.Event) -> None:
    """Asks for the state as the open page does: for what is new since the answer before."""
    run, revision = 0, 0
    while not over.wait(PAGE_EVERY_S):
        with suppress(OSError, ValueError):
            facts = json.loads(_get(f"{url}/switchover/state?run={run}&since={revision}"))
            run, revision = facts["key"], facts.get("revision", 0)


def _fetch_metrics(url: str, over: threading.Event) -> None:
    while not over.wait(METRICS_EVERY_S):
        with suppress(OSError):
            _get(url)


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return bytes(answer.read())


def _add_lags(rows: list[dict[str, Any]], run: Path, began_us: int) -> None:
    """To the prober's rows: by how much 99 of 100 probes of these ten seconds were sent late at most."""
    every_us = round(EVERY_S * 1e6)
    found = duckdb.execute(
        "SELECT (intended_us - $1) // $2 AS place, quantile_disc(start_us - intended_us, 0.99) / 1000.0 "
        "FROM read_csv($3, header = true) WHERE intended_us >= $1 GROUP BY place",
        [began_us, every_us, str(run / "probes.jtl")],
    ).fetchall()
    lags: Mapping[int, float] = {int(place): float(lag) for place, lag in found}
    for row in rows:
        if row["process"] == PROBER:
            row["lag_p99_ms"] = lags.get(round(row["at_s"] / EVERY_S) - 1)


def _add_kept_by_locust(rows: list[dict[str, Any]], run: Path) -> None:
    """To Locust's rows. In a process of its own: Locust changes the one that it is imported in."""
    log = "SELECT count(DISTINCT label) FROM read_csv($1, header = true)"
    (names,) = duckdb.execute(log, [str(run / "samples.jtl")]).fetchall()[0]
    mine = [row for row in rows if row["process"] == LOCUST]
    times = [str(row["at_s"]) for row in mine]
    told = subprocess.run(
        [sys.executable, "-m", "proof.locust_statistics", str(names), *times], capture_output=True, check=True
    )
    for row, kept_mb in zip(mine, json.loads(told.stdout), strict=True):
        row["kept_by_locust_mb"] = kept_mb


def _outcome(run: Path) -> dict[str, Any]:
    """What became of the run itself."""
    verdict = json.loads((run / "verdict.json").read_text(encoding="utf-8"))
    streaming = json.loads((run / "run.json").read_text(encoding="utf-8"))["streaming"]
    return {
        "verdict": verdict["verdict"],
        "requests": verdict["samples"]["total"],
        "probes": verdict["probes"]["total"],
        "streamed": streaming["points"],
        "left": streaming["left"],
    }


def report_cost(run: Path) -> dict[str, Any]:
    """What `switchover report` takes for a run of that length, as a process of its own."""
    process = subprocess.Popen([sys.executable, "-m", "switchover", "report", str(run)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "journal_mb": round(sum(path.stat().st_size for path in run.glob("journal*.lp")) / MEGABYTE),
        "report_cpu_s": round(used.ru_utime + used.ru_stime),
        "report_mb": round(used.ru_maxrss * 1024 / MEGABYTE),
    }


if __name__ == "__main__":
    sys.exit(main())
