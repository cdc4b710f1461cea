"""What the scrapes of one balancer show of its life: which process answered when, and when none did."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from switchover.rundir.measurements import HAPROXY, NGINX, SCRAPE, STATE_SOURCES
from switchover.rundir.points import Point
from switchover.telemetry.haproxy import is_server_up

SILENT_SCRAPES = 3
"""So many scrapes in a row without an answer are a silence: one may be lost, or late on a busy machine."""
SILENT_US = 1_000_000
"""And at least this long."""


@dataclass(frozen=True, slots=True)
class NodeState:
    """What one scrape showed."""

    at_us: int
    epoch: str
    """Which process answered; another epoch is another process."""
    frontends: Mapping[str, str] = field(default_factory=dict)
    """Status by name."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """Status by `proxy/server`."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """By `proxy/server`."""
    accepted: int = 0
    """Nginx's count of connections."""

    @property
    def servers_up(self) -> frozenset[str]:
        return frozenset(name for name, status in self.servers.items() if is_server_up(status))


@dataclass(frozen=True, slots=True)
class NodeLife:
    """All that the scrapes of one balancer showed, in order of time."""

    node: str
    states: Sequence[NodeState]
    asked_us: int = 0
    """When its last scrape was over, answered or not; 0: not known. Without scrapes its silence says nothing."""

    def last_before(self, at_us: int) -> NodeState | None:
        place = bisect_left(self.states, at_us, key=lambda state: state.at_us)
        return self.states[place - 1] if place else None

    def between(self, from_us: int, to_us: int) -> Sequence[NodeState]:
        first = bisect_right(self.states, from_us, key=lambda state: state.at_us)
        return self.states[first : bisect_left(self.states, to_us, key=lambda state: state.at_us)]

    def is_silent_at(self, at_us: int, usual_before_us: int) -> bool:
        """Whether no scrape was answered for a while before `at_us`. The usual pause between scrapes is that before
        `usual_before_us`."""
        last = self.last_before(at_us)
        return last is None or self._asked_until(at_us) - last.at_us > self._silence_us(usual_before_us)

    def is_asked_at(self, at_us: int, usual_before_us: int) -> bool:
        """Whether it was scraped shortly before `at_us`: a journal that could not be written may end earlier."""
        return at_us - self._asked_until(at_us) <= self._silence_us(usual_before_us)

    def is_silent_between(self, from_us: int, to_us: int) -> bool:
        """Whether no scrape was answered for a while within that time."""
        times = [from_us, *(state.at_us for state in self.between(from_us, to_us)), self._asked_until(to_us)]
        limit_us = self._silence_us(from_us)
        return any(later - earlier > limit_us for earlier, later in pairwise(times))

    def _asked_until(self, at_us: int) -> int:
        return min(at_us, self.asked_us) if self.asked_us else at_us

    def _silence_us(self, before_us: int) -> float:
        times = [state.at_us for state in self.states if state.at_us < before_us]
        steps = [later - earlier for earlier, later in pairwise(times)]
        return max(SILENT_US, SILENT_SCRAPES * median(steps) if steps else 0)


def node_lives(points: Iterable[Point]) -> dict[str, NodeLife]:
    """By node: of HAProxy by its statistics, of Nginx by its status page."""
    rows: defaultdict[tuple[str, int], list[Point]] = defaultdict(list)
    asked: defaultdict[str, int] = defaultdict(int)
    for point in points:
        node = point.tags.get("node", "")
        if point.measurement in (HAPROXY, NGINX):
            rows[node, point.time_ns].append(point)
        elif point.measurement == SCRAPE and point.tags.get("source") in STATE_SOURCES:
            asked[node] = max(asked[node], _end_of_scrape_us(point))
    states: defaultdict[str, list[NodeState]] = defaultdict(list)
    for (node, time_ns), members in sorted(rows.items(), key=lambda entry: entry[0][1]):
        earlier = states[node][-1] if states[node] else None
        states[node].append(_state(time_ns // 1000, members, earlier))
    return {node: NodeLife(node, tuple(found), asked[node]) for node, found in states.items()}


def _end_of_scrape_us(scrape: Point) -> int:
    took_ms = scrape.fields.get("duration_ms")
    return scrape.time_ns // 1000 + (round(took_ms * 1000) if isinstance(took_ms, int | float) else 0)


def _state(at_us: int, rows: Sequence[Point], earlier: NodeState | None) -> NodeState:
    if rows[0].measurement == NGINX:
        return _nginx_state(at_us, rows[0], earlier)
    by_type = {
        kind: {_name(row, kind): str(row.fields.get("status", "")) for row in rows if row.tags.get("type") == kind}
        for kind in ("frontend", "server")
    }
    epoch = next((str(row.fields["epoch"]) for row in rows if "epoch" in row.fields), "")
    servers = [row for row in rows if row.tags.get("type") == "server"]
    found = {_name(row, "server"): row.fields.get("weight") for row in servers}
    weights = {name: weight for name, weight in found.items() if isinstance(weight, int)}
    return NodeState(at_us, epoch, by_type["frontend"], by_type["server"], weights)


def _name(row: Point, kind: str) -> str:
    proxy = row.tags.get("proxy", "")
    return proxy if kind == "frontend" else f"{proxy}/{row.tags.get('server', '')}"


def _nginx_state(at_us: int, row: Point, earlier: NodeState | None) -> NodeState:
    """Nginx names no process: another one answers where its count of connections has fallen."""
    accepts = row.fields.get("accepts")
    accepted = accepts if isinstance(accepts, int) else 0
    if earlier is None:
        return NodeState(at_us, "1", accepted=accepted)
    return NodeState(at_us, str(int(earlier.epoch) + (accepted < earlier.accepted)), accepted=accepted)
