"""Which node held the virtual address when, and for how long two held it at once, as far as known by now."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from switchover.analysis.ownership import Ownership, ownership_of
from switchover.analysis.split_brain import SplitBrain, measure_split_brain
from switchover.rundir.points import Point

POINTS_LIMIT = 2000
"""VRRP points that are kept; an address that flaps for hours shows its newest moves."""
STRETCHES_LIMIT = 200
"""Stretches of ownership that the page gets for a node."""


class AddressHolders:
    """Reads `switchover_vrrp` points; computes anew only when one has come."""

    def __init__(self) -> None:
        self._points: deque[Point] = deque()
        self._before: dict[tuple[str, ...], Point] = {}
        """The last dropped point of each source: the state when the kept points begin."""
        self._ownership: Ownership | None = None

    @property
    def known_from_us(self) -> int | None:
        """Where the memory begins, if something is forgotten: a total of split brain is then a lower bound."""
        return self._points[0].time_ns // 1000 if self._before else None

    def read(self, point: Point) -> None:
        if len(self._points) == POINTS_LIMIT:
            old = self._points.popleft()
            source = (
                old.tags.get("node", ""),
                old.tags.get("instance", ""),
                "state" * bool(old.fields.get("state")),
            )
            if source in self._before or len(self._before) < POINTS_LIMIT:
                self._before[source] = old
        self._points.append(point)
        self._ownership = None

    @property
    def ownership(self) -> Ownership:
        if self._ownership is None:
            self._ownership = ownership_of([*self._before.values(), *self._points])
        return self._ownership

    def now(self) -> list[str]:
        """The nodes that hold it, by the sources."""
        return sorted(node for node in self.ownership.nodes if self.ownership.holds_at(node, 1 << 62))

    def split_brain(self, balancers: Sequence[str], since_us: int, until_us: int) -> SplitBrain | None:
        """As the analysis measures it; the bound of the clocks is known only at the end."""
        return measure_split_brain(self.ownership, balancers, max(since_us, self.known_from_us or 0), until_us)

    def nodes(self, balancers: Sequence[str], until_us: int) -> list[dict[str, Any]]:
        """Each balancer with the stretches, in microseconds, for which it held the address."""
        named = [*balancers, *sorted(self.ownership.nodes - set(balancers))]
        return [
            {
                "node": node,
                "observed": node in self.ownership.nodes,
                "holds": [
                    [span.from_us, span.to_us] for span in self.ownership.held_by(node, until_us)[-STRETCHES_LIMIT:]
                ],
            }
            for node in named
        ]
