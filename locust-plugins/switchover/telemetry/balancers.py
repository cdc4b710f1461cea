"""The state of a balancer in one scrape: its process, its open frontends, and its servers that are up.

The preflight scrapes a balancer directly. The checks that a fault is confirmed and that the pair is restored use
recorded scrapes. A new type of balancer needs a scraper and an entry in `BALANCERS`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.model.errors import TelemetryError
from switchover.rundir.measurements import HAPROXY, HAPROXY_INFO, NGINX, PROXY
from switchover.rundir.points import Point
from switchover.target.model import Node
from switchover.telemetry.fetch import QUERY_S
from switchover.telemetry.haproxy import is_frontend_open, is_server_up
from switchover.telemetry.scrapers import BALANCER_SCRAPERS, Reading


@dataclass(frozen=True, slots=True)
class BalancerState:
    """The state of a balancer at one time."""

    generation: str
    """An identifier of the process that answered. Each process has a different generation."""
    frontends: Mapping[str, str] = field(default_factory=dict)
    """The status of each frontend, by name."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """The status of each server, by `proxy/server`."""
    servers_up: frozenset[str] = frozenset()
    """The servers that get requests."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """The weight of each server, by `proxy/server`."""
    accepted: int = 0
    """The number of connections since the start of the process. It is set if the source does not identify the
    process."""
    at_us: int = 0
    """The time on the run's clock. 0: the current time."""

    @property
    def frontends_open(self) -> frozenset[str]:
        return frozenset(name for name, status in self.frontends.items() if is_frontend_open(status))


Rows = Sequence[Point | Reading]


@dataclass(frozen=True, slots=True)
class BalancerKind:
    """A type of balancer, and the source of its state."""

    name: str
    """The name of the balancer in messages."""
    source: str
    """The key in `[[node]]` with the address of the source. The scrapes use the same source name."""
    measurement: str
    """The measurement of the points of a scrape."""
    reports_servers: bool
    read: Callable[[int, Rows, BalancerState | None], BalancerState]
    """A function that computes the new state from the time of a scrape (µs), its rows and the previous state."""


def _read_statistics(at_us: int, rows: Rows, _: BalancerState | None) -> BalancerState:
    """Read the state from statistics with one row per frontend and server."""
    frontends, servers, weights = {}, {}, {}
    for row in rows:
        kind, name = row.tags.get("type"), f"{row.tags.get('proxy', '')}/{row.tags.get('server', '')}"
        status, weight = str(row.fields.get("status", "")), row.fields.get("weight")
        if kind == "frontend":
            # HAProxy up to 2.2 reports FULL while a frontend is at its `maxconn`. The frontend is still open.
            frontends[row.tags.get("proxy", "")] = "OPEN" if status == "FULL" else status
        elif kind == "server":
            servers[name] = status
            if isinstance(weight, int):
                weights[name] = weight
    return BalancerState(
        generation=next((str(row.fields["generation"]) for row in rows if "generation" in row.fields), ""),
        frontends=frontends,
        servers=servers,
        servers_up=frozenset(name for name, status in servers.items() if is_server_up(status)),
        weights=weights,
        at_us=at_us,
    )


def _read_connections(at_us: int, rows: Rows, earlier: BalancerState | None) -> BalancerState:
    """Read the state from Nginx's status page. The page does not identify the process. If the count of connections
    falls, the process is new."""
    accepts = rows[0].fields.get("accepts")
    accepted = accepts if isinstance(accepts, int) else 0
    generation = 1 if earlier is None else int(earlier.generation) + (accepted < earlier.accepted)
    return BalancerState(str(generation), accepted=accepted, at_us=at_us)


BALANCERS = (
    BalancerKind("HAProxy", "haproxy", HAPROXY, True, _read_statistics),
    BalancerKind("Nginx", "nginx", NGINX, False, _read_connections),
    BalancerKind("page of metrics", "metrics", PROXY, True, _read_statistics),
)
STATE_SOURCES = frozenset(kind.source for kind in BALANCERS)
"""The sources whose scrapes identify the balancer process that answered."""


def kind_of(node: Node) -> BalancerKind | None:
    """Return the type of a node's balancer. None: the target file has no source for it."""
    return next((kind for kind in BALANCERS if getattr(node, kind.source) is not None), None)


def look_at(node: Node, kind: BalancerKind) -> BalancerState:
    """Query the balancer now. Raises TelemetryError if the balancer gives no usable answer."""
    return kind.read(0, _scrape(node, kind), None)


def describe(node: Node, kind: BalancerKind) -> str:
    """Describe the balancer's current state in a few words. Raises TelemetryError under the conditions of
    `look_at`."""
    rows = _scrape(node, kind)
    processes = next((row.fields.get("Nbproc", 1) for row in rows if row.measurement == HAPROXY_INFO), 1)
    alone = f"; only of this process, one of {processes} (nbproc)" if processes != 1 else ""
    servers = f"{len(kind.read(0, rows, None).servers)} servers, " if kind.reports_servers else ""
    return f"{servers}{_requests_in(rows):,} requests so far{alone}"


def count_requests(node: Node) -> int | None:
    """Return the number of requests that the node's balancer has counted. None: unknown."""
    kind = kind_of(node)
    try:
        return None if kind is None else _requests_in(_scrape(node, kind))
    except TelemetryError:
        return None


def _requests_in(rows: Rows) -> int:
    """Return the number of requests of all frontends together, or of Nginx. In TCP mode, return the number of
    sessions."""
    numbers = [row.fields for row in rows if row.tags.get("type") in (None, "frontend")]
    return max(sum(int(fields.get(name, 0)) for fields in numbers) for name in ("req_tot", "stot", "requests"))


def _scrape(node: Node, kind: BalancerKind) -> list[Reading]:
    scraper = BALANCER_SCRAPERS[kind.source](node, QUERY_S)
    return [] if scraper is None else scraper.scrape(time.time_ns())
