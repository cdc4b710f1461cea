"""Split brain: the time in which at least two balancers held the virtual address at once.

Only ownership sources on all balancers can detect a split brain. A client follows its neighbour entry, so it observes
one change of balancer, the same as in a takeover without split brain (measured).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from switchover.evidence.ownership import Change, Ownership
from switchover.model.interval import Interval, Span, merge_spans
from switchover.verdict.record import Span as SpanRecord
from switchover.verdict.record import SplitBrain, milliseconds

HANDOVER_US = 100_000
"""The longest overlap, in microseconds, that counts as a handover and not as a split brain.

A router that becomes master sends its advert at once (RFC 5798 section 6.4.2). A master with lower priority releases
the address when it receives the advert (section 6.4.3). Between these two events, both routers hold the address for
some milliseconds, even on a busy machine. If two masters overlap for longer, they do not receive each other's
adverts.
"""


def measure_split_brain(
    ownership: Ownership, balancers: Iterable[str], since_us: int, until_us: int, bound_us: int | None = 0
) -> SplitBrain | None:
    """Measure the time in which the address had two owners. None: this time is unknown.

    The time is unknown if a balancer has no ownership source, or if the sources report different VRRP instances. The
    time is also unknown if, for longer than a handover, the state of a balancer was unknown and two owners were
    possible.
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
    """Return the sum of the overlaps in microseconds. The uncertainty of each overlap is the error bound of the
    sources' clocks.

    If the clock errors are unknown, the time of a line is the time when the line arrived. The line of an isolated
    node arrives late. The high end also includes overlaps that are longer than a handover but, because of the clock
    errors, may be handovers.
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
    """Return the changes of each VRRP instance by node. The result is empty if no instance has a source on every
    balancer.

    A source that reports no instance (`ip monitor`) is assigned to the instance of the other nodes, if they report
    only one instance.
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
    """Return the times in which any VRRP instance had two owners, merged."""
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
    """Yield the times in which one VRRP instance had two owners. A node stays owner until its source reports the next
    line.

    The state of a node is unknown before the first line of its source, and after the source is lost. `unknown_holds`:
    a node with an unknown state counts as an owner.
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
