"""A node's Keepalived settings, from a target file or from a copy of its configuration, and as a run records them."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from switchover.http.address import find_addresses
from switchover.model.errors import SwitchoverError
from switchover.model.vrrp import BY_UNKNOWN, KeepalivedSettings
from switchover.predict.keepalived import VrrpInstance, read_conf
from switchover.target.model import Node, Target

NOT_THERE = "not there"

Facts = Mapping[str, str | int | float | bool]
"""The value of each setting. Durations are in seconds. No password is included."""

RESOLVE_S = 2.0
"""The limit for resolving the target's host. If it does not resolve in time, the first instance is used."""


@dataclass(frozen=True, slots=True)
class NodeKeepalived:
    """The settings of one node's Keepalived, and its instance if the settings are from a configuration."""

    settings: KeepalivedSettings | None = None
    instance: VrrpInstance | None = None
    not_included: tuple[str, ...] = ()
    """The `include` lines of the configuration that match no file near the copy."""


def read_node(node: Node | None, vip_host: str) -> NodeKeepalived:
    """Read the settings from the table in the target file, or from the copy of the configuration that it names.

    `vip_host`: the host of the target.
    """
    if node is None or node.keepalived is None:
        return NodeKeepalived()
    if isinstance(node.keepalived, Path):
        return read_copy(node.keepalived, node.name, vip_host)
    return NodeKeepalived(node.keepalived)


def read_copy(path: Path, node: str, vip_host: str, text: str | None = None) -> NodeKeepalived:
    """Read the instance that has the target's address from a copy of a keepalived.conf, or from its text.

    If several instances have the address, the first is used. The node's name selects among the `@id` lines of the
    file.
    """
    conf = read_conf(path, node, text)
    addresses: tuple[str, ...] = ()
    if len(conf.instances) > 1 and vip_host:
        with suppress(OSError):
            addresses = find_addresses(vip_host, RESOLVE_S)
    instance = conf.instance_with(addresses)
    return NodeKeepalived(instance.settings, instance, conf.not_included)


def keepalived_facts(target: Target) -> dict[str, Facts]:
    """Return the settings of each node. Nodes without settings in the target file or with an unreadable copy are
    missing."""
    found: dict[str, Facts] = {}
    for node in target.balancers:
        with suppress(SwitchoverError):
            facts = settings_facts(read_node(node, target.endpoint.host))
            if facts:
                found[node.name] = facts
    return found


def settings_facts(found: NodeKeepalived) -> dict[str, str | int | float | bool]:
    """Return the settings that decide the length of a switchover. From a configuration, also those that decide
    whether nodes are a pair."""
    if found.settings is None:
        return {}
    facts = dict(_of_settings(found.settings))
    if (one := found.instance) is not None:
        facts |= {
            "instance": one.name,
            "state": "MASTER" if one.starts_as_master else "BACKUP",
            "virtual_router_id": NOT_THERE if one.router_id is None else one.router_id,
            "interface": one.interface,
            "virtual_ipaddress": " ".join(one.addresses),
            "unicast_peer": " ".join(one.unicast_peers),
            "auth_type": one.authentication,
            "sync_group": one.sync_group,
            "strict": one.strict,
        }
    return facts


def _of_settings(settings: KeepalivedSettings, of: str = "") -> Iterator[tuple[str, str | int | float | bool]]:
    parts: dict[str, object] = {of: settings}
    parts |= {f"{of}check {number} ": check for number, check in enumerate(settings.checks, 1)}
    for prefix, part in parts.items():
        for name in part.__slots__:  # type: ignore[attr-defined]
            value = getattr(part, name)
            is_check = part is not settings
            if isinstance(value, int | float) or (is_check and isinstance(value, str) and value != BY_UNKNOWN):
                yield prefix + name.removesuffix("_s"), value
    for member in settings.group:
        yield from _of_settings(member, f"{of}{member.instance} ")
