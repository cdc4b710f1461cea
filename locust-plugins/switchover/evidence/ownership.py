"""The owner of the virtual address over time, as the balancers reported it (`switchover_vrrp` points)."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from switchover.model.interval import Span, merge_spans
from switchover.rundir.measurements import VRRP
from switchover.rundir.points import Point

MASTER = "MASTER"


@dataclass(frozen=True, slots=True)
class Change:
    """A change that an ownership source reported for a node."""

    at_us: int
    state: str
    """The VRRP state; empty if the source reports only the address."""
    priority: int | None
    holds: bool | None
    """True: the node had the address. False: the node did not have the address. None: the report does not show
    whether the node had the address."""
    lost: bool = False
    """True: from this time on, it is unknown whether the node has the address."""

    @property
    def is_about_address(self) -> bool:
        return self.holds is not None or self.lost


@dataclass(frozen=True, slots=True)
class Ownership:
    """The changes that the ownership sources reported, for each VRRP instance and node, in the order of time."""

    changes: Mapping[str, Mapping[str, tuple[Change, ...]]]

    @property
    def nodes(self) -> frozenset[str]:
        """The balancers with at least one change that shows whether the balancer has the address."""
        return frozenset(
            node
            for by_node in self.changes.values()
            for node, changes in by_node.items()
            if any(change.holds is not None for change in changes)
        )

    def of(self, node: str) -> list[Change]:
        """Return the changes on a node in all VRRP instances, in the order of time."""
        changes = [change for by_node in self.changes.values() for change in by_node.get(node, ())]
        return sorted(changes, key=lambda change: change.at_us)

    def holds_at(self, node: str, at_us: int) -> bool:
        """Return True if the node held a virtual address at `at_us`, according to the last change reported until
        then."""
        for by_node in self.changes.values():
            changes = [change for change in by_node.get(node, ()) if change.is_about_address]
            index = bisect_right(changes, at_us, key=lambda change: change.at_us) - 1
            if index >= 0 and changes[index].holds:
                return True
        return False

    def held_by(self, node: str, until_us: int) -> list[Span]:
        """Return the periods in which the node certainly held a virtual address, in the order of time."""
        return merge_spans(
            span for by_node in self.changes.values() for span in _held(by_node.get(node, ()), until_us)
        )


def _held(changes: Iterable[Change], until_us: int) -> Iterator[Span]:
    """Yield the periods in which a node owned the address. A period ends when the node loses the address, or when the
    owner becomes unknown."""
    began_us: int | None = None
    for change in changes:
        if not change.is_about_address:
            continue
        if change.holds and began_us is None:
            began_us = change.at_us
        elif not change.holds and began_us is not None:
            yield Span(began_us, change.at_us)
            began_us = None
    if began_us is not None and began_us < until_us:
        yield Span(began_us, until_us)


def ownership_of(points: Iterable[Point]) -> Ownership:
    """Collect the changes of all nodes. If a node has a source for the address and a source for the VRRP state, only
    the source for the address counts: a killed Keepalived reports nothing, but its node keeps the address."""
    by_instance: defaultdict[str, defaultdict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
    for point in points:
        node = point.tags.get("node")
        if point.measurement == VRRP and node:
            by_instance[point.tags.get("instance", "")][node].append(_change(point))
    sees_address = {
        node
        for by_node in by_instance.values()
        for node, changes in by_node.items()
        if any(not change.state and change.holds is not None for change in changes)
    }
    return Ownership(
        {
            instance: {
                node: tuple(
                    replace(change, holds=None) if node in sees_address and change.state else change
                    for change in sorted(changes, key=lambda change: change.at_us)
                )
                for node, changes in by_node.items()
            }
            for instance, by_node in by_instance.items()
        }
    )


def _change(point: Point) -> Change:
    state, priority, holds = (point.fields.get(name) for name in ("state", "priority", "holds_vip"))
    state_name = state.upper() if isinstance(state, str) else ""
    holds_vip = holds if isinstance(holds, bool) else state_name == MASTER if state_name else None
    return Change(
        at_us=point.time_ns // 1000,
        state=state_name,
        priority=priority if isinstance(priority, int) and not isinstance(priority, bool) else None,
        holds=holds_vip,
        lost=holds_vip is None,
    )
