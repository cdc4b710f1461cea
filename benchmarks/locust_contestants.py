"""Who takes part: load generators pinned to one core, each held and let go on at will.

A contestant is started once and then plays in slices, stopped (SIGSTOP) between them, so that all of them share
with everything that the machine does meanwhile.
"""

import json
import mmap
import os
import struct
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from players import Reading, cpu_s, terminate, until

HERE = Path(__file__).parent / "locustfiles"
PLUGIN = Path(__file__).parents[1] / "locust-plugins" / "switchover" / "locust" / "switchover_locustfile.py"
READING = struct.Struct("=QQd")
"""Requests, failures and CPU seconds, as bench_measure.py writes them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What all contestants have in common."""

    url: str
    users: int
    load_core: int
    other_core: int
    influx_port: int


@dataclass(frozen=True, slots=True)
class LocustContestant:
    name: str
    base: str | None
    """The contestant without what this one has in addition."""
    user_file: str
    extra_files: tuple[Path, ...] = ()
    python: Path = Path(sys.executable)

    def start(self, stage: Stage, directory: Path) -> "LocustPlayer":
        readings = directory / "readings"
        readings.write_bytes(bytes(READING.size))
        process = start_locust(self, stage, directory, {"BENCHMARK_READINGS": str(readings)})
        player = LocustPlayer(process, readings)
        if not until(lambda: player.reading().requests > 0, process):
            player.end()
            sys.exit(f"{self.name} sends nothing: {(directory / 'log').read_text(errors='replace')[-2000:]}")
        return player


class LocustPlayer:
    reads_when_held = False

    def __init__(self, process: "subprocess.Popen[bytes]", readings: Path) -> None:
        self.process = process
        with readings.open("rb") as file:
            self._readings = mmap.mmap(file.fileno(), READING.size, access=mmap.ACCESS_READ)

    def reading(self) -> Reading:
        """Of a few milliseconds ago; the three belong together, because the process that is held wrote them."""
        return Reading(*READING.unpack(self._readings[:]))

    def warmed_up(self) -> None:
        """There is nothing to be done."""

    def end(self) -> None:
        terminate(self.process)


def start_locust(
    contestant: LocustContestant, stage: Stage, directory: Path, environment: dict[str, str], **popen: Any
) -> "subprocess.Popen[bytes]":
    files = [HERE / contestant.user_file, HERE / "bench_measure.py", *contestant.extra_files]
    command = [
        *("taskset", "-c", str(stage.load_core), str(contestant.python), "-m", "locust", "--headless"),
        *("-f", ",".join(map(str, files)), "-H", stage.url, "-u", str(stage.users), "-r", str(stage.users)),
        *("--loglevel", "WARNING"),
    ]
    if contestant.extra_files == (PLUGIN,):
        command += ["--switchover-out", str(directory / "runs")]
    values = {
        "BENCHMARK_OTHER_CORE": str(stage.other_core),
        "BENCHMARK_CSV": str(directory / "jmeter.csv"),
        "BENCHMARK_INFLUX_PORT": str(stage.influx_port),
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

    def start(self, stage: Stage, directory: Path) -> "K6Player":
        command = [
            *("taskset", "-c", str(stage.load_core), str(self.binary), "run", "--quiet", "--no-usage-report"),
            *("--address", f"127.0.0.1:{self.api_port}", "-e", f"URL={stage.url}/", "-e", f"USERS={stage.users}"),
            str(HERE / "bench_k6.js"),
        ]
        environment = {**os.environ, "GOMAXPROCS": "1"}
        process = subprocess.Popen(
            command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        player = K6Player(process, self.api_port)
        if not until(lambda: player.reading().requests > 0, process):
            player.end()
            sys.exit("k6 sends nothing")
        return player


class K6Player:
    reads_when_held = False

    def __init__(self, process: "subprocess.Popen[bytes]", api_port: int) -> None:
        self.process = process
        self._url = f"http://127.0.0.1:{api_port}/v1/metrics/http_reqs"

    def reading(self) -> Reading:
        """As many requests as it says that it has made; none as long as it does not answer."""
        try:
            with urllib.request.urlopen(self._url, timeout=5) as answer:
                count = int(json.load(answer)["data"]["attributes"]["sample"]["count"])
        except (OSError, KeyError, ValueError):
            count = 0
        return Reading(count, 0, cpu_s(self.process.pid))

    def warmed_up(self) -> None:
        """There is nothing to be done."""

    def end(self) -> None:
        terminate(self.process)


Contestant = LocustContestant | K6Contestant
