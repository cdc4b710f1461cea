"""The sync group of an instance: its other members, and what of their trackers counts for all of them."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from switchover.faults.keepalived.syntax import Statement
from switchover.faults.keepalived.trackers import Tracker, last_statement, read_trackers
from switchover.faults.keepalived.values import ValueReader


def instance_trackers(
    block: Statement, group: Statement | None, top: Sequence[Statement], values: ValueReader, *, is_owner: bool
) -> tuple[Tracker, ...]:
    """The instance's own and its group's; of the group's other members those that send all of them into FAULT."""
    own = list(read_trackers(block, top, values))
    if group is None:
        return tuple(_without_weights(own, "priority 255", values) if is_owner else own)
    if last_statement(group.block, "sync_group_tracking_weight") is None:
        own = list(_without_weights(own, f"sync group {group.value()}", values))
    silent = ValueReader()
    shared = [
        t
        for other in other_members(block, group, top)
        for t in read_trackers(other, top, silent)
        if t.check.weight == 0
    ]
    of_group = list(read_trackers(group, top, values))
    known: dict[tuple[str, str], Tracker] = {}
    for tracker in itertools.chain(of_group, own, shared):
        known.setdefault((tracker.kind, tracker.name), tracker)
    return tuple(known.values())


def _without_weights(trackers: Sequence[Tracker], why: str, values: ValueReader) -> list[Tracker]:
    """Scripts with a weight are ignored, files of weight 1 and a group's interfaces lose it."""
    kept = []
    for tracker in trackers:
        loses_it = (tracker.kind == "track_interface" and why.startswith("sync group")) or (
            tracker.kind == "track_file" and tracker.check.weight == 1
        )
        if tracker.check.weight == 0 or tracker.kind == "track_process":
            kept.append(tracker)
        elif loses_it:
            values.remark(tracker.place, f"{why}: the weight of {tracker.name} is ignored")
            kept.append(replace(tracker, check=replace(tracker.check, weight=0)))
        else:
            values.remark(tracker.place, f"{why}: {tracker.name} has a weight, so Keepalived ignores it altogether")
    return kept


def sync_group_of(instance: str, top: Sequence[Statement]) -> Statement | None:
    for statement in top:
        if statement.keyword == "vrrp_sync_group" and instance in _members(statement):
            return statement
    return None


def other_members(block: Statement, group: Statement | None, top: Sequence[Statement]) -> list[Statement]:
    if group is None:
        return []
    names = _members(group)
    return [s for s in top if s.keyword == "vrrp_instance" and s.value() in names and s is not block]


def _members(group: Statement) -> set[str]:
    return {
        word
        for line in (line for s in group.block if s.keyword == "group" for line in s.block)
        for word in line.words
    }
