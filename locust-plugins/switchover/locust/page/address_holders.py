"""Which node held the virtual address when, and for how long two held it at once, as far as known by now."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from switchover.analysis.ownership import Ownership, ownership_of
from switchover.analysis.split_brain import measure_split_brain
from switchover.rundir.points import Point

POINTS_LIMIT = 2000
"""VRRP points that are kept; an address that flaps for hours shows its newest moves."""
STRETCHES_LIMIT = 200
"""Stretches of ownership that the page gets for a node."""


class AddressHolders:
    """Reads `switchover_vrrp` points; computes anew only when one has come."""

    def __init__(self) -> None:
        self._points: deque[Point] = deque(maxlen=POINTS_LIMIT)
        self.is_partial = False
        """Older points are forgotten: a total of split brain is then a lower bound."""
        self._ownership: Ownership | None = None

    def read(self, point: Point) -> None:
        self.is_partial |= len(self._points) == POINTS_LIMIT
        self._points.append(point)
        self._ownership = None

    @property
    def ownership(self) -> Ownership:
        if self._ownership is None:
            self._ownership = ownership_of(self._points)
        return self._ownership

    def now(self) -> list[str]:
        """The nodes that hold it, by the sources."""
        return sorted(node for node in self.ownership.nodes if self.ownership.holds_at(node, 1 << 62))

    def split_brain(self, balancers: Sequence[str], since_us: int, until_us: int) -> dict[str, Any] | None:
        """As the analysis measures it; the bound of the clocks is known only at the end."""
        if self.is_partial:
            known_from = {point.tags.get("node", ""): point.time_ns // 1000 for point in reversed(self._points)}
            since_us = max(since_us, *known_from.values())
        found = measure_split_brain(self.ownership, balancers, since_us, until_us)
        if found is None:
            return None
        stretches = [[overlap.from_us, overlap.to_us] for overlap in found.overlaps[-STRETCHES_LIMIT:]]
        return {"total_ms": round(found.total_us / 1000, 3), "at_least": self.is_partial, "stretches": stretches}

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
