"""The counters of balancers over time, for charts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from switchover.evidence.generations import scrapes_of
from switchover.rundir.measurements import HAPROXY, NGINX, PROXY
from switchover.rundir.points import Point

LIMIT = 600
"""The maximum number of points of a line."""
NODES = 8
ERRORS = ("econ", "eresp", "wretr", "wredis")
"""HAProxy's names for connection errors, response errors, retries and redispatches."""
RATES, GAUGES = ("requests", "errors"), ("sessions", "queued")

Line = list[tuple[int, float | None]]
"""Times in microseconds, and values. A value of None interrupts the line."""


class NodeReading(NamedTuple):
    at_us: int
    process: str
    sums: dict[str, float]


def counters_of(points: Sequence[Point]) -> dict[str, dict[str, Line]]:
    """Return requests and errors per second, sessions, and queued requests of each balancer, by node."""
    readings: defaultdict[str, dict[int, NodeReading]] = defaultdict(dict)
    for point in points:
        if point.measurement in (HAPROXY, PROXY, NGINX):
            _add(readings[point.tags.get("node", "")], point)
    for node, scrapes in scrapes_of(points).items():
        # Only requests for a server are counted, and only scrapes that can be read.
        sums = {scrape.at_us: readings[node][scrape.at_us].sums for scrape in scrapes}
        readings[node] = {
            scrape.at_us: NodeReading(
                scrape.at_us, scrape.generation, sums[scrape.at_us] | {"requests": float(scrape.requests)}
            )
            for scrape in scrapes
        }
    return {
        node: _lines(sorted(readings[node].values(), key=lambda reading: reading.at_us))
        for node in sorted(readings)[:NODES]
    }


def _add(readings: dict[int, NodeReading], point: Point) -> None:
    """Add the requests and sessions of frontends, and the queue and errors of backends. Nginx has no such parts."""
    at_us = point.time_ns // 1000
    sum_names = ("requests", "sessions") if point.measurement == NGINX else (*RATES, *GAUGES)
    sums = readings[at_us].sums if at_us in readings else dict.fromkeys(sum_names, 0.0)
    readings[at_us] = NodeReading(at_us, str(point.fields.get("generation", "")), sums)
    names: Iterable[tuple[str, str]] = ()
    if point.measurement == NGINX:
        names = (("requests", "requests"), ("sessions", "active"))
    elif point.tags.get("type") == "frontend":
        names = (("requests", "req_tot"), ("sessions", "scur"))
    elif point.tags.get("type") == "backend":
        names = (("queued", "qcur"), *(("errors", name) for name in ERRORS))
    for name, field in names:
        sums[name] += point.number(field) or 0.0


def _lines(readings: Sequence[NodeReading]) -> dict[str, Line]:
    """Return a value for each reading except the first. A line is interrupted by a new process, or by a silence."""
    shown = readings[:: -(-len(readings) // LIMIT) or 1]
    steps = sorted(after.at_us - before.at_us for before, after in pairwise(shown))
    usual_us = steps[len(steps) // 2] if steps else 0
    lines: dict[str, Line] = {name: [] for name in (*RATES, *GAUGES)}
    for before, after in pairwise(shown):
        step_us = after.at_us - before.at_us
        is_new = before.process != after.process or after.sums["requests"] < before.sums["requests"]
        is_parted = is_new or step_us > 2.5 * usual_us
        for name in after.sums:
            line = lines[name]
            if is_parted:
                line.append((before.at_us + 1, None))
            elif name in GAUGES:
                line.append((after.at_us, after.sums[name]))
            else:
                rate = (after.sums[name] - before.sums[name]) / max(step_us, 1) * 1e6
                line.append((after.at_us, max(0.0, round(rate, 3))))
    return lines
