"""Real drills in the built-in lab, recorded: their points and their verdicts, for tests that have no lab.

`PYTHONPATH=src/test/python python -m support.recorded RUN…` packs run directories anew.
"""

import gzip
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.rundir.points import parse_point

FOLDER = Path(__file__).parents[2] / "resources" / "recorded"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run's points as line protocol, and its verdict.json."""

    points: bytes
    verdict: dict[str, Any]

    @property
    def run(self) -> str:
        return str(self.verdict["run"])

    @property
    def times_ms(self) -> tuple[int, int]:
        """From before the first point to after the last."""
        times = [parse_point(line.decode()).time_ns for line in self.points.splitlines()]
        return min(times) // 1_000_000 - 1000, max(times) // 1_000_000 + 1000


def runs() -> tuple[Recorded, Recorded]:
    """Two drills: the recorded ones, or those in the directories that SWITCHOVER_TEST_RUNS names."""
    directories = os.environ.get("SWITCHOVER_TEST_RUNS")
    if directories:
        plain, split = (read_run(Path(directory)) for directory in directories.split(os.pathsep))
        return plain, split
    return recorded("haproxy-kill"), recorded("keepalived-kill")


def recorded(name: str) -> Recorded:
    """`haproxy-kill`: a plain switchover. `keepalived-kill`: two masters, and a exceeded limit."""
    with gzip.open(FOLDER / f"{name}.lp.gz") as points, gzip.open(FOLDER / f"{name}.json.gz") as verdict:
        return Recorded(points.read(), json.load(verdict))


def read_run(directory: Path) -> Recorded:
    """What a run directory has of it."""
    points = b"".join(path.read_bytes() for path in sorted(directory.glob("journal*.lp")))
    return Recorded(points, json.loads((directory / "verdict.json").read_bytes()))


def pack(directory: Path) -> None:
    found = read_run(directory)
    name = found.run.split("-", 1)[1]
    verdict = json.dumps(found.verdict, separators=(",", ":")).encode()
    for suffix, data in (("lp", found.points), ("json", verdict)):
        (FOLDER / f"{name}.{suffix}.gz").write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        pack(Path(argument))
