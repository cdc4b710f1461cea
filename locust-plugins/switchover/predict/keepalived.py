"""Read a keepalived.conf as Keepalived interprets the file: VRRP instances, trackers, and settings that Keepalived
changes."""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from switchover.model.errors import TargetError
from switchover.model.vrrp import OWNER, KeepalivedSettings, round_advert_s
from switchover.predict.config_file import Statement
from switchover.predict.keepalived_syntax import Block, read_syntax
from switchover.predict.trackers import Tracker, choose_balancer_trackers, read_trackers

PASSWORD_LENGTH = 8
"""The number of characters of `auth_pass` that Keepalived sends. VRRPv2 adverts have no space for more characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VrrpInstance:
    """One `vrrp_instance`. `settings` determines the outage. The other fields show whether two nodes form a pair."""

    place: str
    settings: KeepalivedSettings
    router_id: int | None
    interface: str
    starts_as_master: bool
    """True: `state MASTER`, or priority 255 without `state`. In strict mode, only priority 255 makes this field
    true."""
    strict: bool
    addresses: tuple[str, ...]
    silent_addresses: tuple[str, ...]
    """The addresses of `virtual_ipaddress_excluded`, which move together with the VIP, but are not in the adverts."""
    is_ipv6: bool
    authentication: str
    """The type `PASS` or `AH`. Empty: no authentication."""
    password: str = field(repr=False)
    unicast_source: str
    unicast_peers: tuple[str, ...]
    trackers: tuple[Tracker, ...]
    sync_group: str
    """The name of the sync group. Empty: the instance is in no sync group."""
    written_advert_int_s: float
    """The advert interval in the file. `settings` has the interval as rounded for the VRRP version."""
    has_nopreempt: bool
    """True: the file has `nopreempt`, even if Keepalived ignores this setting."""

    @property
    def name(self) -> str:
        return self.settings.instance

    @property
    def balancer_trackers(self) -> tuple[Tracker, ...]:
        return choose_balancer_trackers(self.trackers)


class KeepalivedConf(NamedTuple):
    path: Path
    instances: tuple[VrrpInstance, ...]
    balances_itself: bool = False
    """True: the file has `virtual_server` blocks, so the kernel is the balancer (LVS), without a process."""
    not_included: tuple[str, ...] = ()
    """The `include` lines that match no file."""
    router_id: str = ""
    """The `router_id` in the global definitions."""

    def instance(self, name: str | None = None) -> VrrpInstance:
        """Return the VRRP instance with this name; without a name, return the first VRRP instance. Raise TargetError
        if there is no such instance."""
        for instance in self.instances:
            if name in (None, instance.name):
                return instance
        others = f"; it has: {', '.join(instance.name for instance in self.instances)}" if self.instances else ""
        raise TargetError(f"{self.path}: has no vrrp_instance{f' {name}' if name and self.instances else ''}{others}")

    def instance_with(self, addresses: Collection[str]) -> VrrpInstance:
        """Return the VRRP instance that has one of these virtual addresses, otherwise the first VRRP instance."""
        for instance in self.instances:
            if not {*instance.addresses, *instance.silent_addresses}.isdisjoint(addresses):
                return instance
        return self.instance()


def read_conf(path: Path, text: str | None = None, config_id: str | None = None) -> KeepalivedConf:
    """Read the settings that affect a switchover. Raise TargetError with the file and line of an error. `text`: the
    content of the file, if it was already read. `config_id`: the value of Keepalived's `--config-id`, which `@id`
    lines need."""
    syntax = read_syntax(path, text, config_id)
    if config_id is not None and syntax.config_ids and config_id not in syntax.config_ids:
        known = ", ".join(sorted(syntax.config_ids))
        raise TargetError(f"{path}: no '@' line names {config_id!r}; the file has '@' lines for: {known}")
    top = Block(syntax.statements)
    instances = [statement for statement in top.statements if statement.keyword == "vrrp_instance"]
    for instance in instances:
        if not instance.value():
            raise TargetError(f"{instance.place}: 'vrrp_instance' has no name")
    return KeepalivedConf(
        path,
        tuple(_read_instance(instance, top) for instance in instances),
        balances_itself=top.last("virtual_server") is not None,
        not_included=tuple(syntax.not_included),
        router_id=Block(top.lines("global_defs")).word("router_id"),
    )


def _read_instance(statement: Statement, top: Block) -> VrrpInstance:
    block, globals_ = Block(statement.block, statement.place), Block(top.lines("global_defs"))
    addresses, peers = _addresses(block, "virtual_ipaddress"), _addresses(block, "unicast_peer")
    is_ipv6 = ":" in addresses[0] if addresses else block.last("native_ipv6") is not None
    strict = block.is_on("strict_mode", globals_.is_on("vrrp_strict", False))
    version = block.whole("version", globals_.whole("vrrp_version", 2))
    if is_ipv6 and version == 2 and (strict or block.last("version") is None):
        version = 3
    state = block.word("state")
    if state not in ("", "MASTER", "BACKUP"):
        raise TargetError(f"{statement.place}: 'state {state}' is neither MASTER nor BACKUP")
    priority = block.whole("priority", OWNER if state == "MASTER" else 100)
    starts_as_master = priority == OWNER if strict or not state else state == "MASTER"
    has_nopreempt = block.last("nopreempt") is not None
    # Keepalived clears nopreempt and preempt_delay of an initial master.
    preempt = not has_nopreempt or starts_as_master or priority == OWNER
    waits = preempt and not starts_as_master and not strict
    down_timer_adverts = block.whole("down_timer_adverts", globals_.whole("vrrp_down_timer_adverts", 3))
    authentication, password = _authentication(block, version, strict)
    written_advert_int_s = block.number("advert_int") or 1.0
    router_id = block.number("virtual_router_id")
    trackers = read_trackers(block, top)
    balancer_trackers = choose_balancer_trackers(trackers)
    checks = tuple(tracker.check for tracker in balancer_trackers)
    settings = KeepalivedSettings(
        priority=priority,
        advert_int_s=round_advert_s(written_advert_int_s, version),
        version=version,
        preempt=preempt,
        preempt_delay_s=(block.number("preempt_delay") or 0.0) if waits else 0.0,
        down_timer_adverts=3 if strict else down_timer_adverts,
        unicast=bool(peers),
        instance=statement.value(),
        check=checks[0] if checks else None,
        further_checks=checks[1:],
        other_weights=sum(tracker.adds_when_well for tracker in trackers if tracker not in balancer_trackers),
    )
    return VrrpInstance(
        place=block.place,
        settings=settings,
        router_id=None if router_id is None else int(router_id),
        interface=block.word("interface") or globals_.word("default_interface") or "eth0",
        starts_as_master=starts_as_master,
        strict=strict,
        addresses=addresses,
        silent_addresses=_addresses(block, "virtual_ipaddress_excluded"),
        is_ipv6=is_ipv6,
        authentication=authentication,
        password=password,
        unicast_source=_plain_address(block.word("unicast_src_ip") or block.word("mcast_src_ip")),
        unicast_peers=peers,
        trackers=trackers,
        sync_group=_find_sync_group(statement.value(), top),
        written_advert_int_s=written_advert_int_s,
        has_nopreempt=has_nopreempt,
    )


def _find_sync_group(instance: str, top: Block) -> str:
    for group in top.statements:
        names = {word for line in Block(group.block).lines("group") for word in line.words}
        if group.keyword == "vrrp_sync_group" and instance in names:
            return group.value()
    return ""


def _authentication(block: Block, version: int, strict: bool) -> tuple[str, str]:
    """Return the authentication type and password that Keepalived sends. VRRP 3 and strict mode send no
    authentication."""
    lines = Block(block.lines("authentication"))
    kind, password = lines.last("auth_type"), lines.last("auth_pass")
    if kind is None or password is None or not password.value() or version != 2 or strict:
        return "", ""
    return (kind.value(), password.value()[:PASSWORD_LENGTH]) if kind.value() in ("PASS", "AH") else ("", "")


def _addresses(block: Block, keyword: str) -> tuple[str, ...]:
    """Return the addresses in a block, without prefix length. Other words are skipped, as in Keepalived."""
    plain = [_plain_address(line.keyword) for line in block.lines(keyword)]
    return tuple(address for address in plain if _is_address(address))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _plain_address(text: str) -> str:
    """Return the shortest form of an address, without the prefix length. Other text is returned unchanged."""
    plain = text.partition("/")[0]
    return str(ipaddress.ip_address(plain)) if _is_address(plain) else plain
