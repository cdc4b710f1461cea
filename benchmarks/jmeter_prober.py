"""How punctual the prober is inside a JMeter, which has all cores and shares them with the servers."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from jmeter_contestants import Stage, said, start_jmeter
from jmeter_plan import http, listener, pause, plan, target, users, who_answered
from players import cpu_s, until

RATE = 1000.0
IDLE, BUSY = "idle", "busy: sends and records as many samples as possible"
END_S = 120.0
"""For the end of a run, with its analysis."""


@dataclass(frozen=True, slots=True)
class Punctuality:
    """Of one run, by the prober's own account; CPU in per cent of a core."""

    lag_p50_ms: float
    lag_p99_ms: float
    lag_max_ms: float
    cpu_percent: float
    recorded: int
    unsent: int
    jvm_percent: float
    """Of all threads together, without the start and the end of the run."""


def measure_punctuality(stage: Stage, rounds: int, seconds: int) -> dict[str, list[Punctuality]]:
    """By what JMeter does meanwhile; in turns."""
    idle = users(1, pause(), seconds=seconds)
    busy = users(stage.users, http(stage.url, who_answered()), seconds=seconds)
    found: dict[str, list[Punctuality]] = {IDLE: [], BUSY: []}
    for _ in range(rounds):
        found[IDLE].append(_run(stage, idle, seconds))
        found[BUSY].append(_run(stage, busy, seconds))
    return found


def punctuality_table(found: dict[str, list[Punctuality]]) -> str:
    rounds = max(map(len, found.values()), default=0)
    lines = [
        f"The prober at {RATE:,.0f} probes/s, in {rounds} runs with an idle and {rounds} runs with a busy JMeter. "
        "Each cell is the median of the runs (lowest to highest).",
        "",
        "| JMeter | lag p50 ms | lag p99 ms | lag max ms | CPU % of the prober | CPU % of the JVM | unsent probes |",
        "|---|---|---|---|---|---|---|",
    ]
    for beside, runs in found.items():
        columns = (
            ([one.lag_p50_ms for one in runs], 2),
            ([one.lag_p99_ms for one in runs], 2),
            ([one.lag_max_ms for one in runs], 1),
            ([one.cpu_percent for one in runs], 1),
            ([one.jvm_percent for one in runs], 0),
        )
        cells = [beside, *(_spread(values, digits) for values, digits in columns)]
        unsent = sum(one.unsent for one in runs)
        cells.append(f"{unsent:,} of {unsent + sum(one.recorded for one in runs):,}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _spread(values: list[float], digits: int) -> str:
    """A single run that something else disturbed says nothing of the others."""
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{middle:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})"


def _run(stage: Stage, group: str, seconds: int) -> Punctuality:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        directory = Path(name)
        runs = directory / "runs"
        beside = [target(str(stage.balancer.target_file), str(runs), RATE), listener()]
        process = start_jmeter(plan([group], beside), directory, [])
        try:
            if not until(lambda: any(runs.glob("*/journal-prober.lp")), process):
                sys.exit(f"no prober began: {said(directory)}")
            began_s, cpu_before_s = time.monotonic(), cpu_s(process.pid)
            time.sleep(seconds - 1)
            jvm = 100 * (cpu_s(process.pid) - cpu_before_s) / (time.monotonic() - began_s)
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            sys.exit(f"a run of {seconds} s did not end within {END_S:g} s more: {said(directory)}")
        finally:
            process.kill()
            process.wait()
        (run,) = runs.iterdir()
        account = json.loads((run / "run.json").read_text(encoding="utf-8"))["generator"]
    names = ("lag_p50_ms", "lag_p99_ms", "lag_max_ms", "cpu_percent", "recorded", "unsent")
    return Punctuality(**{name: account[name] for name in names}, jvm_percent=round(jvm, 1))
