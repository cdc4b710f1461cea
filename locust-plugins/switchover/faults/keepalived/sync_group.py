"""The sync group of an instance: its members become master together."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchover.faults.keepalived.block import Block
from switchover.faults.keepalived.syntax import Statement


@dataclass(frozen=True, slots=True)
class SyncGroup:
    """One `vrrp_sync_group`, as one of its members sees it."""

    name: str
    statements: Sequence[Statement]
    others: Sequence[Statement]
    """The `vrrp_instance` of each other member."""


def find_sync_group(instance: Statement, top: Block) -> SyncGroup | None:
    for group in top.statements:
        if group.keyword == "vrrp_sync_group":
            names = {word for line in Block(group.block).lines("group") for word in line.words}
            if instance.value() in names:
                instances = [s for s in top.statements if s.keyword == "vrrp_instance" and s.value() in names]
                return SyncGroup(group.value(), group.block, [s for s in instances if s is not instance])
    return None
