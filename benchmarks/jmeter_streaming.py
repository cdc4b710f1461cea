"""What becomes of the points when the database answers after 200 ms: by JMeter's raw InfluxDB listener, and by ours.

    python benchmarks/jmeter_streaming.py [--seconds 20] [--users 20]

A point of JMeter's is a sample, one of ours a second of a label, backend and outcome; so both are compared with what
each was to send. Then how fast our shipper is: half a million points of a journal, to a database that answers at
once. Results go to benchmarks/jmeter_streaming.json. `make jmeter` first.
"""

import argparse
import contextlib
import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from jmeter_contestants import require_current_plugins, start_jmeter, versions
from jmeter_plan import http, influxdb, listener, pause, plan, users, who_answered
from results import machine
from surroundings import server

RESULTS = Path(__file__).with_suffix(".json")
DELAY_S = 0.2
MANY = 500_000
THREAD = "switchover infl"
"""The shipper's, as Linux cuts its name."""
PATIENCE_S = 180.0


class Database(ThreadingHTTPServer):
    """Takes what it is sent, after a while."""

    daemon_threads = True

    def __init__(self, delay_s: float) -> None:
        super().__init__(("127.0.0.1", 0), _Write)
        self.delay_s = delay_s
        self.lines = 0
        self.keys: set[bytes] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone is no error here."""


class _Write(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Database

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.lines += body.count(b"\n") + (not body.endswith(b"\n"))
        if self.server.delay_s:
            self.server.keys.update(map(key_of, body.splitlines()))
        time.sleep(self.server.delay_s)
        self.send_response(204)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Not on the screen."""


def key_of(line: bytes) -> bytes:
    """Series and time; no tag of these plans holds a blank."""
    return line.partition(b" ")[0] + line.rpartition(b" ")[2]


@contextmanager
def database(delay_s: float) -> Iterator[Database]:
    with Database(delay_s) as running:
        threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True).start()
        yield running
        running.shutdown()


def ended(process: "subprocess.Popen[bytes]") -> float:
    """CPU seconds of the shipper's thread, as last seen before the process ended."""
    thread = 0.0
    until = time.monotonic() + PATIENCE_S
    while process.poll() is None:
        if time.monotonic() > until:
            process.kill()
            sys.exit("JMeter does not end")
        for task in Path(f"/proc/{process.pid}/task").glob("*"):
            with contextlib.suppress(OSError, IndexError):
                if (task / "comm").read_text().startswith(THREAD):
                    thread = int((task / "schedstat").read_text().split()[0]) / 1e9
        time.sleep(0.02)
    return thread


def options_for(sink: Database) -> list[str]:
    return [f"-Jswitchover.influx={sink.url}?db=d", "-l", "result.jtl"]


def samples_of(directory: Path) -> int:
    return (directory / "result.jtl").read_bytes().count(b"\n") - 1


def journalled(directory: Path) -> set[bytes]:
    return {key_of(line) for path in directory.glob("runs/*/journal*.lp") for line in path.read_bytes().splitlines()}


def played(url: str, options: argparse.Namespace, place: Path) -> dict[str, dict[str, int]]:
    load = [users(options.users, http(url, who_answered()), seconds=options.seconds)]
    found: dict[str, dict[str, int]] = {}
    for name in ("raw listener", "Switchover"):
        directory = place / name.replace(" ", "-")
        directory.mkdir()
        with database(DELAY_S) as sink:
            if name == "Switchover":
                ended(start_jmeter(plan(load, [listener()]), directory, options_for(sink)))
                points = journalled(directory)
                found[name] = {"points": len(points), "lost": len(points - sink.keys)}
            else:
                raw = influxdb("InfluxDBRawBackendListenerClient", f"{sink.url}/write?db=d")
                ended(start_jmeter(plan(load, [raw]), directory, ["-l", "result.jtl"]))
                samples = samples_of(directory)
                found[name] = {"points": samples, "lost": samples - sink.lines}
    return found


def raced(place: Path) -> dict[str, float]:
    """A journal of its own comes into the run directory of a test that does nothing."""
    ns = time.time_ns()
    journal = place / "journal-many.lp"
    with journal.open("w", encoding="utf-8") as file:
        for number in range(MANY):
            file.write(
                f"switchover_requests,answered_by=backend,backend=web{number % 7},balancer=lb1,generator=jmeter,"
                f"label=page-{number % 50},outcome=good,run=r count={number % 90}i,bytes={number * 37}i,"
                f"rt_sum={number % 977}.125,rt_min=0.500,rt_max={number % 313}.250,p50=1.000,p90=2.000,p95=3.000,"
                f'p99=4.000,hdr="HISTFAAAACh42pNpmSzMwMCgwMDAyM{number:07d}==" {ns + number}\n'
            )
    with database(0.0) as sink:
        idle = plan([users(1, pause(), seconds=20)], [listener()])
        process = start_jmeter(idle, place, options_for(sink))
        while not (runs := list(place.glob("runs/*"))):
            if process.poll() is not None:
                sys.exit("JMeter made no run")
            time.sleep(0.05)
        began_s = time.monotonic()
        journal.rename(runs[0] / journal.name)
        while sink.lines < MANY:
            if process.poll() is not None:
                sys.exit(f"{sink.lines} of {MANY} points came")
            time.sleep(0.01)
        took_s = time.monotonic() - began_s
        thread_s = ended(process)
    return {"points_per_s": round(MANY / took_s), "thread_cpu_us_per_point": round(thread_s / MANY * 1e6, 2)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Points of JMeter that reach a slow database")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--users", type=int, default=20)
    options = parser.parse_args()
    require_current_plugins()
    with tempfile.TemporaryDirectory() as name, server(Path(name), min(os.sched_getaffinity(0))) as port:
        race = Path(name) / "race"
        race.mkdir()
        found = {
            "machine": machine(),
            "versions": versions(),
            "delay_ms": DELAY_S * 1000,
            "slow": played(f"http://127.0.0.1:{port}/", options, Path(name)),
            "race": raced(race),
        }
    RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))
    return 1 if found["slow"]["Switchover"]["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
