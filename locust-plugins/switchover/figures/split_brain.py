"""Split brain: the time in which at least two balancers held the virtual address at once.

A split brain is visible only to ownership sources on all balancers. A client follows its neighbour entry, and sees
one change of balancer, as in a takeover without split brain (measured).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from switchover.evidence.ownership import Change, Ownership
from switchover.model.interval import Interval, Span, merge_spans
from switchover.verdict.record import Span as SpanRecord
from switchover.verdict.record import SplitBrain, milliseconds

HANDOVER_US = 100_000
"""The longest overlap, in microseconds, that is a handover and not a split brain.

A router that becomes master sends its advert at once (RFC 5798 section 6.4.2). A master with lower priority releases
the address when it receives the advert (section 6.4.3). In between, both hold the address: for some milliseconds,
even on a busy machine. Two masters that overlap for longer do not receive each other's adverts.
"""


def measure_split_brain(
    ownership: Ownership, balancers: Iterable[str], since_us: int, until_us: int, bound_us: int | None = 0
) -> SplitBrain | None:
    """Measure the time with two owners. None: unknown.

    The time is unknown if a balancer has no ownership source, if the sources report different VRRP instances, or if
    the state of a balancer was unknown for longer than a handover while two owners were possible.
    """
    every = frozenset(balancers)
    instances = _instances_of(ownership, every)
    if len(every) < 2 or not instances:
        return None
    limit_us = HANDOVER_US + (bound_us or 0)
    certain = _overlaps(instances, every, since_us, until_us, unknown_holds=False)
    possible = _overlaps(instances, every, since_us, until_us, unknown_holds=True)
    if any(overlap.duration_us > limit_us and overlap not in certain for overlap in possible):
        return None
    overlaps = [overlap for overlap in certain if overlap.duration_us > limit_us]
    handovers = [overlap for overlap in certain if overlap.duration_us <= limit_us]
    length = _length(overlaps, handovers, bound_us)
    return SplitBrain(
        low_ms=milliseconds(length.low),
        high_ms=None if length.high is None else milliseconds(length.high),
        overlaps=[SpanRecord.of(overlap.from_us, overlap.to_us) for overlap in overlaps],
        handovers=[SpanRecord.of(handover.from_us, handover.to_us) for handover in handovers],
        bound_ms=None if bound_us is None else milliseconds(bound_us),
    )


def _length(overlaps: Sequence[Span], handovers: Sequence[Span], bound_us: int | None) -> Interval:
    """Return the sum of the overlaps in microseconds. The error bound of the sources' clocks widens each overlap.

    If the clocks are unknown, the time of a line is its arrival, which is late for an isolated node. The high end
    includes each overlap that is longer than a handover, but counts as a handover because of the clocks' bound.
    """
    if overlaps and bound_us is None:
        return Interval(0, None)
    bound_us = bound_us or 0
    doubtful = [overlap for overlap in handovers if overlap.duration_us > HANDOVER_US]
    low_us = sum(max(0, overlap.duration_us - bound_us) for overlap in overlaps)
    return Interval(low_us, sum(overlap.duration_us + bound_us for overlap in (*overlaps, *doubtful)))


def total_ms(split_brain: SplitBrain) -> float:
    """Return the sum of all overlaps in milliseconds."""
    return round(sum((overlap.duration_ms for overlap in split_brain.overlaps), 0.0), 3)


def _instances_of(ownership: Ownership, balancers: frozenset[str]) -> Sequence[Mapping[str, Sequence[Change]]]:
    """Return the changes by node for each VRRP instance; empty if no instance has a source on every balancer.

    A source without an instance (`ip monitor`) belongs to the only instance of the other nodes.
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
    """Return the overlaps of all VRRP instances, merged."""
    return merge_spans(
        overlap
        for by_node in instances
        for overlap in _overlaps_within(by_node, balancers, since_us, until_us, unknown_holds)
    )


def _overlaps_within(
    instance: Mapping[str, Sequence[Change]],
    balancers: frozenset[str],
    since_us: int,
    until_us: int,
    unknown_holds: bool,
) -> Iterator[Span]:
    """Yield the overlaps of one VRRP instance. A node stays owner until the next line of its source.

    The state of a node is unknown before its first line, and after its source is lost. `unknown_holds`: a node with
    an unknown state is an owner.
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
        if change.is_about_address and change.at_us < until_us
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
