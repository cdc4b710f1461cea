"""A vrrp_instance as Keepalived runs it: its settings after the changes that Keepalived makes to them."""

import ipaddress
from dataclasses import dataclass, field, replace

from switchover.faults.keepalived import number_rules
from switchover.faults.keepalived.block import Block
from switchover.faults.keepalived.sync_group import find_sync_group
from switchover.faults.keepalived.syntax import Remark, Statement
from switchover.faults.keepalived.trackers import Tracker, instance_trackers
from switchover.model.vrrp import OWNER, KeepalivedSettings, round_advert_s

PASSWORD_LENGTH = 8
"""What of `auth_pass` Keepalived sends: VRRPv2 has room for no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VrrpInstance:
    """One `vrrp_instance`. `settings` decides about time, the rest about whether nodes are a pair."""

    place: str
    settings: KeepalivedSettings
    router_id: int | None
    interface: str
    starts_as_master: bool
    """By `state MASTER`, without `state` by priority 255, and in strict mode by that alone."""
    strict: bool
    addresses: tuple[str, ...]
    silent_addresses: tuple[str, ...]
    """`virtual_ipaddress_excluded`: taken over like the others, but not in the adverts."""
    is_ipv6: bool
    authentication: str
    """`PASS` or `AH`, or nothing; the password stands apart, and is never shown."""
    password: str = field(repr=False)
    unicast_source: str
    unicast_peers: tuple[str, ...]
    trackers: tuple[Tracker, ...]
    sync_group: str
    said_advert_int_s: float
    """As the file has it; `settings` has what the version can send."""
    said_nopreempt: bool
    """The file has `nopreempt`, whether it holds or not."""
    remarks: tuple[Remark, ...]
    """What Keepalived ignores or changes."""

    @property
    def name(self) -> str:
        return self.settings.instance

    @property
    def balancer_trackers(self) -> tuple[Tracker, ...]:
        """Those that fail when the balancer dies: the ones that name it, else scripts that may look at it."""
        named = tuple(tracker for tracker in self.trackers if tracker.is_of_balancer)
        return named or tuple(tracker for tracker in self.trackers if tracker.may_be_of_balancer)


def read_instance(statement: Statement, top: Block, *, with_group: bool = True) -> VrrpInstance:
    """One instance of the file, with the global definitions and the sync group that it belongs to.

    Without `with_group` the settings of the group's other members are left out.
    """
    block = Block(statement.block, statement.place)
    defaults = _read_globals(Block(top.lines("global_defs"), remarks=block.remarks))
    addresses = _addresses(block, "virtual_ipaddress")
    is_ipv6 = ":" in addresses[0] if addresses else block.last("native_ipv6") is not None
    strict = block.is_on("strict_mode", defaults.strict)
    version = _version(block, defaults.version, is_ipv6=is_ipv6, strict=strict)
    said_state = _state(block)
    priority = block.whole(number_rules.PRIORITY, OWNER if said_state == "MASTER" else 100)
    by_priority = "priority 255" if priority == OWNER else ""
    first_master = by_priority if strict or not said_state else "state MASTER" if said_state == "MASTER" else ""
    authentication, password = _authentication(block, version, strict)
    group = find_sync_group(statement, top)
    trackers = instance_trackers(block, group, top, is_owner=priority == OWNER)
    peers = _addresses(block, "unicast_peer")
    said_nopreempt = block.last("nopreempt") is not None
    said_advert_int_s = block.time_s(number_rules.ADVERT_INT, 1.0)
    settings = KeepalivedSettings(
        priority=priority,
        advert_int_s=_as_sent_s(said_advert_int_s, version, block),
        version=version,
        preempt=not said_nopreempt,
        preempt_delay_s=block.time_s(number_rules.PREEMPT_DELAY, 0.0),
        down_timer_adverts=block.whole(number_rules.DOWN_TIMER, defaults.down_timer_adverts),
        unicast=bool(peers),
        instance=statement.value(),
    )
    found = VrrpInstance(
        place=block.place,
        settings=_as_keepalived_runs_it(settings, first_master, strict, block),
        router_id=_router_id(block),
        interface=block.word("interface") or defaults.interface,
        starts_as_master=bool(first_master),
        strict=strict,
        addresses=addresses,
        silent_addresses=_addresses(block, "virtual_ipaddress_excluded"),
        is_ipv6=is_ipv6,
        authentication=authentication,
        password=password,
        unicast_source=_plain_address(block.word("unicast_src_ip") or block.word("mcast_src_ip")),
        unicast_peers=peers,
        trackers=trackers,
        sync_group=group.name if group else "",
        said_advert_int_s=said_advert_int_s,
        said_nopreempt=said_nopreempt,
        remarks=tuple(block.remarks),
    )
    checks = tuple(tracker.check for tracker in found.balancer_trackers)
    others = (t for t in trackers if t not in found.balancer_trackers)
    members = group.others if group and with_group else ()
    complete = replace(
        found.settings,
        check=checks[0] if checks else None,
        further_checks=checks[1:],
        other_weights=sum(tracker.adds_when_well for tracker in others),
        group=tuple(read_instance(member, top, with_group=False).settings for member in members),
    )
    return replace(found, settings=complete)


@dataclass(frozen=True, slots=True)
class _Globals:
    version: int
    down_timer_adverts: int
    interface: str
    strict: bool


def _read_globals(block: Block) -> _Globals:
    startup_delay_s = block.time_s(number_rules.STARTUP_DELAY, 0.0)
    if startup_delay_s:
        text = (
            f"vrrp_startup_delay: a node that starts takes no part for {startup_delay_s:g} s, which is in no window"
        )
        block.remark(block.place_of("vrrp_startup_delay"), text)
    interface = block.last("default_interface")
    return _Globals(
        version=block.whole(number_rules.VRRP_VERSION, 2),
        down_timer_adverts=block.whole(number_rules.GLOBAL_DOWN_TIMER, 3),
        interface=interface.value() if interface else "eth0",
        strict=block.is_on("vrrp_strict", False),
    )


def _as_keepalived_runs_it(
    settings: KeepalivedSettings, first_master: str, strict: bool, block: Block
) -> KeepalivedSettings:
    """What Keepalived clears: nopreempt and preempt_delay of a first master, what strict mode forbids.

    `first_master` is what makes it one, or nothing.
    """
    if first_master or settings.priority == OWNER:
        why = first_master or "priority 255"
        if not settings.preempt:
            block.remark(block.place_of("nopreempt"), f"{why} clears nopreempt: this node does preempt")
            settings = replace(settings, preempt=True)
        if settings.preempt_delay_s and first_master:
            block.remark(block.place_of("preempt_delay"), f"{why} clears preempt_delay")
            settings = replace(settings, preempt_delay_s=0.0)
    if settings.preempt_delay_s and (strict or not settings.preempt):
        why = "vrrp_strict" if strict else "nopreempt"
        block.remark(block.place_of("preempt_delay"), f"{why} clears preempt_delay")
        settings = replace(settings, preempt_delay_s=0.0)
    if strict and settings.down_timer_adverts != 3:
        block.remark(block.place, "vrrp_strict sets down_timer_adverts to 3")
        settings = replace(settings, down_timer_adverts=3)
    return settings


def _state(block: Block) -> str:
    """MASTER stays against a later BACKUP, but not against a word that is no state; nothing if no line is there."""
    state = ""
    for statement in block.valued("state"):
        if statement.value() not in ("MASTER", "BACKUP"):
            block.remark(statement.place, f"{statement.text!r} is no state: Keepalived takes BACKUP")
            state = "BACKUP"
        elif state != "MASTER":
            state = statement.value()
    return state


def _authentication(block: Block, version: int, strict: bool) -> tuple[str, str]:
    """Type and password as they are sent. Version 3 and strict mode send neither."""
    lines = Block(block.lines("authentication"))
    kind, password = lines.last("auth_type"), lines.last("auth_pass")
    if kind is None:
        return "", ""
    if kind.value() not in ("PASS", "AH"):
        block.remark(kind.place, f"unknown authentication type {kind.value()!r}: Keepalived sends none")
        return "", ""
    if version == 3 or strict:
        why = "VRRPv3 has no authentication" if version == 3 else "vrrp_strict forbids authentication"
        block.remark(kind.place, f"{why}: Keepalived ignores it")
        return "", ""
    if password is None or not password.value():
        block.remark(kind.place, "authentication without auth_pass: Keepalived ignores it")
        return "", ""
    if len(password.value()) > PASSWORD_LENGTH:
        block.remark(password.place, f"only the first {PASSWORD_LENGTH} characters of auth_pass are used")
    return kind.value(), password.value()[:PASSWORD_LENGTH]


def _version(block: Block, unsaid: int, *, is_ipv6: bool, strict: bool) -> int:
    """2 behind an IPv6 address is ignored; strict mode makes 3 of a 2 that stands before it."""
    counting: list[Statement] = []
    family_known = False
    for statement in block.statements:
        family_known = family_known or (is_ipv6 and statement.keyword in ("virtual_ipaddress", "unicast_peer"))
        if statement.keyword == "version" and family_known and statement.value() == "2":
            block.remark(statement.place, "'version 2' behind an IPv6 address: Keepalived ignores it")
        else:
            counting.append(statement)
    version = Block(counting, remarks=block.remarks).whole(number_rules.VERSION, 3 if is_ipv6 else unsaid)
    return 3 if is_ipv6 and strict else version


def _as_sent_s(written_s: float, version: int, block: Block) -> float:
    found = round_advert_s(written_s, version)
    if found != written_s:
        counts = "whole seconds" if version == 2 else "hundredths of a second, up to 40.95"
        text = f"advert_int {written_s:g}: VRRPv{version} counts {counts}, Keepalived takes {found:g} s"
        if version == 3 and 40.955 <= written_s < 40.96:
            text += " (before 2.3.2 its adverts say 0)"
        block.remark(block.place_of("advert_int"), text)
    return found


def _router_id(block: Block) -> int | None:
    found = block.number(number_rules.ROUTER_ID)
    return None if found is None else int(found)


def _addresses(block: Block, keyword: str) -> tuple[str, ...]:
    """The addresses of a list, without prefix length; what is none is left out, as Keepalived does."""
    found = []
    for line in block.lines(keyword):
        try:
            found.append(str(ipaddress.ip_address(line.keyword.partition("/")[0])))
        except ValueError:
            block.remark(line.place, f"{line.keyword!r} in {keyword} is no address: Keepalived skips it")
    return tuple(found)


def _plain_address(text: str) -> str:
    """Without prefix length, in the shortest form; what is no address stays as it is."""
    plain = text.partition("/")[0]
    try:
        return str(ipaddress.ip_address(plain))
    except ValueError:
        return plain
