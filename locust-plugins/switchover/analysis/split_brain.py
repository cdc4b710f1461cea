"""How long two or more balancers held the virtual address at once.

Only an ownership source on every balancer can tell. The client cannot: with two owners it follows its neighbour
entry, and sees the same single change of balancer as in a clean takeover (measured).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.ownership import Change, Ownership
from switchover.model.interval import Interval, Span, merge_spans

HANDOVER_US = 100_000
"""The longest overlap that is a handover, not a split brain.

A router that becomes master sends its advert at once (RFC 5798 section 6.4.2), and a master of lower priority gives
up the address as soon as it hears it (section 6.4.3). In between both hold it: one packet's way and the waking of
one process, some milliseconds even on a busy machine. Two that overlap for longer do not hear one another.
"""


@dataclass(frozen=True, slots=True)
class SplitBrain:
    overlaps: tuple[Span, ...]
    """Overlaps that were longer than a handover."""
    handovers: tuple[Span, ...]
    """The others, some of which may seem longer than `HANDOVER_US` by the sources' clocks."""
    bound_us: int | None
    """Of the sources' clocks against each other: an overlap is known to this; None: to nothing that is known."""

    @property
    def total_us(self) -> int:
        return sum(overlap.duration_us for overlap in self.overlaps)

    @property
    def length(self) -> Interval:
        """The total in microseconds: each overlap is known to the sources' clocks at both of its ends.

        Without clocks a line counts as it arrived: one of a node that was cut off comes when the way is back. What
        only the clocks make a handover may have been a split brain: it is in the high end.
        """
        if self.overlaps and self.bound_us is None:
            return Interval(0, None)
        bound_us = self.bound_us or 0
        doubtful = [overlap for overlap in self.handovers if overlap.duration_us > HANDOVER_US]
        low_us = sum(max(0, overlap.duration_us - bound_us) for overlap in self.overlaps)
        return Interval(low_us, sum(overlap.duration_us + bound_us for overlap in (*self.overlaps, *doubtful)))

    @property
    def longest_handover_us(self) -> int:
        return max((overlap.duration_us for overlap in self.handovers), default=0)


def measure_split_brain(
    ownership: Ownership, balancers: Iterable[str], since_us: int, until_us: int, bound_us: int | None = 0
) -> SplitBrain | None:
    """Two owners between two times; None unless every balancer, at least two of them, had a source.

    None also where a source did not know for longer than a handover while another balancer had the address, or
    where the last owner was not known either, or where no two of them told of the same: then there may have been two.
    """
    every = frozenset(balancers)
    instances = _instances_of(ownership, every)
    if len(every) < 2 or not instances:
        return None
    limit_us = HANDOVER_US + (bound_us or 0)
    found = _overlaps(instances, every, since_us, until_us, unknown_holds=False)
    possible = _overlaps(instances, every, since_us, until_us, unknown_holds=True)
    if any(overlap.duration_us > limit_us and overlap not in found for overlap in possible):
        return None
    return SplitBrain(
        overlaps=tuple(overlap for overlap in found if overlap.duration_us > limit_us),
        handovers=tuple(overlap for overlap in found if overlap.duration_us <= limit_us),
        bound_us=bound_us,
    )


def _instances_of(ownership: Ownership, balancers: frozenset[str]) -> Sequence[Mapping[str, Sequence[Change]]]:
    """What each node told, by VRRP instance; none where no instance has a source on every balancer.

    Their names are the nodes' own. Where the address itself was seen on one node, which names no instance, the only
    instance that another tells of is that of the address.
    """
    nodes_of = {
        instance: [node for node in balancers if any(change.holds is not None for change in by_node.get(node, ()))]
        for instance, by_node in ownership.changes.items()
    }
    if any(len(nodes) == len(balancers) for nodes in nodes_of.values()):
        return list(ownership.changes.values())
    only = {node: instance for instance, nodes in nodes_of.items() for node in nodes}
    if nodes_of.get("") and len(only) == len(balancers) == sum(map(len, nodes_of.values())):
        return [{node: ownership.changes[instance][node] for node, instance in only.items()}]
    return []


def _overlaps(
    instances: Iterable[Mapping[str, Sequence[Change]]],
    balancers: frozenset[str],
    since_us: int,
    until_us: int,
    *,
    unknown_holds: bool,
) -> list[Span]:
    """Of any VRRP instance."""
    found = [
        overlap
        for by_node in instances
        for overlap in _overlaps_within(by_node, balancers, since_us, until_us, unknown_holds)
    ]
    return merge_spans(found)


def _overlaps_within(
    instance: Mapping[str, Sequence[Change]],
    balancers: frozenset[str],
    since_us: int,
    until_us: int,
    unknown_holds: bool,
) -> Iterator[Span]:
    """One VRRP instance, by node; an owner stays one until its source says otherwise, or knows no more.

    Who belongs to the instance is unknown until its first line.
    """
    members = {
        node
        for node, changes in instance.items()
        if node in balancers and any(change.holds is not None for change in changes)
    }
    lines = sorted(
        (change.at_us, node, unknown_holds if change.lost else bool(change.holds))
        for node in members
        for change in instance[node]
        if change.tells and change.at_us < until_us
    )
    holders = set(members) if unknown_holds else set()
    began_us: int | None = since_us if len(holders) > 1 else None
    for at_us, node, holds in [*lines, (until_us, "", False)]:
        if began_us is not None and at_us > max(began_us, since_us):
            yield Span(max(began_us, since_us), at_us)
        if holds:
            holders.add(node)
        else:
            holders.discard(node)
        began_us = at_us if len(holders) > 1 else None
