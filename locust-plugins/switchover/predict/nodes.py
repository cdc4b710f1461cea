"""A node's Keepalived, from a target file or from a copy of its configuration; its settings as a run keeps them."""

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
"""By setting. Durations in seconds; no password."""

RESOLVE_S = 2.0
"""For the addresses of the target's host. Where it has none in time, the first instance is taken."""


@dataclass(frozen=True, slots=True)
class NodeKeepalived:
    """What is known of one node's Keepalived: settings, and where they are from a configuration, its instance."""

    settings: KeepalivedSettings | None = None
    instance: VrrpInstance | None = None
    not_included: tuple[str, ...] = ()
    """The `include` lines of the configuration that find no file beside the copy."""


def read_node(node: Node | None, vip_host: str) -> NodeKeepalived:
    """From the table in the target file, or from the copy of the configuration that it names. `vip_host`: of the
    target."""
    if node is None or node.keepalived is None:
        return NodeKeepalived()
    if isinstance(node.keepalived, Path):
        return read_copy(node.keepalived, node.name, vip_host)
    return NodeKeepalived(node.keepalived)


def read_copy(path: Path, node: str, vip_host: str, text: str | None = None) -> NodeKeepalived:
    """From a copy of a keepalived.conf, or from its text: the instance that has the target's address, of several the
    first. The node's name chooses among the file's `@id` lines."""
    conf = read_conf(path, node, text)
    addresses: tuple[str, ...] = ()
    if len(conf.instances) > 1 and vip_host:
        with suppress(OSError):
            addresses = find_addresses(vip_host, RESOLVE_S)
    instance = conf.instance_with(addresses)
    return NodeKeepalived(instance.settings, instance, conf.not_included)


def keepalived_facts(target: Target) -> dict[str, Facts]:
    """By node; without those that the target file tells nothing of, or whose copy cannot be read."""
    found: dict[str, Facts] = {}
    for node in target.balancers:
        with suppress(SwitchoverError):
            facts = settings_facts(read_node(node, target.endpoint.host))
            if facts:
                found[node.name] = facts
    return found


def settings_facts(found: NodeKeepalived) -> dict[str, str | int | float | bool]:
    """The settings that decide how long a switchover takes and, if they are from a configuration, whether nodes are a
    pair."""
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
