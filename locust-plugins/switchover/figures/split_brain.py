"""Split brain: the time in which at least two balancers held the virtual address at once. Only ownership sources on
all balancers detect a split brain. A client does not detect a split brain, because the client sends to the address in
its neighbour entry, as in a normal takeover (measured)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from switchover.evidence.ownership import Change, Ownership
from switchover.model.interval import Interval, Span, merge_spans
from switchover.verdict.record import Span as SpanRecord
from switchover.verdict.record import SplitBrain, milliseconds, milliseconds_if_known

HANDOVER_US = 100_000
"""The longest overlap, in microseconds, that counts as a handover. A new master sends an advert at once. A master
with lower priority releases the address when it receives this advert (RFC 5798 sections 6.4.2 and 6.4.3). The advert
and the release take some milliseconds, even on a busy machine."""


def measure_split_brain(
    ownership: Ownership, balancers: Iterable[str], since_us: int, until_us: int, bound_us: int | None = 0
) -> SplitBrain | None:
    """Measure the time in which the address had two owners; None: unknown. The time is unknown if a balancer has no
    ownership source, or if the sources report different VRRP instances. It is also unknown if a balancer's unknown
    state may hide two owners for longer than a handover takes."""
    every = frozenset(balancers)
    instances = _instances_of(ownership, every)
    if len(every) < 2 or not instances:
        return None
    limit_us = HANDOVER_US + (bound_us or 0)
    certain, possible = (
        merge_spans(chain(*(_overlaps(of_node, every, since_us, until_us, unknown_holds) for of_node in instances)))
        for unknown_holds in (False, True)
    )
    if any(overlap.duration_us > limit_us and overlap not in certain for overlap in possible):
        return None
    overlaps = [overlap for overlap in certain if overlap.duration_us > limit_us]
    handovers = [overlap for overlap in certain if overlap.duration_us <= limit_us]
    length = _length(overlaps, handovers, bound_us)
    return SplitBrain(
        low_ms=milliseconds(length.low),
        high_ms=milliseconds_if_known(length.high),
        overlaps=[SpanRecord.of(overlap.from_us, overlap.to_us) for overlap in overlaps],
        handovers=[SpanRecord.of(handover.from_us, handover.to_us) for handover in handovers],
        bound_ms=milliseconds_if_known(bound_us),
    )


def _length(overlaps: Sequence[Span], handovers: Sequence[Span], bound_us: int | None) -> Interval:
    """Return the sum of the overlaps in microseconds, with the error bound of the clocks as uncertainty of each
    overlap. If this bound is unknown, the sum may be 0 and has no upper bound, because lines from an isolated node
    arrive late. The upper bound includes overlaps that, because of clock errors, may be longer than a
    handover takes."""
    if overlaps and bound_us is None:
        return Interval(0, None)
    bound_us = bound_us or 0
    doubtful = [overlap for overlap in handovers if overlap.duration_us > HANDOVER_US]
    low_us = sum(max(0, overlap.duration_us - bound_us) for overlap in overlaps)
    return Interval(low_us, sum(overlap.duration_us + bound_us for overlap in (*overlaps, *doubtful)))


def total_ms(split_brain: SplitBrain) -> float:
    return round(sum((overlap.duration_ms for overlap in split_brain.overlaps), 0.0), 3)


def _instances_of(ownership: Ownership, balancers: frozenset[str]) -> Sequence[Mapping[str, Sequence[Change]]]:
    """Return the ownership changes of each VRRP instance; the key is the node. Empty: no instance has a source on
    every balancer. `ip monitor` reports no instances: its changes are assigned to the VRRP instance of the other
    nodes, if each node has only one."""
    nodes_of = {
        instance: [node for node in balancers if _names_owner(by_node.get(node, ()))]
        for instance, by_node in ownership.changes.items()
    }
    if any(len(nodes) == len(balancers) for nodes in nodes_of.values()):
        return list(ownership.changes.values())
    only = {node: instance for instance, nodes in nodes_of.items() for node in nodes}
    if nodes_of.get("") and len(only) == len(balancers) == sum(map(len, nodes_of.values())):
        return [{node: ownership.changes[instance][node] for node, instance in only.items()}]
    return []


def _names_owner(changes: Iterable[Change]) -> bool:
    return any(change.holds is not None for change in changes)


def _overlaps(
    instance: Mapping[str, Sequence[Change]],
    balancers: frozenset[str],
    since_us: int,
    until_us: int,
    unknown_holds: bool,
) -> Iterator[Span]:
    """Yield the periods in which one VRRP instance had two owners. A node stays owner until the next line from its
    source. `unknown_holds`: True if a node counts as an owner before the first line from its source, and after the
    source is lost."""
    members = {node for node, changes in instance.items() if node in balancers and _names_owner(changes)}
    lines = sorted(
        (change.at_us, node, unknown_holds if change.lost else bool(change.holds))
        for node in members
        for change in instance[node]
        if change.is_about_address and change.at_us < until_us
    )
    holders = members if unknown_holds else set()
    began_us: int | None = since_us if len(holders) > 1 else None
    for at_us, node, holds in [*lines, (until_us, "", False)]:
        if began_us is not None and at_us > max(began_us, since_us):
            yield Span(max(began_us, since_us), at_us)
        holders = holders | {node} if holds else holders - {node}
        began_us = at_us if len(holders) > 1 else None
