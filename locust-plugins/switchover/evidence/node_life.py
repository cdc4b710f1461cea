"""The states of each balancer's processes, and the times in which scrapes got no answer."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from switchover.rundir.measurements import SCRAPE
from switchover.rundir.points import Point
from switchover.telemetry.balancers import BALANCERS, STATE_SOURCES, BalancerState

SILENT_SCRAPES = 3
"""A balancer counts as silent after this number of scrape intervals without an answer to a scrape."""
SILENT_US = 1_000_000
"""A balancer counts as silent only after this number of microseconds without an answer to a scrape."""
_KINDS = {kind.measurement: kind for kind in BALANCERS}


@dataclass(frozen=True, slots=True)
class NodeLife:
    """The results of the scrapes of one balancer, in the order of time."""

    node: str
    states: Sequence[BalancerState]
    asked_us: int = 0
    """The end of the last scrape, with or without an answer; 0: unknown."""

    def last_before(self, at_us: int) -> BalancerState | None:
        place = bisect_left(self.states, at_us, key=lambda state: state.at_us)
        return self.states[place - 1] if place else None

    def between(self, from_us: int, to_us: int) -> Sequence[BalancerState]:
        first = bisect_right(self.states, from_us, key=lambda state: state.at_us)
        return self.states[first : bisect_left(self.states, to_us, key=lambda state: state.at_us)]

    def is_silent_at(self, at_us: int, usual_before_us: int) -> bool:
        """Return True if the balancer counts as silent at `at_us`. The scrapes before `usual_before_us` show the
        usual interval between scrapes."""
        last = self.last_before(at_us)
        return last is None or self._asked_until(at_us) - last.at_us > self._silence_us(usual_before_us)

    def is_asked_at(self, at_us: int, usual_before_us: int) -> bool:
        """Return True if the balancer was scraped shortly before `at_us`, so the journal is complete up to
        `at_us`."""
        return at_us - self._asked_until(at_us) <= self._silence_us(usual_before_us)

    def is_silent_between(self, from_us: int, to_us: int) -> bool:
        """Return True if the balancer was silent at any time between the two times."""
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
    """Return the results of the scrapes of each balancer; the keys are the node names."""
    rows: defaultdict[tuple[str, int], list[Point]] = defaultdict(list)
    last_scrape_us: defaultdict[str, int] = defaultdict(int)
    for point in points:
        node = point.tags.get("node", "")
        if point.measurement in _KINDS:
            rows[node, point.time_ns].append(point)
        elif point.measurement == SCRAPE and point.tags.get("source") in STATE_SOURCES:
            last_scrape_us[node] = max(last_scrape_us[node], _end_of_scrape_us(point))
    # On a node with HAProxy, HAProxy's statistics are used: the metrics page belongs to another process.
    chosen: dict[str, str] = {}
    for (node, _), members in rows.items():
        chosen[node] = min(chosen.get(node, members[0].measurement), members[0].measurement, key=list(_KINDS).index)
    states: defaultdict[str, list[BalancerState]] = defaultdict(list)
    for (node, time_ns), members in sorted(rows.items(), key=lambda entry: entry[0][1]):
        if members[0].measurement == chosen[node]:
            earlier = states[node][-1] if states[node] else None
            states[node].append(_KINDS[chosen[node]].read(time_ns // 1000, members, earlier))
    return {node: NodeLife(node, tuple(node_states), last_scrape_us[node]) for node, node_states in states.items()}


def _end_of_scrape_us(scrape: Point) -> int:
    return scrape.time_ns // 1000 + round((scrape.number("duration_ms") or 0.0) * 1000)
