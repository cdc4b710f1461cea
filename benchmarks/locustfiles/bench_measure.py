"""Says how far the process has come that it is loaded into.

CPU is that of this process alone, user and system, by getrusage; requests are those that Locust counted.
"""

import mmap
import os
import resource
import struct
from pathlib import Path
from typing import Any

import gevent
import psutil
from locust import events

READINGS = os.environ.get("BENCHMARK_READINGS")
EVERY_S = 0.01
READING = struct.Struct("=QQd")
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
    total = environment.stats.total
    with Path(str(READINGS)).open("r+b") as file, mmap.mmap(file.fileno(), READING.size) as readings:
        while True:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            readings[:] = READING.pack(total.num_requests, total.num_failures, usage.ru_utime + usage.ru_stime)
            gevent.sleep(EVERY_S)


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
