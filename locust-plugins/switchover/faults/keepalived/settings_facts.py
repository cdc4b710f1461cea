"""The settings of a pair's Keepalived as a run keeps them."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields

from switchover.faults.keepalived.nodes import NodeKeepalived, read_node
from switchover.model.errors import SwitchoverError
from switchover.model.vrrp import BY_UNKNOWN, CheckScript, KeepalivedSettings
from switchover.target.model import Target

NOT_THERE = "not there"

Facts = Mapping[str, str | int | float | bool]
"""By setting. Durations in seconds; no password."""


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
    """What decides how long a switchover takes and, where it is from a configuration, whether nodes are a pair."""
    if found.settings is None:
        return {}
    facts = dict(_of_settings(found.settings))
    if found.instance is not None:
        one = found.instance
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
    for one in fields(settings):
        value = getattr(settings, one.name)
        if isinstance(value, int | float | bool):
            yield of + one.name.removesuffix("_s"), value
    for number, check in enumerate(settings.checks, 1):
        yield from _of_check(check, f"{of}check {number} ")
    for member in settings.group:
        yield from _of_settings(member, f"{of}{member.instance} ")


def _of_check(check: CheckScript, of: str) -> Iterator[tuple[str, str | int | float | bool]]:
    for one in fields(check):
        value = getattr(check, one.name)
        if value != BY_UNKNOWN:
            yield of + one.name.removesuffix("_s"), value
