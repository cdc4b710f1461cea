"""What recording costs a load generator, against Locust alone, other listeners and k6, in interleaved rounds.

    python benchmarks/locust.py [--quick] [--rounds 7] [--seconds 4] [--users 20] [--only FastHttpUser]
    python benchmarks/locust.py --memory [5]     RSS of BalancerHttpUser with everything on, over 5 million requests

In each round every contestant plays once, beside those that it is compared with; the load generator has one core to
itself, Nginx with one process the other. Results go to benchmarks/locust.json
and into benchmarks/README.md. Exit code 1 if a goal is missed.
"""

import argparse
import json
import os
import platform
import random
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from locust_contestants import (
    HERE,
    PLUGIN,
    Contestant,
    K6Contestant,
    LocustContestant,
    Round,
    Stage,
    start_locust,
)
from locust_statistics import Estimate, estimate, paired
from locust_surroundings import k6, k6_version, package_version, python_with, server, sink
from locust_table import as_table, quote

RESULTS = Path(__file__).with_name("locust.json")
MILLION = 1_000_000
ADDED_LIMIT_US = 6.0
TIMES_FAST = 3.0


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU per request of load generators")
    parser.add_argument("--quick", action="store_true", help="two short rounds: whether it works, not what it costs")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4.0, help="measured per contestant and round")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--only", default="", help="contestants whose names begin so, and their bases")
    parser.add_argument(
        "--memory", type=int, nargs="?", const=5, metavar="MILLIONS", help="memory over so many requests instead"
    )
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 2, 1.5
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("two cores are needed: one for the load, one for the server")
    load_core, other_core = cores[-1], cores[0]
    os.sched_setaffinity(0, {other_core})
    with tempfile.TemporaryDirectory() as name, server(Path(name), other_core) as port, sink() as influx_port:
        stage = Stage(
            url=f"http://127.0.0.1:{port}",
            users=options.users,
            warm_up_s=1.0,
            seconds=options.seconds,
            load_core=load_core,
            other_core=other_core,
            influx_port=influx_port,
        )
        if options.memory:
            return measure_memory(stage, options.memory * MILLION)
        return measure_cost(stage, options)


def contestants() -> tuple[list[Contestant], dict[str, str]]:
    """In the order of the table, and the versions of what they are made of."""
    versions = {name: version(name) for name in ("locust", "geventhttpclient", "requests", "httptools", "gevent")}
    jmeter, influxdb = python_with("locust-plugins"), python_with("locust-influxdb-listener")
    versions["locust-plugins"] = package_version(jmeter, "locust-plugins")
    versions["locust-influxdb-listener"] = package_version(influxdb, "locust-influxdb-listener")
    found: list[Contestant] = []
    for name, file in (("FastHttpUser", "bench_fast.py"), ("HttpUser", "bench_http.py")):
        found.append(LocustContestant(name, None, file))
        found.append(LocustContestant(f"{name} + Switchover", name, file, (PLUGIN,)))
        extra = (HERE / "bench_jmeter_listener.py",)
        found.append(LocustContestant(f"{name} + locust-plugins' JMeter listener", name, file, extra, python=jmeter))
        extra = (HERE / "bench_influxdb_listener.py",)
        found.append(LocustContestant(f"{name} + locust-influxdb-listener", name, file, extra, python=influxdb))
    found.append(LocustContestant("BalancerHttpUser", None, "bench_balancer.py"))
    found.append(
        LocustContestant("BalancerHttpUser + Switchover", "BalancerHttpUser", "bench_balancer.py", (PLUGIN,))
    )
    binary = k6()
    if binary is None:
        print("k6 is left out: no `go`, or it could not be installed", file=sys.stderr)
    else:
        versions["k6"] = k6_version(binary)
        found.append(K6Contestant("k6, GOMAXPROCS=1", None, binary))
    return found, versions


def measure_cost(stage: Stage, options: argparse.Namespace) -> int:
    taking_part, versions = contestants()
    if options.only:
        wanted = {c.name for c in taking_part if c.name.startswith(options.only)}
        wanted |= {c.base for c in taking_part if c.name in wanted and c.base}
        taking_part = [c for c in taking_part if c.name in wanted]
    rounds: dict[str, list[Round]] = {contestant.name: [] for contestant in taking_part}
    order = random.Random(1)
    began = time.monotonic()
    for number in range(options.rounds):
        for contestant in shuffled(taking_part, order):
            played = contestant.play(stage)
            rounds[contestant.name].append(played)
            line = f"{contestant.name}: {played.rate:,.0f}/s, {played.cpu_us:.1f} µs, {played.failures} failed"
            print(f"{time.monotonic() - began:4.0f} s  round {number + 1}/{options.rounds}  {line}", file=sys.stderr)
    summary = {contestant.name: summarised(contestant, rounds) for contestant in taking_part}
    goals = judged(rounds)
    machine = {"cpu": cpu_model(), "cores": os.cpu_count(), "python": platform.python_version(), **versions}
    result = {
        "machine": machine,
        "users": stage.users,
        "seconds": stage.seconds,
        "rounds": options.rounds,
        "contestants": summary,
        "goals": goals,
        "raw": {name: [[r.requests, r.cpu_s, r.seconds] for r in played] for name, played in rounds.items()},
    }
    table = as_table(result)
    if not options.quick and not options.only:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        quote(table)
    print(table)
    return 0 if options.quick or all(goal["met"] for goal in goals) else 1


def shuffled(taking_part: list[Contestant], order: random.Random) -> list[Contestant]:
    """In an order of the round's own, but each beside those that it is compared with."""
    families: dict[str, list[Contestant]] = {}
    for contestant in taking_part:
        families.setdefault(contestant.base or contestant.name, []).append(contestant)
    shuffled_families = order.sample(list(families.values()), len(families))
    return [contestant for family in shuffled_families for contestant in order.sample(family, len(family))]


def summarised(contestant: Contestant, rounds: dict[str, list[Round]]) -> dict[str, Any]:
    own = rounds[contestant.name]
    found: dict[str, Any] = {
        "rate": as_json(estimate([played.rate for played in own])),
        "cpu_us": as_json(estimate([played.cpu_us for played in own])),
        "failures": sum(played.failures for played in own),
    }
    if contestant.base is not None:
        base = rounds[contestant.base]
        found["added_us"] = as_json(paired([p.cpu_us for p in own], [p.cpu_us for p in base]))
        found["of_bare_rate"] = as_json(estimate([p.rate / b.rate for p, b in zip(own, base, strict=True)]))
    return found


def judged(rounds: dict[str, list[Round]]) -> list[dict[str, Any]]:
    """The goals whose contestants took part."""
    goals: list[dict[str, Any]] = []

    def goal(text: str, value: Estimate, met: bool) -> None:
        goals.append({"goal": text, **as_json(value), "met": met})

    def cpu(name: str) -> list[float]:
        return [played.cpu_us for played in rounds.get(name, [])]

    for user in ("FastHttpUser", "HttpUser"):
        ours = cpu(f"{user} + Switchover")
        if ours and user == "FastHttpUser":
            added = paired(ours, cpu(user))
            goal(f"{user}: at most {ADDED_LIMIT_US:g} µs added", added, added.mean <= ADDED_LIMIT_US)
        for other in ("locust-plugins' JMeter listener", "locust-influxdb-listener"):
            theirs = cpu(f"{user} + {other}")
            if ours and theirs:
                dearer = paired(theirs, ours)
                goal(f"{user}: µs cheaper than {other}", dearer, dearer.mean > 0)
    for other, times in (("FastHttpUser", TIMES_FAST), ("k6, GOMAXPROCS=1", 1.0)):
        ours_played, theirs_played = rounds.get("BalancerHttpUser + Switchover"), rounds.get(other)
        if ours_played and theirs_played:
            ratio = estimate([a.rate / b.rate for a, b in zip(ours_played, theirs_played, strict=True)])
            goal(
                f"BalancerHttpUser with everything on: at least {times:g} x {other}'s rate",
                ratio,
                ratio.mean >= times,
            )
    return goals


def as_json(value: Estimate) -> dict[str, float | None]:
    return {"mean": round(value.mean, 3), "margin": round(value.margin, 3) if value.margin != float("inf") else None}


def measure_memory(stage: Stage, requests: int) -> int:
    contestant = LocustContestant("BalancerHttpUser + Switchover", None, "bench_balancer.py", (PLUGIN,))
    print("| million requests | RSS MB |\n|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        environment = {"BENCHMARK_REQUESTS": str(requests)}
        process = start_locust(contestant, stage, Path(name), environment, stdout=None)
        process.wait()
        if process.returncode not in (0, 1):
            print((Path(name) / "log").read_text(errors="replace")[-2000:], file=sys.stderr)
    return int(process.returncode != 0)


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    sys.exit(main())
