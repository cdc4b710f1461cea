"""The state of a balancer in one scrape: its process, its open frontends, and its servers that are up.

The survivor check scrapes a balancer now. Confirmation and restoration read the scrapes of a run. Another type of
balancer needs a scraper and an entry in `BALANCERS`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.model.errors import TelemetryError
from switchover.rundir.measurements import HAPROXY, HAPROXY_INFO, NGINX, PROXY
from switchover.rundir.points import Point
from switchover.target.model import Node
from switchover.telemetry.haproxy import is_frontend_open, is_server_up
from switchover.telemetry.scrapers import BALANCER_SCRAPERS, Reading


@dataclass(frozen=True, slots=True)
class BalancerState:
    """The state of a balancer at one moment."""

    generation: str
    """The process that answered. Another generation is another process."""
    frontends: Mapping[str, str] = field(default_factory=dict)
    """The status of each frontend, by name."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """The status of each server, by `proxy/server`."""
    servers_up: frozenset[str] = frozenset()
    """The servers that get requests."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """The weight of each server, by `proxy/server`."""
    accepted: int = 0
    """The connections since its start, if no process is named."""
    at_us: int = 0
    """The time by the clock of the run. 0: now."""

    @property
    def frontends_open(self) -> frozenset[str]:
        return frozenset(name for name, status in self.frontends.items() if is_frontend_open(status))


Rows = Sequence[Point | Reading]


@dataclass(frozen=True, slots=True)
class BalancerKind:
    """A way to query a balancer."""

    name: str
    """The name of the balancer for users."""
    source: str
    """The key of `[[node]]` with the address, which is also the source name of its scrapes."""
    measurement: str
    """The measurement of the points of a scrape."""
    tells_servers: bool
    read: Callable[[int, Rows, BalancerState | None], BalancerState]
    """Reads one scrape at a time in us; the last argument is the state of the scrape before it."""


def _read_statistics(at_us: int, rows: Rows, _: BalancerState | None) -> BalancerState:
    """Read a row for each frontend and server."""
    frontends, servers, weights = {}, {}, {}
    for row in rows:
        kind, name = row.tags.get("type"), f"{row.tags.get('proxy', '')}/{row.tags.get('server', '')}"
        status, weight = str(row.fields.get("status", "")), row.fields.get("weight")
        if kind == "frontend":
            # At its `maxconn` HAProxy up to 2.2 reports FULL as long as the limit is reached. The frontend is open
            # nevertheless.
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
    """Read Nginx's status page, which names no process. A fall of its count of connections shows another process."""
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
"""Sources of scrapes that show which process of a balancer answers."""


def kind_of(node: Node) -> BalancerKind | None:
    """Return the way to query a node's balancer. None: its target file names none."""
    return next((kind for kind in BALANCERS if getattr(node, kind.source) is not None), None)


def look_at(node: Node, kind: BalancerKind) -> BalancerState:
    """Query the balancer now. Raises TelemetryError if it gives no usable answer."""
    return kind.read(0, _scrape(node, kind), None)


def describe(node: Node, kind: BalancerKind) -> str:
    """Describe its current state in a few words. Raises TelemetryError like `look_at`."""
    rows = _scrape(node, kind)
    processes = next((row.fields.get("Nbproc", 1) for row in rows if row.measurement == HAPROXY_INFO), 1)
    alone = f"; of this process, which is one of {processes} (nbproc)" if processes != 1 else ""
    servers = f"{len(kind.read(0, rows, None).servers)} servers, " if kind.tells_servers else ""
    return f"{servers}{_requests_in(rows):,} requests so far{alone}"


def count_requests(node: Node) -> int | None:
    """Return the number of requests that the node's balancer has counted. None: it cannot be read."""
    kind = kind_of(node)
    try:
        return None if kind is None else _requests_in(_scrape(node, kind))
    except TelemetryError:
        return None


def _requests_in(rows: Rows) -> int:
    """Add up the requests of the frontends, or of Nginx. In TCP mode there are no requests, only sessions."""
    numbers = [row.fields for row in rows if row.tags.get("type") in (None, "frontend")]
    return max(sum(int(fields.get(name, 0)) for fields in numbers) for name in ("req_tot", "stot", "requests"))


def _scrape(node: Node, kind: BalancerKind) -> list[Reading]:
    scraper = BALANCER_SCRAPERS[kind.source](node)
    return [] if scraper is None else scraper.scrape(time.time_ns())
