"""Read a node's Keepalived settings from a target file or a copy of keepalived.conf."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from switchover.http.address import known_addresses
from switchover.model.errors import SwitchoverError
from switchover.model.vrrp import BY_UNKNOWN, CheckScript, KeepalivedSettings
from switchover.predict.keepalived import VrrpInstance, read_conf
from switchover.target.model import Node, Target

NOT_THERE = "not there"

Facts = dict[str, str | int | float | bool]
"""Settings, with their names as keys. Durations are in seconds. Passwords are not included."""

RESOLVE_S = 2.0
"""The time limit for resolving the target's host. If the host is not resolved in time, the first VRRP instance is
used."""


class NodeKeepalived(NamedTuple):
    settings: KeepalivedSettings | None = None
    instance: VrrpInstance | None = None
    not_included: tuple[str, ...] = ()
    """The `include` lines in the copy of keepalived.conf for which no file exists."""


def read_node(node: Node | None, vip_host: str) -> NodeKeepalived:
    """Read the settings of a node, or of its copy of keepalived.conf. `vip_host`: the host in the target's URL."""
    if node is None or node.keepalived is None:
        return NodeKeepalived()
    if isinstance(node.keepalived, Path):
        return read_copy(node.keepalived, node.name, vip_host)
    return NodeKeepalived(node.keepalived)


def read_copy(path: Path, node: str, vip_host: str) -> NodeKeepalived:
    """Read from a copy of keepalived.conf the first VRRP instance with the target's address. `node`: the name that
    selects the `@id` lines."""
    conf = read_conf(path, config_id=node)
    instance = conf.instance_with(known_addresses(vip_host, RESOLVE_S) if len(conf.instances) > 1 else ())
    return NodeKeepalived(instance.settings, instance, conf.not_included)


def keepalived_facts(target: Target) -> dict[str, Facts]:
    """Return the Keepalived settings of each balancer; the keys are the node names. Nodes without settings, or with
    an unreadable copy, are omitted."""
    facts_by_node: dict[str, Facts] = {}
    for node in target.balancers:
        with suppress(SwitchoverError):
            facts = settings_facts(read_node(node, target.endpoint.host))
            if facts:
                facts_by_node[node.name] = facts
    return facts_by_node


def settings_facts(node_settings: NodeKeepalived) -> Facts:
    """Return the settings that determine the outage. From a copy, also return the settings that show if two nodes
    form a pair."""
    if node_settings.settings is None:
        return {}
    facts: Facts = dict(_facts_of(node_settings.settings))
    for number, check in enumerate(node_settings.settings.checks, 1):
        facts |= {f"check {number} {name}": value for name, value in _facts_of(check)}
        if check.by != BY_UNKNOWN:
            facts[f"check {number} by"] = check.by
    if (instance := node_settings.instance) is not None:
        facts |= {
            "instance": instance.name,
            "state": "MASTER" if instance.starts_as_master else "BACKUP",
            "virtual_router_id": NOT_THERE if instance.router_id is None else instance.router_id,
            "interface": instance.interface,
            "virtual_ipaddress": " ".join(instance.addresses),
            "unicast_peer": " ".join(instance.unicast_peers),
            "auth_type": instance.authentication,
            "sync_group": instance.sync_group,
            "strict": instance.strict,
        }
    return facts


def _facts_of(settings: KeepalivedSettings | CheckScript) -> Iterator[tuple[str, int | float | bool]]:
    """Yield the names and values of all numeric and boolean settings. The suffix for seconds is removed from the
    names."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, int | float):
            yield field.name.removesuffix("_s"), value
