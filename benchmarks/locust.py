"""What recording costs a load generator, against Locust alone, other listeners and k6, by turns on one core.

    python benchmarks/locust.py [--quick] [--rounds 8] [--users 20] [--only FastHttpUser]
    python benchmarks/locust.py --memory [5]     RSS of BalancerHttpUser with everything on, over 5 million requests

Contestants that are compared are alive at the same time and play by turns; the load has one core to itself, Nginx
with one process the other. Results go to benchmarks/locust.json and into benchmarks/README.md.
Exit code 1 if a goal is missed.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from estimates import estimate, paired
from locust_contestants import HERE, PLUGIN, K6Contestant, LocustContestant, Stage, start_locust
from locust_surroundings import k6, k6_version, package_version, python_with
from results import at_least, at_most, machine, raw, summarised
from scene import SLICE_S, Block, play
from surroundings import server, sink
from tables import contestants_table, goals_table, quote

RESULTS = Path(__file__).with_name("locust.json")
MILLION = 1_000_000
ADDED_LIMIT_US = 6.0
TIMES_FAST = 3.0
TURNS = 30
"""Of each contestant in a round."""
LONG_TURNS, LONG_TURN_S = 2, 2.0
"""Fewer and longer ones, where rates are compared that lie far apart: k6 is asked over its API how far it has come,
and what it does once a second would hardly fit into a short turn."""
JMETER, INFLUXDB = "locust-plugins' JMeter listener", "locust-influxdb-listener"
BALANCER = "BalancerHttpUser + Switchover"
K6, FAST_BESIDE = "k6, GOMAXPROCS=1", "FastHttpUser (alternates with BalancerHttpUser)"


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU per request of load generators")
    parser.add_argument("--quick", action="store_true", help="one round: whether it works, not what it costs")
    parser.add_argument("--rounds", type=int, default=8, help="with processes of their own (default 8)")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--only", default="", help="the scene of this name: FastHttpUser, HttpUser, BalancerHttpUser")
    parser.add_argument(
        "--memory", type=int, nargs="?", const=5, metavar="MILLIONS", help="memory over so many requests instead"
    )
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("two cores are needed: one for the load, one for the server")
    load_core, other_core = cores[-1], cores[0]
    os.sched_setaffinity(0, {other_core})
    with tempfile.TemporaryDirectory() as name, server(Path(name), other_core) as port, sink() as influx_port:
        stage = Stage(
            url=f"http://127.0.0.1:{port}",
            users=options.users,
            load_core=load_core,
            other_core=other_core,
            influx_port=influx_port,
        )
        if options.memory:
            return measure_memory(stage, options.memory * MILLION)
        return measure_cost(stage, options)


def scenes() -> tuple[dict[str, list[LocustContestant | K6Contestant]], dict[str, str]]:
    """Who plays against whom, and the versions of what they are made of."""
    versions = {name: version(name) for name in ("locust", "geventhttpclient", "requests", "gevent")}
    jmeter, influxdb = python_with("locust-plugins"), python_with("locust-influxdb-listener")
    versions["locust-plugins"] = package_version(jmeter, "locust-plugins")
    versions["locust-influxdb-listener"] = package_version(influxdb, "locust-influxdb-listener")
    found: dict[str, list[LocustContestant | K6Contestant]] = {}
    for name, file in (("FastHttpUser", "bench_fast.py"), ("HttpUser", "bench_http.py")):
        found[name] = [
            LocustContestant(name, None, file),
            LocustContestant(f"{name} + Switchover", name, file, (PLUGIN,)),
            LocustContestant(f"{name} + {JMETER}", name, file, (HERE / "bench_jmeter_listener.py",), jmeter),
            LocustContestant(f"{name} + {INFLUXDB}", name, file, (HERE / "bench_influxdb_listener.py",), influxdb),
        ]
    # Who imports BalancerHttpUser has the plugin: there is no such user without it.
    found["BalancerHttpUser"] = [
        LocustContestant(BALANCER, None, "bench_balancer.py", (PLUGIN,)),
        LocustContestant(FAST_BESIDE, None, "bench_fast.py"),
    ]
    binary = k6()
    if binary is None:
        print("k6 is left out: no `go`, or it could not be installed", file=sys.stderr)
    else:
        versions["k6"] = k6_version(binary)
        found["BalancerHttpUser"].append(K6Contestant(K6, None, binary))
    return found, versions


def measure_cost(stage: Stage, options: argparse.Namespace) -> int:
    taking_part, versions = scenes()
    if options.only:
        taking_part = {options.only: taking_part[options.only]}
    played: dict[str, list[Block]] = {}
    summary: dict[str, Any] = {}
    for name, contestants in taking_part.items():
        turns, turn_s = (LONG_TURNS, LONG_TURN_S) if name == "BalancerHttpUser" else (TURNS, SLICE_S)
        seconds = turns * turn_s * len(contestants)
        print(f"{name}: {len(contestants)} by turns, {seconds:.0f} s in a round", file=sys.stderr)
        played |= play(contestants, stage, options.rounds, turns, turn_s=turn_s)
        summary |= {c.name: summarised(c.name, c.base, played) for c in contestants}
    goals = judged(played)
    result = {
        "machine": {**machine(), "python": platform.python_version(), **versions},
        "users": stage.users,
        "seconds": TURNS * SLICE_S,
        "rounds": options.rounds,
        "contestants": summary,
        "goals": goals,
        "raw": raw(played),
    }
    table = contestants_table(result, "request") + "\n" + goals_table(goals)
    if not options.quick and not options.only:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        quote(table, "locust.py")
    print(table)
    return 0 if options.quick or all(goal["met"] == "yes" for goal in goals) else 1


def judged(played: dict[str, list[Block]]) -> list[dict[str, Any]]:
    """The goals whose contestants took part."""
    goals: list[dict[str, Any]] = []

    def cpu(name: str) -> list[float]:
        return [block.cpu_us for block in played.get(name, [])]

    for user in ("FastHttpUser", "HttpUser"):
        ours = cpu(f"{user} + Switchover")
        if ours and user == "FastHttpUser":
            added = paired(ours, cpu(user))
            goals.append(
                at_most(
                    f"{user} + Switchover: adds at most {ADDED_LIMIT_US:g} CPU µs per request", added, ADDED_LIMIT_US
                )
            )
        for other in (JMETER, INFLUXDB):
            theirs = cpu(f"{user} + {other}")
            if ours and theirs:
                dearer = paired(theirs, ours)
                goals.append(
                    at_least(f"{user} + Switchover: CPU µs saved per request, compared with {other}", dearer, 0)
                )
    for other, times in ((FAST_BESIDE, TIMES_FAST), (K6, 1.0)):
        ours_played, theirs_played = played.get(BALANCER), played.get(other)
        if ours_played and theirs_played:
            ratio = estimate([a.rate / b.rate for a, b in zip(ours_played, theirs_played, strict=True)])
            text = f"{BALANCER}: at least {times:g} times the request rate of {other.partition(' (')[0]}"
            goals.append(at_least(text, ratio, times))
    return goals


def measure_memory(stage: Stage, requests: int) -> int:
    contestant = LocustContestant(BALANCER, None, "bench_balancer.py", (PLUGIN,))
    print("| million requests | RSS MB |\n|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        environment = {"BENCHMARK_REQUESTS": str(requests)}
        process = start_locust(contestant, stage, Path(name), environment, stdout=None)
        process.wait()
        if process.returncode not in (0, 1):
            print((Path(name) / "log").read_text(errors="replace")[-2000:], file=sys.stderr)
    return int(process.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
