"""Send lag of the probes beside 500 held connections and without them, by turns.

    python benchmarks/connections.py [--seconds 10] [--turns 5] [--json]

The prober asks an Nginx of its own, the held connections the lab's application, which waits idle in the turns
without. Exit code 1 where the median of the p99 lags beside the load is more than 1.2 times the median without it, or
where the load did not keep its connections open.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from surroundings import free_port, nginx, wait_for

from switchover.connections.spec import HeldLoad, HeldSpec, KeptOpen
from switchover.model.held_kind import HeldKind
from switchover.prober import Prober, ProberSpec
from switchover.process.json_child import package_environment
from switchover.target.model import Endpoint

RATE = 1000.0
RATIO_LIMIT = 1.2
COUNTS = {
    HeldKind.POOLED: 40,
    HeldKind.IDLE: 300,
    HeldKind.DOWNLOAD: 30,
    HeldKind.UPLOAD: 30,
    HeldKind.SSE: 30,
    HeldKind.WEBSOCKET: 35,
    HeldKind.TCP: 35,
}
PATHS = {HeldKind.POOLED: "post", HeldKind.IDLE: "post"}
OPEN_S = 2.0
"""Until all connections of the load are open."""
LEAST_OPEN = 475
"""Of 500 at the end of a turn: the place of a body that has just ended has none for a moment."""


def main() -> int:
    parser = argparse.ArgumentParser(description="send lag of the prober beside held connections")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a turn")
    parser.add_argument("--turns", type=int, default=5, help="with the load and without it, each")
    parser.add_argument("--json", action="store_true", help="the figures instead of the table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with nginx(folder) as port, application(folder) as (http, lines):
            turns = [
                {"beside": beside, **measure(folder, port, load_of(folder, http, lines) if beside else None, options)}
                for _ in range(options.turns)
                for beside in (False, True)
            ]
    alone, beside = (
        [turn["lag_p99_ms"] for turn in turns if turn["beside"] is with_load] for with_load in (False, True)
    )
    ratio = statistics.median(beside) / statistics.median(alone)
    least_open = min(turn["open"] for turn in turns if turn["beside"])
    if options.json:
        print(json.dumps({"ratio": ratio, "turns": turns}, indent=2))
    else:
        print(f"{sum(COUNTS.values())} connections, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}")
        for turn in turns:
            load = f", {turn['open']} open, {turn['cpu_percent']:.0f} % of a processor" if turn["beside"] else ""
            print(f"{'beside' if turn['beside'] else 'alone ':6}  p99 lag {turn['lag_p99_ms']:.3f} ms{load}")
        print(f"median p99 lag beside the load: {ratio:.2f} of that without (limit {RATIO_LIMIT:g})")
    if least_open < LEAST_OPEN:
        print(f"{least_open} connections of the load were open, and not at least {LEAST_OPEN}", file=sys.stderr)
    return 0 if ratio <= RATIO_LIMIT and least_open >= LEAST_OPEN else 1


@contextmanager
def application(folder: Path) -> Iterator[tuple[int, int]]:
    """Its port of HTTP, and that of lines."""
    ports = free_port(), free_port()
    command = [sys.executable, "-P", "-m", "switchover.lab.on_host.held_app", *map(str, ports)]
    with subprocess.Popen(command, env=os.environ | package_environment()) as process:
        try:
            wait_for(ports[0], process, folder / "error.log")
            yield ports
        finally:
            process.terminate()


def load_of(folder: Path, http: int, lines: int) -> HeldSpec:
    url = f"http://127.0.0.1:{http}"
    loads = tuple(
        KeptOpen(
            kind,
            count,
            f"tcp://127.0.0.1:{lines}"
            if kind is HeldKind.TCP
            else f"{url}/connections/{PATHS.get(kind, kind.value)}",
        )
        for kind, count in COUNTS.items()
    )
    return HeldSpec(Endpoint(url), folder / "connections.jtl", loads)


def measure(folder: Path, port: int, load: HeldSpec | None, options: argparse.Namespace) -> dict[str, Any]:
    spec = ProberSpec(
        endpoint=Endpoint(f"http://127.0.0.1:{port}/"),
        probes=folder / "probes.jtl",
        journal=folder / "probes.lp",
        run="benchmark",
        rate=RATE,
    )
    with nullcontext() if load is None else HeldLoad(load) as connections:
        before_s, used_s, is_open = 0.0, 0.0, 0
        if connections is not None:
            time.sleep(OPEN_S)
            before_s = cpu_s(connections.pid)
        with Prober(spec) as prober:
            time.sleep(options.seconds)
            account = prober.stop()
        if connections is not None:
            used_s, is_open = cpu_s(connections.pid) - before_s, sum(connections.progress().open.values())
    return {
        "lag_p50_ms": account["lag_p50_ms"],
        "lag_p99_ms": account["lag_p99_ms"],
        "realtime": account["realtime"],
        "cpu_percent": 100 * used_s / options.seconds,
        "open": is_open,
    }


def cpu_s(pid: int) -> float:
    """Of user and kernel, of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
