"""A whole keepalived.conf: its instances, and what of the file Keepalived does not act on."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from switchover.faults.keepalived.block import Block
from switchover.faults.keepalived.instance import VrrpInstance, read_instance
from switchover.faults.keepalived.syntax import Remark, read_syntax
from switchover.faults.keepalived.words import drop_unknown_words
from switchover.model.errors import TargetError


@dataclass(frozen=True, slots=True)
class KeepalivedConf:
    """One node's configuration."""

    path: Path
    instances: tuple[VrrpInstance, ...]
    remarks: tuple[Remark, ...]
    """Of the file; each instance has its own."""
    balances_itself: bool = False
    """It has `virtual_server` blocks: the kernel balances (LVS), and no balancer process can die."""
    not_included: tuple[str, ...] = ()
    """The `include` lines that find no file: what they would add is unknown."""
    router_id: str = ""
    """The node's name for itself, in the global definitions."""

    def instance(self, name: str | None = None) -> VrrpInstance:
        """The named one, by default the first. Raises TargetError with the names that there are."""
        for found in self.instances:
            if name in (None, found.name):
                return found
        others = f"; it has: {', '.join(found.name for found in self.instances)}" if self.instances else ""
        raise TargetError(f"{self.path}: has no vrrp_instance{f' {name}' if name and self.instances else ''}{others}")

    def instance_with(self, addresses: Collection[str]) -> VrrpInstance:
        """The one with one of the virtual addresses; where none has it, the first. Raises TargetError without any."""
        for found in self.instances:
            if not {*found.addresses, *found.silent_addresses}.isdisjoint(addresses):
                return found
        return self.instance()


def read_conf(path: Path, config_id: str | None = None, text: str | None = None) -> KeepalivedConf:
    """Everything that decides about a switchover. Raises TargetError, one line with the place.

    `config_id` is what Keepalived is started with (`--config-id`, by default the host's name): `@id` lines need it.
    `text` is the file's own text where it has been read already.
    """
    syntax = read_syntax(path, config_id, text)
    if config_id is not None and syntax.config_ids and config_id not in syntax.config_ids:
        known = ", ".join(sorted(syntax.config_ids))
        raise TargetError(f"{path}: no condition names {config_id!r}; its conditions are for: {known} (--config-id)")
    statements, unknown = drop_unknown_words(syntax.statements)
    instances = [statement for statement in statements if statement.keyword == "vrrp_instance"]
    for instance in instances:
        if not instance.value():
            raise TargetError(f"{instance.place}: 'vrrp_instance' has no name")
    top = Block(statements)
    return KeepalivedConf(
        path,
        tuple(read_instance(instance, top) for instance in instances),
        (*syntax.remarks, *unknown),
        balances_itself=top.last("virtual_server") is not None,
        not_included=tuple(syntax.not_included),
        router_id=Block(top.lines("global_defs")).word("router_id"),
    )
