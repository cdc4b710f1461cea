"""Who takes part, and one round of each: a load generator pinned to one core, the server on another."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locust_surroundings import wait_until

HERE = Path(__file__).parent / "locustfiles"
PLUGIN = Path(__file__).parents[1] / "locust-plugins" / "switchover" / "locust" / "switchover_locustfile.py"
TIMEOUT_S = 60.0
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Round:
    """What a contestant did in one round."""

    requests: int
    failures: int
    cpu_s: float
    seconds: float

    @property
    def cpu_us(self) -> float:
        """Per request."""
        return self.cpu_s * 1e6 / self.requests

    @property
    def rate(self) -> float:
        return self.requests / self.seconds


@dataclass(frozen=True, slots=True)
class Stage:
    """What all contestants have in common."""

    url: str
    users: int
    warm_up_s: float
    seconds: float
    load_core: int
    other_core: int
    influx_port: int


@dataclass(frozen=True, slots=True)
class LocustContestant:
    name: str
    base: str | None
    """The contestant without whatever this one has in addition."""
    user_file: str
    extra_files: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
    python: Path = Path(sys.executable)

    def play(self, stage: Stage) -> Round:
        with tempfile.TemporaryDirectory() as name:
            result = Path(name) / "result.json"
            process = start_locust(self, stage, Path(name), {"BENCHMARK_RESULT": str(result)})
            complete = wait_until(result, process, TIMEOUT_S + stage.seconds)
            end(process)
            if not complete:
                sys.exit(f"{self.name} gave no result: {(Path(name) / 'log').read_text(errors='replace')[-2000:]}")
            return Round(**json.loads(result.read_text(encoding="utf-8")))


def start_locust(
    contestant: LocustContestant, stage: Stage, directory: Path, environment: dict[str, str], **popen: Any
) -> "subprocess.Popen[bytes]":
    files = [HERE / contestant.user_file, HERE / "bench_measure.py", *contestant.extra_files]
    command = [
        *("taskset", "-c", str(stage.load_core), str(contestant.python), "-m", "locust", "--headless"),
        *("-f", ",".join(map(str, files)), "-H", stage.url, "-u", str(stage.users), "-r", str(stage.users)),
        *("--loglevel", "WARNING", *contestant.arguments),
    ]
    if contestant.extra_files == (PLUGIN,):
        command += ["--switchover-out", str(directory / "runs")]
    values = {
        "BENCHMARK_WARM_UP_S": str(stage.warm_up_s),
        "BENCHMARK_SECONDS": str(stage.seconds),
        "BENCHMARK_OTHER_CORE": str(stage.other_core),
        "BENCHMARK_CSV": str(directory / "jmeter.csv"),
        "BENCHMARK_INFLUX_PORT": str(stage.influx_port),
        "BENCHMARK_RESULT": str(directory / "result.json"),
        **environment,
    }
    with (directory / "log").open("wb") as log:
        popen.setdefault("stdout", log)
        return subprocess.Popen(command, cwd=directory, env={**os.environ, **values}, stderr=log, **popen)


@dataclass(frozen=True, slots=True)
class K6Contestant:
    name: str
    base: str | None
    binary: Path
    api_port: int = 16565

    def play(self, stage: Stage) -> Round:
        api = f"127.0.0.1:{self.api_port}"
        command = [
            *("taskset", "-c", str(stage.load_core), str(self.binary), "run", "--quiet", "--address", api),
            *(
                "--no-usage-report",
                "-e",
                f"URL={stage.url}/",
                "-e",
                f"USERS={stage.users}",
                str(HERE / "bench_k6.js"),
            ),
        ]
        environment = {**os.environ, "GOMAXPROCS": "1"}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                give_up = time.monotonic() + TIMEOUT_S
                while not k6_requests(api):
                    if time.monotonic() > give_up or process.poll() is not None:
                        sys.exit("k6 sends nothing")
                    time.sleep(0.05)
                time.sleep(stage.warm_up_s)
                before = k6_requests(api), cpu_of(process.pid), time.monotonic()
                time.sleep(stage.seconds)
                after = k6_requests(api), cpu_of(process.pid), time.monotonic()
            finally:
                end(process)
        requests, cpu_s, seconds = (last - first for first, last in zip(before, after, strict=True))
        return Round(int(requests), 0, cpu_s, seconds)


Contestant = LocustContestant | K6Contestant


def k6_requests(api: str) -> float:
    """As many as k6 says that it has made; 0 as long as it does not answer."""
    try:
        with urllib.request.urlopen(f"http://{api}/v1/metrics/http_reqs", timeout=5) as answer:
            return float(json.load(answer)["data"]["attributes"]["sample"]["count"])
    except (OSError, KeyError, ValueError):
        return 0.0


def cpu_of(pid: int) -> float:
    """User and system time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
