"""Recorded runs at another time: as if they ended at a given one, or while they happen once more."""

import re
import time
from collections.abc import Callable, Iterable
from itertools import groupby

from support.recorded import Recorded
from switchover.rundir.points import parse_point

DELAY_S = 1.0
"""A second's points are written when it is over."""
NS = 1_000_000_000
JUDGED = re.compile(rb"switchover_(verdict|limit)|switchover_event,.*kind=(first_failure|first_success|failback)\b")
"""What is found when a run is judged, at the times at which it was."""


def at_another_time(run: Recorded, name: str, start_ns: int) -> list[tuple[int, bytes]]:
    """Its lines by their times, the first at `start_ns`, as those of a run with this name."""
    lines = [(parse_point(line.decode()).time_ns, line) for line in run.points.splitlines()]
    later = start_ns - min(at for at, _ in lines)
    old = f"run={run.run}".encode()
    moved = (
        (at + later, line.rpartition(b" ")[0].replace(old, f"run={name}".encode(), 1) + b" %d" % (at + later))
        for at, line in lines
    )
    return sorted(moved)


def ended_at(run: Recorded, name: str, end_ns: int) -> bytes:
    """All its points, the last one at `end_ns`."""
    first_ms, last_ms = run.times_ms
    length_ns = (last_ms - first_ms - 2000) * 1_000_000
    return joined(line for _, line in at_another_time(run, name, end_ns - length_ns))


def replay(run: Recorded, name: str, write: Callable[[bytes], None]) -> None:
    """Hands on each second's points when it is over, at the pace at which they came; at last what was judged."""
    lines = at_another_time(run, name, time.time_ns())
    for second, group in groupby(lines, key=lambda one: one[0] // NS):
        time.sleep(max(0.0, second + DELAY_S - time.time()))
        write(joined(line for _, line in group if not JUDGED.match(line)))
    write(joined(line for _, line in lines if JUDGED.match(line)))


def outage_after_s(run: Recorded) -> float:
    """From its first point to the beginning of its outage."""
    first = min(parse_point(line.decode()).time_ns for line in run.points.splitlines())
    return (1000 * int(run.verdict["outage"]["from_us"]) - first) / NS


def joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
