"""`python -m proof.log_worlds`: 1,000 simulated worlds, each judged from its logs alone.

The interval of each log must contain the length of the outage that the world had. Exit code 1 if one does not.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from proof.results import exit_status
from support.log_worlds import World
from switchover.evidence.log_run import load_logs
from switchover.figures.silences import find_silences

WORLDS = 1000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof.log_worlds", description=__doc__)
    parser.add_argument("--worlds", type=int, default=WORLDS, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    arguments = parser.parse_args()
    return exit_status(judge_worlds(arguments.first, arguments.worlds))


def judge_worlds(first: int, worlds: int) -> Iterator[str]:
    """What is untrue; then the counts are printed."""
    logs = away = proven = untrue = 0
    for seed in range(first, first + worlds):
        world = World.of(seed)
        with tempfile.TemporaryDirectory(prefix="switchover-worlds-") as folder:
            data = load_logs(world.write(Path(folder)))
            found = find_silences(data.samples, data.scope)
        logs += len(found)
        away += sum(bool(host.truths(world.outages)) for host in world.hosts)
        proven += sum(one.outage is not None for one in found)
        for why in world.untrue(found):
            untrue += 1
            yield f"world {seed} ({world.text}): {why}"
    print(f"{worlds} worlds, {logs} logs, {away} with an outage, {proven} outages proven, {untrue} untrue figures")


if __name__ == "__main__":
    sys.exit(main())
