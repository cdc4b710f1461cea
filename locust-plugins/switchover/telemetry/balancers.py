"""The state of a balancer in one scrape. A new type of balancer needs a scrape function and an entry in
`BALANCERS`."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.http.address import known_addresses
from switchover.model.errors import TelemetryError
from switchover.rundir.measurements import HAPROXY, HAPROXY_INFO, NGINX, PROXY
from switchover.rundir.points import Point
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Node, Target
from switchover.telemetry.fetch import QUERY_S, ask_all
from switchover.telemetry.haproxy import HaproxyReader, Snapshot, StatRow, is_frontend_open, is_server_up
from switchover.telemetry.scrapers import Reading, balancer_scraper


@dataclass(frozen=True, slots=True)
class BalancerState:
    """The state of a balancer at one time."""

    generation: str
    """An identifier of the process that answered."""
    frontends: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    servers_up: frozenset[str] = frozenset()
    """The servers to which the balancer sends requests."""
    weights: Mapping[str, int] = field(default_factory=dict)
    accepted: int = 0
    """The number of connections since the process started. Set only if the source does not identify the process."""
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
    source: str
    """The key in `[[node]]`, and the source name of the scrapes."""
    measurement: str
    reports_servers: bool
    read: Callable[[int, Rows, BalancerState | None], BalancerState]
    """Computes the new state from the time of a scrape (µs), its rows and the previous state."""


def _read_statistics(at_us: int, rows: Rows, _: BalancerState | None) -> BalancerState:
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
    """Read the state from Nginx's status page. If the page counts fewer connections than the page before, the process
    is new."""
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
    """Return the type of a node's balancer. None: the target file has no source for the balancer."""
    return next((kind for kind in BALANCERS if getattr(node, kind.source) is not None), None)


def look_at(node: Node, kind: BalancerKind) -> BalancerState:
    """Query the balancer now. Raises TelemetryError if the balancer gives no usable answer."""
    return kind.read(0, _scrape(node, kind), None)


def describe(node: Node, kind: BalancerKind) -> str:
    """Describe the balancer's current state. Raises TelemetryError if the balancer gives no usable answer."""
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
    """Return the number of requests of all frontends, or of Nginx. In TCP mode, return the number of sessions."""
    numbers = [row.fields for row in rows if row.tags.get("type") in (None, "frontend")]
    return max(sum(int(fields.get(name, 0)) for fields in numbers) for name in ("req_tot", "stot", "requests"))


def _scrape(node: Node, kind: BalancerKind) -> list[Reading]:
    return balancer_scraper(node, kind.source, QUERY_S).scrape(time.time_ns())


def balancer_facts(target: Target) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of HAProxy or of the lab's programs, and a map from server names and addresses to nodes. A
    lab is not queried."""
    if target.lab is not None:
        return LabDirectory(target.lab).versions(), {}
    snapshots = [snapshot for snapshot in ask_all(read_haproxy, target.balancers) if snapshot is not None]
    versions = sorted({snapshot.version for snapshot in snapshots if snapshot.version})
    rows = [row for snapshot in snapshots for row in snapshot.rows]
    return {"haproxy": "/".join(versions)} if versions else {}, find_aliases(target, rows)


def read_haproxy(node: Node) -> Snapshot | None:
    """Return the answer of a node's HAProxy. None: the node has no HAProxy, or its HAProxy does not answer."""
    if node.haproxy is None:
        return None
    try:
        return HaproxyReader(node.haproxy).read(time.time(), QUERY_S)
    except TelemetryError:
        return None


def find_aliases(target: Target, rows: Iterable[StatRow]) -> dict[str, str]:
    """Return the node of each server. The keys are the servers' names and addresses, except server names that are
    also node names. The node is named in `[identity] aliases`, or is the only node with the server's host."""
    hosts: defaultdict[str, set[str]] = defaultdict(set)
    for node in target.backends:
        for address in known_addresses(node.host or "", QUERY_S):
            hosts[address].add(node.name)
    names = {node.name for node in target.nodes}
    nodes_of: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        host = row.address.rpartition(":")[0].strip("[]")
        alias = target.identity.aliases.get(row.address)
        for name in {alias} if alias else hosts.get(host, set()):
            nodes_of[row.server].add(name)
            nodes_of[row.address].add(name)
    return {text: next(iter(nodes)) for text, nodes in nodes_of.items() if len(nodes) == 1 and text not in names}
