"""What the plugins cost JMeter, against JMeter alone and what else it can be asked to do, by turns on one core.

    python benchmarks/jmeter.py [--quick] [--rounds 5] [--users 20] [--warm-up 300]
    python benchmarks/jmeter.py --memory [5]     live heap with everything on, over 5 million samples

Contestants are alive at the same time and play by turns of a tenth of a second; the load has one core to itself, the
servers have the other. Then the prober, beside an idle and a busy JMeter. Results go to benchmarks/jmeter.json and
into benchmarks/README.md. Exit code 1 if a goal is missed. `make jmeter` first.
"""

import argparse
import json
import math
import os
import signal
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from estimates import Estimate, estimate, paired
from jmeter_cast import AGGREGATE, BARE, CAST, GROOVY, JTL, OURS, PROBE, RAW
from jmeter_contestants import Stage, require_current_plugins, versions
from jmeter_memory import measure_memory
from jmeter_prober import IDLE, Punctuality, measure_punctuality, punctuality_table
from jmeter_surroundings import balancer
from results import at_least, at_most, machine, raw, summarised
from scene import SLICE_S, Block, play
from surroundings import server
from tables import contestants_table, goals_table, quote

RESULTS = Path(__file__).with_name("jmeter.json")
TURNS = 60
"""Of each contestant in a round."""
SETTLING = 40
"""Turns before those that count: one that was held while others warmed up finds its connections expired, and its
compiler then makes the code for that."""
ADDED_LIMIT_US = 10.0
PROBE_LIMIT = 0.6
LAG_LIMIT_MS = 2.0


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU per sample of JMeter")
    parser.add_argument("--quick", action="store_true", help="one round, cold: whether it works, not what it costs")
    parser.add_argument("--rounds", type=int, default=5, help="with JMeters of their own (default 5)")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument(
        "--warm-up",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="of CPU at most, for each: until its compiler is quiet (default 300)",
    )
    parser.add_argument(
        "--memory", type=int, nargs="?", const=5, metavar="MILLIONS", help="live heap over so many samples instead"
    )
    parser.add_argument("--only", choices=("cost", "prober"), help="one of the two, for a look")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.warm_up = 1, 3.0
    # The end of this process ends those that are held, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with scenery(options.users, options.warm_up) as stage:
        if options.memory:
            return measure_memory(stage, options.memory)
        return measure(stage, options)


@contextmanager
def scenery(number: int, warm_up_s: float) -> Iterator[Stage]:
    require_current_plugins()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("two cores are needed: one for the load, one for the servers")
    load_core, other_core = cores[-1], cores[0]
    os.sched_setaffinity(0, {other_core})
    with tempfile.TemporaryDirectory() as name:
        for_load, beside = Path(name) / "load", Path(name) / "beside"
        for_load.mkdir()
        beside.mkdir()
        with server(for_load, other_core) as port, balancer(beside, other_core) as probed:
            yield Stage(f"http://127.0.0.1:{port}/", number, load_core, other_core, probed, warm_up_s)


def measure(stage: Stage, options: argparse.Namespace) -> int:
    load_before = os.getloadavg()[0]
    played: dict[str, list[Block]] = {}
    punctual: dict[str, list[Punctuality]] = {}
    if options.only != "prober":
        seconds = len(CAST) * (SETTLING + TURNS) * SLICE_S
        print(f"{len(CAST)} by turns, {seconds:.0f} s in a round, when all have warmed up", file=sys.stderr)
        played = play(CAST, stage, options.rounds, TURNS, settling=SETTLING)
    if options.only != "cost":
        punctual = measure_punctuality(stage, rounds=1 if options.quick else 5, seconds=3 if options.quick else 12)
    result = {
        "machine": {**machine(), **versions(), "load average before": round(load_before, 2)},
        "users": stage.users,
        "seconds": TURNS * SLICE_S,
        "rounds": options.rounds,
        "warm_up": {name: [asdict(one) for one in rounds] for name, rounds in stage.warmth.items()},
        "compiled_s": stage.compiled_s,
        "contestants": {c.name: summarised(c.name, c.base, played) for c in CAST if played},
        "prober": {beside: [asdict(one) for one in rounds] for beside, rounds in punctual.items()},
        "goals": judged(played, punctual),
        "raw": raw(played),
    }
    table = "\n".join(
        (contestants_table(result, "sample"), punctuality_table(punctual), goals_table(result["goals"]))
    )
    if not options.quick and not options.only:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        quote(table, "jmeter.py")
    print(table)
    return 0 if options.quick or all(goal["met"] == "yes" for goal in result["goals"]) else 1


def judged(played: dict[str, list[Block]], punctual: dict[str, list[Punctuality]]) -> list[dict[str, Any]]:
    """Those of what was measured."""
    return (_cost(played) if played else []) + (_lag(punctual) if punctual else [])


def _cost(played: dict[str, list[Block]]) -> list[dict[str, Any]]:
    cpu = {name: [block.cpu_us for block in blocks] for name, blocks in played.items()}
    added = paired(cpu[OURS], cpu[JTL])
    text = f"Switchover: adds at most {ADDED_LIMIT_US:g} µs of CPU time per sample to {JTL}"
    goals = [at_most(text, added, ADDED_LIMIT_US)]
    for other in (AGGREGATE, RAW, GROOVY):
        dearer = paired(cpu[other], cpu[OURS])
        goals.append(at_least(f"Switchover: CPU µs saved per sample, compared with {other}", dearer, 0))
    share = estimate([a / b for a, b in zip(cpu[PROBE], cpu[BARE], strict=True)])
    text = f"Balancer Probe, keep-alive: at most {PROBE_LIMIT:g} times the CPU time of HttpClient4"
    goals.append(at_most(text, share, PROBE_LIMIT))
    return goals


def _lag(punctual: dict[str, list[Punctuality]]) -> list[dict[str, Any]]:
    lag = Estimate(statistics.median(one.lag_p99_ms for one in punctual[IDLE]), math.inf)
    text = f"prober at 1,000 probes/s in an idle JMeter: p99 lag (median of the runs) below {LAG_LIMIT_MS:g} ms"
    return [at_most(text, lag, LAG_LIMIT_MS)]


if __name__ == "__main__":
    sys.exit(main())
