"""A vrrp_instance as Keepalived runs it: its settings after the changes that Keepalived makes to them."""

import ipaddress
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from switchover.faults.keepalived.syntax import Remark, Statement
from switchover.faults.keepalived.trackers import Tracker, ValueReader, last_statement, read_trackers
from switchover.model.vrrp import OWNER, KeepalivedSettings

PASSWORD_LENGTH = 8
"""What of `auth_pass` Keepalived sends: VRRPv2 has room for no more."""

OFF = ("off", "false", "no")


@dataclass(frozen=True, slots=True, kw_only=True)
class VrrpInstance:
    """One `vrrp_instance`. `settings` decides about time, the rest about whether nodes are a pair."""

    place: str
    settings: KeepalivedSettings
    router_id: int | None
    interface: str
    starts_as_master: bool
    """`state MASTER`."""
    strict: bool
    addresses: tuple[str, ...]
    is_ipv6: bool
    authentication: str
    """`PASS` or `AH`, or nothing; the password stands apart, and is never shown."""
    password: str = field(repr=False)
    unicast_source: str
    unicast_peers: tuple[str, ...]
    trackers: tuple[Tracker, ...]
    sync_group: str
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


def read_instance(block: Statement, top: Sequence[Statement], *, with_group: bool = True) -> VrrpInstance:
    """The instance of one block, with the global definitions and the sync group that it belongs to.

    Without `with_group` the settings of the group's other members are left out.
    """
    values = ValueReader()
    defaults = _global_values(top, values)
    name = block.value()
    addresses = _addresses(block, "virtual_ipaddress", values)
    is_ipv6 = ":" in addresses[0] if addresses else last_statement(block.block, "native_ipv6") is not None
    version = values.number(block.block, "version", (2, 3), 3 if is_ipv6 else defaults.version)
    state = _state(block, values)
    unsaid = OWNER if state == "MASTER" else 100
    priority = values.number(block.block, "priority", (1, OWNER), 100) if _word(block, "priority") else unsaid
    strict = _is_on(block, "strict_mode", _global_flag(top, "vrrp_strict"))
    authentication, password = _authentication(block, version, strict, values)
    group = _sync_group(name, top)
    trackers = _trackers(block, group, top, values, is_owner=priority == OWNER)
    members = _other_members(block, group, top) if with_group else []
    peers = _addresses(block, "unicast_peer", values)
    said_nopreempt = last_statement(block.block, "nopreempt") is not None
    settings = KeepalivedSettings(
        priority=priority,
        advert_int_s=values.number(block.block, "advert_int", (0.01, 255.0 if version == 2 else 40.95), 1.0),
        version=version,
        preempt=not said_nopreempt,
        preempt_delay_s=values.number(block.block, "preempt_delay", (0.0, 1000.0), 0.0),
        down_timer_adverts=values.number(block.block, "down_timer_adverts", (1, 100), defaults.down_timer_adverts),
        unicast=bool(peers),
        instance=name,
    )
    found = VrrpInstance(
        place=block.place,
        settings=_as_keepalived_runs_it(settings, state, strict, block, values),
        router_id=_router_id(block, values),
        interface=_word(block, "interface") or defaults.interface,
        starts_as_master=state == "MASTER",
        strict=strict,
        addresses=addresses,
        is_ipv6=is_ipv6,
        authentication=authentication,
        password=password,
        unicast_source=_plain_address(_word(block, "unicast_src_ip") or _word(block, "mcast_src_ip")),
        unicast_peers=peers,
        trackers=trackers,
        sync_group=group.value() if group else "",
        said_nopreempt=said_nopreempt,
        remarks=(),
    )
    checks = tuple(tracker.check for tracker in found.balancer_trackers)
    others = (t for t in trackers if t not in found.balancer_trackers)
    complete = replace(
        found.settings,
        check=checks[0] if checks else None,
        further_checks=checks[1:],
        other_weights=sum(tracker.adds_when_well for tracker in others),
        group=tuple(read_instance(member, top, with_group=False).settings for member in members),
    )
    return replace(found, settings=complete, remarks=tuple(values.remarks))


@dataclass(frozen=True, slots=True)
class _Globals:
    version: int
    down_timer_adverts: int
    interface: str


def _global_values(top: Sequence[Statement], values: ValueReader) -> _Globals:
    block = [s for statement in top if statement.keyword == "global_defs" for s in statement.block]
    interface = last_statement(block, "default_interface")
    return _Globals(
        version=values.number(block, "vrrp_version", (2, 3), 2),
        down_timer_adverts=values.number(block, "vrrp_down_timer_adverts", (1, 100), 3),
        interface=interface.value() if interface else "eth0",
    )


def _as_keepalived_runs_it(
    settings: KeepalivedSettings, state: str, strict: bool, block: Statement, values: ValueReader
) -> KeepalivedSettings:
    """What Keepalived clears: nopreempt and preempt_delay of a first master, what strict mode forbids."""
    if state == "MASTER" or settings.priority == OWNER:
        if not settings.preempt:
            why = "state MASTER" if state == "MASTER" else "priority 255"
            values.remark(_place(block, "nopreempt"), f"{why} clears nopreempt: this node does preempt")
            settings = replace(settings, preempt=True)
        if settings.preempt_delay_s and state == "MASTER":
            values.remark(_place(block, "preempt_delay"), "state MASTER clears preempt_delay")
            settings = replace(settings, preempt_delay_s=0.0)
    if settings.preempt_delay_s and (strict or not settings.preempt):
        why = "vrrp_strict" if strict else "nopreempt"
        values.remark(_place(block, "preempt_delay"), f"{why} clears preempt_delay")
        settings = replace(settings, preempt_delay_s=0.0)
    if strict and settings.down_timer_adverts != 3:
        values.remark(block.place, "vrrp_strict sets down_timer_adverts to 3")
        settings = replace(settings, down_timer_adverts=3)
    return settings


def _state(block: Statement, values: ValueReader) -> str:
    """`MASTER` if any line says so, as Keepalived keeps it; a word that it does not know is BACKUP."""
    said = [statement for statement in block.block if statement.keyword == "state"]
    for statement in said:
        if statement.value() not in ("MASTER", "BACKUP"):
            values.remark(statement.place, f"{statement.text!r} is no state: Keepalived takes BACKUP")
    return "MASTER" if any(statement.value() == "MASTER" for statement in said) else "BACKUP"


def _authentication(block: Statement, version: int, strict: bool, values: ValueReader) -> tuple[str, str]:
    """Type and password as they are sent. Version 3 and strict mode send neither."""
    lines = _lines(block, "authentication")
    kind, password = last_statement(lines, "auth_type"), last_statement(lines, "auth_pass")
    if kind is None:
        return "", ""
    if kind.value() not in ("PASS", "AH"):
        values.remark(kind.place, f"unknown authentication type {kind.value()!r}: Keepalived sends none")
        return "", ""
    if version == 3 or strict:
        why = "VRRPv3 has no authentication" if version == 3 else "vrrp_strict forbids authentication"
        values.remark(kind.place, f"{why}: Keepalived ignores it")
        return "", ""
    if password is None or not password.value():
        values.remark(kind.place, "authentication without auth_pass: Keepalived ignores it")
        return "", ""
    if len(password.value()) > PASSWORD_LENGTH:
        values.remark(password.place, f"only the first {PASSWORD_LENGTH} characters of auth_pass are used")
    return kind.value(), password.value()[:PASSWORD_LENGTH]


def _sync_group(instance: str, top: Sequence[Statement]) -> Statement | None:
    for statement in top:
        if statement.keyword == "vrrp_sync_group" and instance in _members(statement):
            return statement
    return None


def _other_members(block: Statement, group: Statement | None, top: Sequence[Statement]) -> list[Statement]:
    if group is None:
        return []
    names = _members(group)
    return [s for s in top if s.keyword == "vrrp_instance" and s.value() in names and s is not block]


def _members(group: Statement) -> set[str]:
    return {word for line in _lines(group, "group") for word in line.words}


def _trackers(
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
        for other in _other_members(block, group, top)
        for t in read_trackers(other, top, silent)
        if t.check.weight == 0
    ]
    of_group = list(read_trackers(group, top, values))
    known: dict[tuple[str, str], Tracker] = {}
    for tracker in itertools.chain(of_group, own, shared):
        known.setdefault((tracker.kind, tracker.name), tracker)
    return tuple(known.values())


def _without_weights(trackers: Sequence[Tracker], why: str, values: ValueReader) -> list[Tracker]:
    """Scripts with a weight are ignored, files and interfaces lose it (keepalived: "ignoring tracked script …")."""
    kept = []
    for tracker in trackers:
        if tracker.check.weight == 0 or tracker.kind == "track_process":
            kept.append(tracker)
        elif tracker.kind == "track_interface":
            values.remark(tracker.place, f"{why}: the weight of {tracker.name} is ignored")
            kept.append(replace(tracker, check=replace(tracker.check, weight=0)))
        else:
            values.remark(tracker.place, f"{why}: {tracker.name} has a weight, so Keepalived ignores it altogether")
    return kept


def _lines(block: Statement, keyword: str) -> list[Statement]:
    return [line for statement in block.block if statement.keyword == keyword for line in statement.block]


def _word(block: Statement, keyword: str) -> str:
    statement = last_statement(block.block, keyword)
    return statement.value() if statement else ""


def _place(block: Statement, keyword: str) -> str:
    statement = last_statement(block.block, keyword)
    return statement.place if statement else block.place


def _is_on(block: Statement, keyword: str, default: bool) -> bool:
    statement = last_statement(block.block, keyword)
    return default if statement is None else statement.value() not in OFF


def _global_flag(top: Sequence[Statement], keyword: str) -> bool:
    block = [s for statement in top if statement.keyword == "global_defs" for s in statement.block]
    statement = last_statement(block, keyword)
    return statement is not None and statement.value() not in OFF


def _router_id(block: Statement, values: ValueReader) -> int | None:
    statement = last_statement(block.block, "virtual_router_id")
    if statement is None:
        return None
    digits = statement.value()
    if digits.isascii() and digits.isdecimal() and 1 <= int(digits[:9]) <= 255:
        return int(digits)
    values.remark(
        statement.place, f"{statement.text!r} must have a whole number from 1 to 255: Keepalived ignores it"
    )
    return None


def _addresses(block: Statement, keyword: str, values: ValueReader) -> tuple[str, ...]:
    """The addresses of a list, without prefix length; what is none is left out, as Keepalived does."""
    found = []
    for line in _lines(block, keyword):
        try:
            found.append(str(ipaddress.ip_address(line.keyword.partition("/")[0])))
        except ValueError:
            values.remark(line.place, f"{line.keyword!r} in {keyword} is no address: Keepalived skips it")
    return tuple(found)


def _plain_address(text: str) -> str:
    """Without prefix length, in the shortest form; what is no address stays as it is."""
    plain = text.partition("/")[0]
    try:
        return str(ipaddress.ip_address(plain))
    except ValueError:
        return plain
