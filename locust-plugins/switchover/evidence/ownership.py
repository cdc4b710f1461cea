"""Who held the virtual address when, from the ownership sources of the balancers (`switchover_vrrp` points)."""

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
    """A line of an ownership source about a node."""

    at_us: int
    state: str
    """VRRP's state; empty where only the address was seen."""
    priority: int | None
    holds: bool | None
    """True if the node had the address; None where the line does not tell."""
    lost: bool = False
    """From here on it is not known whether the node has the address."""

    @property
    def tells(self) -> bool:
        """Return whether it says who owns the address, or that this is not known any more."""
        return self.holds is not None or self.lost


@dataclass(frozen=True, slots=True)
class Ownership:
    """Changes that the sources of the balancers reported, by VRRP instance and node, in order of time."""

    changes: Mapping[str, Mapping[str, tuple[Change, ...]]]

    @property
    def nodes(self) -> frozenset[str]:
        """The balancers from which at least one line came that tells ownership."""
        return frozenset(
            node
            for by_node in self.changes.values()
            for node, changes in by_node.items()
            if any(change.holds is not None for change in changes)
        )

    def of(self, node: str) -> list[Change]:
        """Every change on a node, over all its instances."""
        found = [change for by_node in self.changes.values() for change in by_node.get(node, ())]
        return sorted(found, key=lambda change: change.at_us)

    def holds_at(self, node: str, at_us: int) -> bool:
        """Return whether the node held any of its addresses then, as far as it was last told and still known."""
        for by_node in self.changes.values():
            telling = [change for change in by_node.get(node, ()) if change.tells]
            index = bisect_right(telling, at_us, key=lambda change: change.at_us) - 1
            if index >= 0 and telling[index].holds:
                return True
        return False

    def held_by(self, node: str, until_us: int) -> list[Span]:
        """When the node held any of its addresses, as far as it was told, in order of time."""
        return merge_spans(
            span for by_node in self.changes.values() for span in _held(by_node.get(node, ()), until_us)
        )


def _held(changes: Iterable[Change], until_us: int) -> Iterator[Span]:
    """From each change to an owner to the next one that ends it or makes it unknown."""
    began_us: int | None = None
    for change in changes:
        if not change.tells:
            continue
        if change.holds and began_us is None:
            began_us = change.at_us
        elif not change.holds and began_us is not None:
            yield Span(began_us, change.at_us)
            began_us = None
    if began_us is not None and began_us < until_us:
        yield Span(began_us, until_us)


def ownership_of(points: Iterable[Point]) -> Ownership:
    """An address that was seen outranks a state that was said: a killed Keepalived says nothing, and keeps it.

    So of a node that has both kinds of source, only the lines about the address tell ownership. A line that has
    neither a state nor an owner ends what was known of its node.
    """
    found: defaultdict[str, defaultdict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
    for point in points:
        node = point.tags.get("node")
        if point.measurement == VRRP and node:
            found[point.tags.get("instance", "")][node].append(_change(point))
    sees_address = {
        node
        for by_node in found.values()
        for node, changes in by_node.items()
        if any(not change.state and change.holds is not None for change in changes)
    }
    return Ownership(
        {
            instance: {
                node: tuple(_ranked(change, node in sees_address) for change in sorted(changes, key=_time))
                for node, changes in by_node.items()
            }
            for instance, by_node in found.items()
        }
    )


def _change(point: Point) -> Change:
    state, priority, holds = (point.fields.get(name) for name in ("state", "priority", "holds_vip"))
    state_name = state.upper() if isinstance(state, str) else ""
    return Change(
        at_us=point.time_ns // 1000,
        state=state_name,
        priority=priority if isinstance(priority, int) and not isinstance(priority, bool) else None,
        holds=holds if isinstance(holds, bool) else (state_name == MASTER if state_name else None),
        lost=not isinstance(holds, bool) and not state_name,
    )


def _ranked(change: Change, sees_address: bool) -> Change:
    return replace(change, holds=None) if sees_address and change.state else change


def _time(change: Change) -> int:
    return change.at_us
