"""What the sources in the journal told over time, thinned to what a chart can show."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from switchover.analysis.counters import Scrape, scrapes_of
from switchover.analysis.ownership import ownership_of
from switchover.rundir.measurements import EVENT, HAPROXY, NGINX, PROXY
from switchover.rundir.points import Point

LIMIT = 600
"""Points of a line."""
NODES = 8
ERRORS = ("econ", "eresp", "wretr", "wredis")
"""HAProxy's own names: errors while connecting and answering, retries and redispatches."""

Line = list[tuple[int, float | None]]
"""Time in µs and value; None parts it."""
Reading = tuple[int, str, dict[str, float]]
"""Time in µs, the process that answered, and what it counted."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One balancer as its own counters show it."""

    node: str
    requests: Line
    """A second."""
    sessions: Line
    queued: Line
    errors: Line
    """A second: connections and answers that failed, retries, redispatches."""


@dataclass(frozen=True, slots=True)
class Held:
    """A stretch of time in which a balancer held the virtual address."""

    node: str
    from_us: int
    to_us: int


def counted(points: Sequence[Point]) -> list[Counted]:
    """HAProxy, Nginx, Envoy and Traefik, in the order of their nodes' names."""
    found = [_of_haproxy(node, scrapes, points) for node, scrapes in scrapes_of(points).items()]
    proxies = {point.tags.get("node", "") for point in points if point.measurement == PROXY}
    found += [_of_readings(node, _readings(node, PROXY, points)) for node in proxies]
    readings: defaultdict[str, list[Point]] = defaultdict(list)
    for point in points:
        if point.measurement == NGINX:
            readings[point.tags.get("node", "")].append(point)
    found += [_of_nginx(node, of_node) for node, of_node in readings.items()]
    return sorted(found, key=lambda one: one.node)[:NODES]


def held(points: Iterable[Point], end_us: int) -> list[Held]:
    """Who held the virtual address when, as far as sources told."""
    ownership = ownership_of(points)
    return [
        Held(node, span.from_us, span.to_us)
        for node in sorted(ownership.nodes)
        for span in ownership.held_by(node, end_us)
    ]


def events(points: Iterable[Point]) -> list[tuple[int, str, str, str]]:
    """When, what kind, on which node, and the text."""
    return [
        (point.time_ns // 1000, point.tags.get("kind", ""), point.tags.get("node", ""), str(point.fields["text"]))
        for point in points
        if point.measurement == EVENT and "text" in point.fields
    ]


def _of_haproxy(node: str, scrapes: Sequence[Scrape], points: Iterable[Point]) -> Counted:
    """Its requests are those that were meant for a server."""
    sums = {at_us: found for at_us, _, found in _readings(node, HAPROXY, points)}
    for scrape in scrapes:
        sums[scrape.at_us]["requests"] = float(scrape.requests)
    return _of_readings(node, [(scrape.at_us, scrape.generation, sums[scrape.at_us]) for scrape in scrapes])


def _readings(node: str, measurement: str, points: Iterable[Point]) -> list[Reading]:
    """Requests and connections of what is in front, queue and errors of what is behind."""
    found: dict[int, Reading] = {}
    for point in points:
        if point.measurement != measurement or point.tags.get("node") != node:
            continue
        at_us = point.time_ns // 1000
        sums = found[at_us][2] if at_us in found else dict.fromkeys(("requests", "sessions", "queued", "errors"), 0.0)
        found[at_us] = at_us, str(point.fields.get("generation", "")), sums
        if point.tags.get("type") == "frontend":
            sums["requests"] += point.number("req_tot") or 0.0
            sums["sessions"] += point.number("scur") or 0.0
        elif point.tags.get("type") == "backend":
            sums["queued"] += point.number("qcur") or 0.0
            sums["errors"] += sum(point.number(name) or 0.0 for name in ERRORS)
    return sorted(found.values(), key=lambda reading: reading[0])


def _of_readings(node: str, readings: Sequence[Reading]) -> Counted:
    kept = readings[:: -(-len(readings) // LIMIT)]

    def series(name: str) -> list[tuple[int, str, float]]:
        return [(at_us, generation, sums[name]) for at_us, generation, sums in kept]

    return Counted(
        node,
        requests=_rates(series("requests")),
        sessions=_parted(series("sessions")),
        queued=_parted(series("queued")),
        errors=_rates(series("errors")),
    )


def _of_nginx(node: str, readings: Sequence[Point]) -> Counted:
    """Seven numbers for the whole server; a counter that falls is a new process."""
    kept = readings[:: -(-len(readings) // LIMIT)]
    total: list[tuple[int, str, float]] = []
    life = 0
    for point in kept:
        value = point.number("requests") or 0.0
        life += bool(total and value < total[-1][2])
        total.append((point.time_ns // 1000, str(life), value))
    active = [
        (at_us, generation, point.number("active") or 0.0)
        for (at_us, generation, _), point in zip(total, kept, strict=True)
    ]
    return Counted(node, requests=_rates(total), sessions=_parted(active), queued=[], errors=[])


def _rates(readings: Sequence[tuple[int, str, float]]) -> Line:
    return _joined(readings, lambda before, after: (after[2] - before[2]) / max(after[0] - before[0], 1) * 1e6)


def _parted(readings: Sequence[tuple[int, str, float]]) -> Line:
    return _joined(readings, lambda _, after: after[2])


def _joined(readings: Sequence[tuple[int, str, float]], value: Callable[[Any, Any], float]) -> Line:
    """A value per reading but the first; the line is parted where one process followed another, or none answered."""
    steps = sorted(after[0] - before[0] for before, after in pairwise(readings))
    usual_us = steps[len(steps) // 2] if steps else 0
    line: Line = []
    for before, after in pairwise(readings):
        if before[1] != after[1] or after[0] - before[0] > 2.5 * usual_us:
            line.append((before[0] + 1, None))
        else:
            line.append((after[0], max(0.0, round(value(before, after), 3))))
    return line
