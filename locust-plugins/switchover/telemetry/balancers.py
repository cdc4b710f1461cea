"""What every balancer is asked: is it alive, since when, what is up? One kind for each way to ask.

The last-one rule asks a balancer now; effect and restoration ask what the scrapes of a run have shown. A balancer of
another make needs a kind in `BALANCERS`, and nothing else to be seen by all three.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from switchover.rundir.measurements import HAPROXY, NGINX, PROXY
from switchover.rundir.points import Point
from switchover.target.model import Node
from switchover.telemetry.exporters import MetricsReader
from switchover.telemetry.haproxy import HaproxyReader, StatRow, is_frontend_open, is_server_up
from switchover.telemetry.nginx import read_status


@dataclass(frozen=True, slots=True)
class BalancerState:
    """What one look at a balancer showed."""

    generation: str
    """Which process answered; another generation is another process."""
    frontends: Mapping[str, str] = field(default_factory=dict)
    """Status by name."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """Status by `proxy/server`."""
    servers_up: frozenset[str] = frozenset()
    """Those that get requests."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """By `proxy/server`."""
    accepted: int = 0
    """Connections since its start, where no process is named."""
    at_us: int = 0
    """When, by the clock of the run; 0: now."""

    @property
    def frontends_open(self) -> frozenset[str]:
        return frozenset(name for name, status in self.frontends.items() if is_frontend_open(status))


class BalancerKind(Protocol):
    """One way to ask a balancer."""

    name: str
    """As people call the balancer."""
    source: str
    """The key of `[[node]]` that says where to ask, and the source that its scrapes name."""
    measurement: str
    """Of the points of a scrape."""
    tells_servers: bool

    def look(self, source: Any) -> BalancerState:
        """Ask it now. Raises TelemetryError where it gives no usable answer."""

    def describe(self, source: Any) -> str:
        """What it says now, in a few words. Raises like `look`."""

    def read(self, at_us: int, rows: Sequence[Point], earlier: BalancerState | None) -> BalancerState:
        """From the points of one scrape; `earlier` is what the scrape before it showed."""


class _StatisticsKind:
    """By statistics with a row for each frontend and server."""

    def read(self, at_us: int, rows: Sequence[Point], earlier: BalancerState | None) -> BalancerState:
        generation = next((str(row.fields["generation"]) for row in rows if "generation" in row.fields), "")
        return _state(at_us, generation, [_row(row) for row in rows])


def _row(point: Point) -> StatRow:
    proxy, server, kind = (point.tags.get(tag, "") for tag in ("proxy", "server", "type"))
    weight = point.fields.get("weight")
    numbers = {"weight": weight} if isinstance(weight, int) else {}
    return StatRow(proxy, server, kind, str(point.fields.get("status", "")), numbers)


def _state(at_us: int, generation: str, rows: Sequence[StatRow]) -> BalancerState:
    servers = [(f"{row.proxy}/{row.server}", row) for row in rows if row.type == "server"]
    return BalancerState(
        generation=generation,
        frontends={row.proxy: _frontend_status(row.status) for row in rows if row.type == "frontend"},
        servers={name: row.status for name, row in servers},
        servers_up=frozenset(name for name, row in servers if is_server_up(row.status)),
        weights={name: row.numbers["weight"] for name, row in servers if "weight" in row.numbers},
        at_us=at_us,
    )


def _frontend_status(status: str) -> str:
    """At its `maxconn` HAProxy up to 2.2 says FULL for as long as that lasts: it is open all the same."""
    return "OPEN" if status == "FULL" else status


class HaproxyKind(_StatisticsKind):
    """By its statistics, from its socket, its page or its exporter."""

    name, source, measurement, tells_servers = "HAProxy", "haproxy", HAPROXY, True

    def look(self, source: Any) -> BalancerState:
        snapshot = HaproxyReader(source).read(time.time())
        return _state(0, snapshot.generation, snapshot.rows)

    def describe(self, source: Any) -> str:
        snapshot = HaproxyReader(source).read(time.time())
        servers = sum(row.type == "server" for row in snapshot.rows)
        processes = snapshot.info.get("Nbproc", 1)
        alone = f"; of this process, which is one of {processes} (nbproc)" if processes > 1 else ""
        return f"{servers} servers, {snapshot.frontend_total('req_tot'):,} requests so far{alone}"


class NginxKind:
    """By its status page, which names no process: another one answers where its count of connections has fallen."""

    name, source, measurement, tells_servers = "Nginx", "nginx", NGINX, False

    def look(self, source: Any) -> BalancerState:
        return BalancerState("", accepted=read_status(source).accepts)

    def describe(self, source: Any) -> str:
        return f"{read_status(source).requests:,} requests so far"

    def read(self, at_us: int, rows: Sequence[Point], earlier: BalancerState | None) -> BalancerState:
        accepts = rows[0].fields.get("accepts")
        accepted = accepts if isinstance(accepts, int) else 0
        generation = 1 if earlier is None else int(earlier.generation) + (accepted < earlier.accepted)
        return BalancerState(str(generation), accepted=accepted, at_us=at_us)


class MetricsKind(_StatisticsKind):
    """By its page of metrics: Envoy, Traefik, Caddy. Envoy names no server there."""

    name, source, measurement, tells_servers = "page of metrics", "metrics", PROXY, True

    def look(self, source: Any) -> BalancerState:
        page, generation = MetricsReader(source).read(time.time())
        return _state(0, generation, page.rows)

    def describe(self, source: Any) -> str:
        page, _ = MetricsReader(source).read(time.time())
        return f"{page.software}: {len(page.rows)} rows"


BALANCERS: tuple[BalancerKind, ...] = (HaproxyKind(), NginxKind(), MetricsKind())
STATE_SOURCES = frozenset(kind.source for kind in BALANCERS)
"""Sources of scrapes that show which process of a balancer answers."""


def kind_of(node: Node) -> BalancerKind | None:
    """How a node's balancer is asked; None where its target file does not say."""
    return next((kind for kind in BALANCERS if getattr(node, kind.source) is not None), None)


def look_at(node: Node, kind: BalancerKind) -> BalancerState:
    return kind.look(getattr(node, kind.source))
