"""A keepalived.conf as Keepalived runs it: the instances, their trackers, and the settings that Keepalived
changes."""

import difflib
import ipaddress
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.model.vrrp import OWNER, KeepalivedSettings, round_advert_s
from switchover.predict.keepalived_syntax import NUMBERS, Block, Statement, read_syntax
from switchover.predict.trackers import Tracker, instance_trackers

PASSWORD_LENGTH = 8
"""The number of characters of `auth_pass` that Keepalived sends. VRRPv2 adverts have no space for more."""

_DECISIVE = (*NUMBERS, "state", "nopreempt", "virtual_ipaddress", "unicast_peer", "track_script", "authentication")
"""The keywords with which an unknown keyword is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VrrpInstance:
    """One `vrrp_instance`. `settings` decides the outage. The other fields show whether two nodes form a pair."""

    place: str
    settings: KeepalivedSettings
    router_id: int | None
    interface: str
    starts_as_master: bool
    """True: `state MASTER`, or no `state` and priority 255. In strict mode: priority 255."""
    strict: bool
    addresses: tuple[str, ...]
    silent_addresses: tuple[str, ...]
    """The addresses of `virtual_ipaddress_excluded`, which move with the virtual addresses, but are not in
    adverts."""
    is_ipv6: bool
    authentication: str
    """The type `PASS` or `AH`. Empty: no authentication."""
    password: str = field(repr=False)
    unicast_source: str
    unicast_peers: tuple[str, ...]
    trackers: tuple[Tracker, ...]
    sync_group: str
    said_advert_int_s: float
    """The interval in the file. `settings` has the interval that the VRRP version can send."""
    said_nopreempt: bool
    """True: the file has `nopreempt`, even if Keepalived clears it."""
    remarks: tuple[str, ...]
    """The statements that Keepalived ignores or changes, each with its place."""

    @property
    def name(self) -> str:
        return self.settings.instance

    @property
    def balancer_trackers(self) -> tuple[Tracker, ...]:
        """The trackers that fail if the balancer dies: trackers that name the balancer, otherwise scripts that may
        check it."""
        named = tuple(tracker for tracker in self.trackers if tracker.is_of_balancer)
        return named or tuple(tracker for tracker in self.trackers if tracker.may_be_of_balancer)


@dataclass(frozen=True, slots=True)
class KeepalivedConf:
    path: Path
    instances: tuple[VrrpInstance, ...]
    remarks: tuple[str, ...]
    """The remarks about the file as a whole. Each instance has further remarks."""
    balances_itself: bool = False
    """True: the file has `virtual_server` blocks. Then the kernel balances (LVS), without a balancer process."""
    not_included: tuple[str, ...] = ()
    """The `include` lines that match no file."""
    router_id: str = ""
    """The `router_id` in the global definitions."""

    def instance(self, name: str | None = None) -> VrrpInstance:
        """Return the named instance. None: the first instance. Raises TargetError if it does not exist."""
        for instance in self.instances:
            if name in (None, instance.name):
                return instance
        others = f"; it has: {', '.join(instance.name for instance in self.instances)}" if self.instances else ""
        raise TargetError(f"{self.path}: has no vrrp_instance{f' {name}' if name and self.instances else ''}{others}")

    def instance_with(self, addresses: Collection[str]) -> VrrpInstance:
        """Return the instance that has one of these virtual addresses, otherwise the first instance. Raises
        TargetError if there is no instance."""
        for instance in self.instances:
            if not {*instance.addresses, *instance.silent_addresses}.isdisjoint(addresses):
                return instance
        return self.instance()


def read_conf(path: Path, config_id: str | None = None, text: str | None = None) -> KeepalivedConf:
    """Read the settings that decide about a switchover. Raises TargetError with the place.

    `config_id`: the value of Keepalived's `--config-id`, which `@id` lines need; None: the host's name. `text`: the
    content of the file, if it was already read.
    """
    syntax = read_syntax(path, config_id, text)
    if config_id is not None and syntax.config_ids and config_id not in syntax.config_ids:
        known = ", ".join(sorted(syntax.config_ids))
        raise TargetError(f"{path}: no condition names {config_id!r}; its conditions are for: {known} (--config-id)")
    top = Block(syntax.statements, remarks=[*syntax.remarks, *_misspelt(syntax.statements)])
    instances = [statement for statement in top.statements if statement.keyword == "vrrp_instance"]
    for instance in instances:
        if not instance.value():
            raise TargetError(f"{instance.place}: 'vrrp_instance' has no name")
    return KeepalivedConf(
        path,
        tuple(_read_instance(instance, top) for instance in instances),
        tuple(top.remarks),
        balances_itself=top.last("virtual_server") is not None,
        not_included=tuple(syntax.not_included),
        router_id=Block(top.lines("global_defs")).word("router_id"),
    )


def _misspelt(statements: Sequence[Statement]) -> list[str]:
    """Return a remark for each unknown keyword that resembles a known keyword. Keepalived ignores unknown
    keywords."""
    remarks = []
    for statement in statements:
        close = difflib.get_close_matches(statement.keyword, _DECISIVE, 1, 0.88)
        if close and close[0] != statement.keyword:
            text = f"unknown word {statement.keyword!r}: Keepalived ignores it. Is it {close[0]!r}?"
            remarks.append(f"{text} [{statement.place}]")
        if statement.keyword.startswith(("vrrp_", "global_defs")):
            remarks += _misspelt(statement.block)
    return remarks


def _read_instance(statement: Statement, top: Block, *, with_group: bool = True) -> VrrpInstance:
    """Read an instance, with the settings of the global definitions and of its sync group.

    `with_group`: also read the settings of the other members of the sync group.
    """
    block = Block(statement.block, statement.place)
    globals_ = Block(top.lines("global_defs"), remarks=block.remarks)
    addresses = _addresses(block, "virtual_ipaddress")
    is_ipv6 = ":" in addresses[0] if addresses else block.last("native_ipv6") is not None
    strict = block.is_on("strict_mode", globals_.is_on("vrrp_strict", False))
    version = block.whole("version", globals_.whole("vrrp_version", 2))
    if is_ipv6 and version == 2 and (strict or block.last("version") is None):
        version = 3
    state = block.word("state")
    if state not in ("", "MASTER", "BACKUP"):
        block.remark(block.place_of("state"), f"'state {state}' is no state: Keepalived uses BACKUP")
        state = "BACKUP"
    priority = block.whole("priority", OWNER if state == "MASTER" else 100)
    by_priority = "priority 255" if priority == OWNER else ""
    first_master = by_priority if strict or not state else "state MASTER" if state == "MASTER" else ""
    authentication, password = _authentication(block, version, strict)
    group, members = _find_sync_group(statement, top)
    peers = _addresses(block, "unicast_peer")
    said_advert_int_s = block.number("advert_int") or 1.0
    settings = KeepalivedSettings(
        priority=priority,
        advert_int_s=_as_sent_s(said_advert_int_s, version, block),
        version=version,
        preempt=block.last("nopreempt") is None,
        preempt_delay_s=block.number("preempt_delay") or 0.0,
        down_timer_adverts=block.whole("down_timer_adverts", globals_.whole("vrrp_down_timer_adverts", 3)),
        unicast=bool(peers),
        instance=statement.value(),
    )
    router_id = block.number("virtual_router_id")
    found = VrrpInstance(
        place=block.place,
        settings=_as_keepalived_runs_it(settings, first_master, strict, block),
        router_id=None if router_id is None else int(router_id),
        interface=block.word("interface") or globals_.word("default_interface") or "eth0",
        starts_as_master=bool(first_master),
        strict=strict,
        addresses=addresses,
        silent_addresses=_addresses(block, "virtual_ipaddress_excluded"),
        is_ipv6=is_ipv6,
        authentication=authentication,
        password=password,
        unicast_source=_plain_address(block.word("unicast_src_ip") or block.word("mcast_src_ip")),
        unicast_peers=peers,
        trackers=instance_trackers(block, group, members, top, is_owner=priority == OWNER),
        sync_group=group.value() if group else "",
        said_advert_int_s=said_advert_int_s,
        said_nopreempt=block.last("nopreempt") is not None,
        remarks=tuple(block.remarks),
    )
    of_balancer = found.balancer_trackers
    checks = tuple(tracker.check for tracker in of_balancer)
    complete = replace(
        found.settings,
        check=checks[0] if checks else None,
        further_checks=checks[1:],
        other_weights=sum(tracker.adds_when_well for tracker in found.trackers if tracker not in of_balancer),
        group=tuple(_read_instance(member, top, with_group=False).settings for member in members)
        if with_group
        else (),
    )
    return replace(found, settings=complete)


def _find_sync_group(instance: Statement, top: Block) -> tuple[Statement | None, list[Statement]]:
    """Return the sync group of an instance, and the other members of the group. All members become master
    together."""
    for group in top.statements:
        names = {word for line in Block(group.block).lines("group") for word in line.words}
        if group.keyword == "vrrp_sync_group" and instance.value() in names:
            members = [
                other for other in top.statements if other.keyword == "vrrp_instance" and other is not instance
            ]
            return group, [other for other in members if other.value() in names]
    return None, []


def _as_keepalived_runs_it(
    settings: KeepalivedSettings, first_master: str, strict: bool, block: Block
) -> KeepalivedSettings:
    """Return the settings after Keepalived has cleared `nopreempt` and `preempt_delay` of an initial master, and for
    strict mode.

    `first_master`: the statement that makes the node the initial master. Empty: it is not.
    """
    clears_preemption = first_master or ("priority 255" if settings.priority == OWNER else "")
    if clears_preemption and not settings.preempt:
        block.remark(block.place_of("nopreempt"), f"{clears_preemption} clears nopreempt: this node does preempt")
        settings = replace(settings, preempt=True)
    clears_delay = first_master or ("vrrp_strict" if strict else "" if settings.preempt else "nopreempt")
    if clears_delay and settings.preempt_delay_s:
        block.remark(block.place_of("preempt_delay"), f"{clears_delay} clears preempt_delay")
        settings = replace(settings, preempt_delay_s=0.0)
    if strict and settings.down_timer_adverts != 3:
        block.remark(block.place, "vrrp_strict sets down_timer_adverts to 3")
        settings = replace(settings, down_timer_adverts=3)
    return settings


def _authentication(block: Block, version: int, strict: bool) -> tuple[str, str]:
    """Return the type and the password that are sent. VRRP 3 and strict mode send no authentication."""
    lines = Block(block.lines("authentication"))
    kind, password = lines.last("auth_type"), lines.last("auth_pass")
    if kind is None:
        return "", ""
    if kind.value() in ("PASS", "AH") and password and password.value() and version == 2 and not strict:
        return kind.value(), password.value()[:PASSWORD_LENGTH]
    text = "Keepalived ignores it: authentication needs VRRP 2, no vrrp_strict, type PASS or AH, and auth_pass"
    block.remark(kind.place, text)
    return "", ""


def _as_sent_s(written_s: float, version: int, block: Block) -> float:
    found = round_advert_s(written_s, version)
    if found != written_s:
        counts = "whole seconds" if version == 2 else "hundredths of a second, up to 40.95"
        text = f"advert_int {written_s:g}: VRRPv{version} counts {counts}, Keepalived uses {found:g} s"
        block.remark(block.place_of("advert_int"), text)
    return found


def _addresses(block: Block, keyword: str) -> tuple[str, ...]:
    """Return the addresses in a block, without prefix length. Words that are no address are skipped, as in
    Keepalived."""
    addresses = []
    for line in block.lines(keyword):
        try:
            addresses.append(str(ipaddress.ip_address(line.keyword.partition("/")[0])))
        except ValueError:
            block.remark(line.place, f"{line.keyword!r} in {keyword} is no address: Keepalived skips it")
    return tuple(addresses)


def _plain_address(text: str) -> str:
    """Return an address without prefix length, in its shortest form. Other text is unchanged."""
    plain = text.partition("/")[0]
    try:
        return str(ipaddress.ip_address(plain))
    except ValueError:
        return plain
