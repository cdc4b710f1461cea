"""Measures the process that it is loaded into, from the moment that all users run, and then ends the test.

CPU is that of this process alone, user and system, by getrusage; requests are those that Locust counted.
"""

import json
import os
import resource
import time
from pathlib import Path
from typing import Any

import gevent
import psutil
from locust import events

WARM_UP_S = float(os.environ["BENCHMARK_WARM_UP_S"])
SECONDS = float(os.environ["BENCHMARK_SECONDS"])
RESULT = Path(os.environ["BENCHMARK_RESULT"])
OTHER_CORE = {int(os.environ["BENCHMARK_OTHER_CORE"])}
ON_REQUESTS = int(os.environ.get("BENCHMARK_REQUESTS", "0"))
"""Measure memory at every million requests up to so many, instead."""
MILLION = 1_000_000


@events.init.add_listener
def on_init(environment: Any, **_: Any) -> None:
    gevent.spawn(measure_memory if ON_REQUESTS else measure_cost, environment)


def measure_cost(environment: Any) -> None:
    wait_for_users(environment)
    # What the tool runs beside itself may have the other core, as it would on any machine.
    for child in psutil.Process().children(recursive=True):
        child.cpu_affinity(list(OTHER_CORE))
    gevent.sleep(WARM_UP_S)
    before = reading(environment)
    gevent.sleep(SECONDS)
    after = reading(environment)
    requests, failures, cpu_s, seconds = (end - start for start, end in zip(before, after, strict=True))
    result = {"requests": requests, "failures": failures, "cpu_s": cpu_s, "seconds": seconds}
    RESULT.write_text(json.dumps(result), encoding="utf-8")
    environment.runner.quit()


def measure_memory(environment: Any) -> None:
    wait_for_users(environment)
    total = environment.stats.total
    wanted = 0
    while wanted <= ON_REQUESTS:
        if total.num_requests >= wanted:
            rss = psutil.Process().memory_info().rss / 1e6
            print(f"| {wanted // MILLION} | {rss:.1f} |", flush=True)
            wanted += MILLION
        gevent.sleep(0.1)
    # The analysis of millions of samples is not what is measured here.
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(0)


def wait_for_users(environment: Any) -> None:
    while environment.runner is None or environment.runner.state != "running":
        gevent.sleep(0.05)


def reading(environment: Any) -> tuple[int, int, float, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    total = environment.stats.total
    return total.num_requests, total.num_failures, usage.ru_utime + usage.ru_stime, time.monotonic()
