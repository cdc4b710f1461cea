"""One step of `scale.py`: a load with everything on is started, watched for a while, ended, and reported on."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import ceil, floor
from pathlib import Path
from typing import Any

from jmeter_contestants import COLLECTOR, JAR, MEMORY, said, start_jmeter
from jmeter_plan import element, http, listener, plan, target, users, who_answered
from locust_contestants import HERE, PLUGIN
from players import until
from scale_processes import look, others_percent, used_between
from scale_stage import Pair, pair
from scale_steps import BALANCER, JMETER, Step
from surroundings import free_port

from switchover.rundir.journal import latest
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.points import Point, parse_point

ALONE, RECORDED, MASTER, CLIENT, SERVER = "alone", "recorded", "master", "client", "server"
"""What processes are called that are told by who started them."""
FILES = {"samples": "samples*.jtl", "probes": "probes*.jtl", "journals": "journal*.lp"}
WARM_UP_S = 3.0
JAVA_WARM_UP_S = 20.0
"""Most of what a plan needs is compiled by then; the rest counts, as it does in a test of a few minutes."""
SPAWNED = (b"All users spawned", b"Spawning is complete")
"""What Locust logs then; the second where a busy machine's workers have not told their counts in time."""
START_S = 120.0
END_S = 120.0
"""For the end of a run, with its verdict."""
LOCALLY = ("-Jserver.rmi.ssl.disable=true", "-Djava.rmi.server.hostname=127.0.0.1")


Watched = tuple[dict[str, Any], tuple[float, float]]
"""What was seen, and from when to when, in seconds since the epoch."""


def play(step: Step, seconds: float) -> dict[str, Any]:
    """The row of this step."""
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="switchover-scale-") as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "pair").mkdir()
        around = stack.enter_context(pair(folder / "pair", step.backends))
        watched, seen = (_jmeter if step.client == JMETER else _locust)(step, around, folder, seconds)
        run = _only_run(folder)
        rate = _rate(run, *seen)
        if not rate:
            # Locust's master ends a test whose workers were silent for too long.
            sys.exit(f"{step}: no requests while it was watched; the machine is too busy")
        return {
            "axis": step.axis,
            "size": step.size,
            "client": step.client,
            "load_before": round(load_before, 2),
            **watched,
            "wanted_rate": step.rate,
            "rate": round(rate, 1),
            **_left(run),
            "report": _report(run),
        }


def _locust(step: Step, around: Pair, folder: Path, seconds: float) -> Watched:
    with ExitStack() as stack:
        names = {}
        if step.beside:
            alone = stack.enter_context(_started(step, folder / ALONE, around.beside, []))
            names[alone.pid] = ALONE
        options = ["--switchover-target", str(around.target_file), "--switchover-out", str(folder / "runs")]
        options += ["--switchover-probe-rate", str(step.probe_rate), "--switchover-influx", around.influx]
        options += ["--processes", str(step.workers)] if step.workers else []
        ours = stack.enter_context(_started(step, folder / RECORDED, around.shop, options))
        names[ours.pid] = MASTER if step.workers else RECORDED
        time.sleep(max(WARM_UP_S, step.users / step.rate))
        found = _watch(step, around, _only_run(folder), names, seconds)
        ours.terminate()
        ours.wait(END_S)
        return found


@contextmanager
def _started(step: Step, folder: Path, url: str, options: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A Locust with all its users; with `options` it records."""
    folder.mkdir()
    files = [HERE / ("bench_rate_balancer.py" if step.client == BALANCER else "bench_rate.py")]
    files += [PLUGIN] if options else []
    command = [sys.executable, "-m", "locust", "--headless", "-f", ",".join(map(str, files)), "-H", url]
    command += ["-u", str(step.users), "-r", str(step.users), *options]
    port = str(free_port())
    values = {
        "BENCHMARK_RATE": str(step.rate),
        "BENCHMARK_USERS": str(step.users),
        "LOCUST_MASTER_BIND_PORT": port,
        "LOCUST_MASTER_NODE_PORT": port,
    }
    log = folder / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **values}, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
    try:
        if not until(lambda: any(words in log.read_bytes() for words in SPAWNED), process, START_S):
            sys.exit(f"{step}: no users:\n{log.read_text(errors='replace')[-2000:]}")
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_S)
        process.kill()
        process.wait()


def _jmeter(step: Step, around: Pair, folder: Path, seconds: float) -> Watched:
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(folder / f"{SERVER}{number}")) for number in range(step.workers)]
        names = {process.pid: SERVER for process, _ in servers}
        each = step.users // step.workers
        per_minute = {"calcMode": 0, "throughput": f"{60 * step.rate / step.users:g}"}
        pace = element("ConstantThroughputTimer", "TestBeanGUI", "pace", per_minute)
        lasts_s = round(JAVA_WARM_UP_S + seconds + 15)
        group = users(each, http(f"{around.shop}/", pace, who_answered()), seconds=lasts_s)
        text = plan([group], [target(str(around.target_file), str(folder / "runs"), step.probe_rate), listener()])
        (folder / CLIENT).mkdir()
        options = ["-R", ",".join(host for _, host in servers), *LOCALLY]
        client = start_jmeter(text, folder / CLIENT, options)
        stack.callback(client.kill)
        names[client.pid] = CLIENT
        if not until(lambda: _has_begun(folder / "runs"), client, START_S):
            sys.exit(f"{step}: no samples: {said(folder / CLIENT)}")
        time.sleep(JAVA_WARM_UP_S)
        found = _watch(step, around, _only_run(folder), names, seconds)
        client.wait(END_S)
        return found


@contextmanager
def _server(folder: Path) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """One of JMeter's servers, and its name for the client."""
    folder.mkdir()
    port = free_port()
    command = ["java", *MEMORY, *COLLECTOR, "-jar", str(JAR), "-s", "-j", str(folder / "jmeter.log")]
    command += [f"-Jserver_port={port}", f"-Jserver.rmi.localport={free_port()}", *LOCALLY]
    with (folder / "said").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        if not until(lambda: _is_open(port), process, START_S):
            sys.exit(f"no server of JMeter: {said(folder)}")
        yield process, f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _is_open(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _has_begun(runs: Path) -> bool:
    return any(REQUESTS.encode() in journal.read_bytes() for journal in runs.glob("*/journal-jmeter.lp"))


def _watch(step: Step, around: Pair, run: Path, names: dict[int, str], seconds: float) -> Watched:
    """What the processes took and the files grew in so many seconds."""
    beside, sizes, began_s, wall_s = around.count_beside(), _sizes(run), time.monotonic(), time.time()
    before = look(names)
    time.sleep(seconds)
    after = look(names)
    took_s = time.monotonic() - began_s
    beside, grown = around.count_beside() - beside, _sizes(run)
    used = used_between(before, after, took_s)
    found = {
        "seconds": round(took_s, 2),
        "others_percent": others_percent(before, after, used, took_s),
        "rate_alone": round(beside / took_s, 1) if step.beside else None,
        "processes": used,
        "kb_per_s": {kind: round((grown[kind] - sizes[kind]) / took_s / 1000, 2) for kind in FILES},
    }
    return found, (wall_s, wall_s + took_s)


def _sizes(run: Path) -> dict[str, int]:
    return {kind: sum(path.stat().st_size for path in run.glob(pattern)) for kind, pattern in FILES.items()}


def _rate(run: Path, from_s: float, to_s: float) -> float:
    """Requests per second in the whole seconds between, by the points of the traffic."""
    first, last = ceil(from_s), floor(to_s)
    counts = [
        int(point.fields["count"])
        for point in _points(run)
        if point.measurement == REQUESTS and first <= point.time_ns // 1_000_000_000 < last
    ]
    return sum(counts) / max(1, last - first)


def _points(run: Path) -> list[Point]:
    lines = (line for path in run.glob("journal*.lp") for line in path.read_text(encoding="utf-8").splitlines())
    return latest(parse_point(line) for line in lines)


def _left(run: Path) -> dict[str, Any]:
    """What the run says of itself, and whether all that was counted is a row."""
    account = json.loads((run / "run.json").read_text(encoding="utf-8"))["generator"]
    names = ("lag_p50_ms", "lag_p99_ms", "lag_max_ms", "scheduled", "recorded", "unsent", "realtime")
    points = _points(run)
    verdict = json.loads((run / "verdict.json").read_text(encoding="utf-8"))
    return {
        "prober": {name: account[name] for name in names} | {"failed": verdict["probes"]["failed"]},
        "rows": sum(path.read_bytes().count(b"\n") - 1 for path in run.glob(FILES["samples"])),
        "counted": sum(int(point.fields["count"]) for point in points if point.measurement == REQUESTS),
    }


def _report(run: Path) -> dict[str, Any]:
    """`switchover report` on it, from the start of the process to its end."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "switchover", "report", str(run)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "seconds": round(time.monotonic() - began, 2),
        "cpu_s": round(used.ru_utime + used.ru_stime, 2),
        "mb": round(used.ru_maxrss / 1024, 1),
        "exit_code": process.returncode,
    }


def _only_run(folder: Path) -> Path:
    (run,) = (folder / "runs").iterdir()
    return run
