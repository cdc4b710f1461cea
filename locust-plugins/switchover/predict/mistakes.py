"""Find mistakes in the configuration of one node, and contradictions between the configurations of two nodes."""

import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from switchover.model.vrrp import OWNER
from switchover.predict.keepalived import KeepalivedConf, VrrpInstance
from switchover.tables import read_table

TEXTS: Mapping[str, str] = tomllib.loads(read_table("mistakes.toml"))
"""The text of each mistake; the key is the code of the mistake."""
EFFECTS = (
    "VRRP 2 drops adverts with a different interval, and both nodes are master at the same time",
    "in VRRP 3, the backup uses the interval of the master",
)
"""The effects if two nodes have different advert intervals: in VRRP 2, and in VRRP 3."""


class Mistake(NamedTuple):
    code: str
    place: str
    text: str
    voids_windows: bool = False
    """True: no outage window can be predicted, because Keepalived refuses the file, or the nodes ignore each
    other."""


def make_mistake(code: str, place: str, voids_windows: bool = False, /, **settings: object) -> Mistake:
    return Mistake(code, place, TEXTS[code].format_map(settings), voids_windows)


def find_mistakes(conf: KeepalivedConf, node: VrrpInstance) -> Iterator[Mistake]:
    yield from _find_refused(node)
    if node.has_nopreempt and node.starts_as_master:
        yield make_mistake("master-nopreempt", node.place)
    if not node.addresses:
        yield make_mistake("no-address", node.place)
    if node.settings.unicast and node.unicast_source in node.unicast_peers:
        yield make_mistake("own-peer", node.place, len(node.unicast_peers) == 1, address=node.unicast_source)
    for other in conf.instances[: conf.instances.index(node)]:
        if (other.router_id, other.interface, other.is_ipv6) == (node.router_id, node.interface, node.is_ipv6):
            settings = {"id": node.router_id, "interface": node.interface, "other": other.name}
            yield make_mistake("router-id-twice", node.place, True, **settings)
    for tracker in node.trackers:
        if tracker.is_pidof:
            yield make_mistake("pidof", tracker.place, True, script=tracker.name)
    if not node.balancer_trackers and not conf.balances_itself:
        others = f" ({', '.join(t.name for t in node.trackers)} check other things)" if node.trackers else ""
        yield make_mistake("no-check", node.place, others=others)


def find_pair_mistakes(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    """Yield the contradictions between two nodes. `master` is the node with the higher effective priority."""
    yield from _between_packets(master, backup)
    yield from _between_unicast(master, backup)
    yield from _between_priorities(master, backup)


def find_problem(*nodes: VrrpInstance) -> str | None:
    """Return the reason why no outage window can be predicted for one or two nodes. None: a window can be
    predicted."""
    for node in nodes:
        if node.sync_group:
            return f"{node.name} is in the sync group {node.sync_group}, whose instances fail over together"
    between = find_pair_mistakes(*nodes) if len(nodes) == 2 else ()
    mistakes = chain(*map(_find_refused, nodes), between)
    return next((mistake.text for mistake in mistakes if mistake.voids_windows), None)


def _find_refused(node: VrrpInstance) -> Iterator[Mistake]:
    settings = node.settings
    if settings.version == 2 and node.written_advert_int_s % 1:
        times = {"advert_int": node.written_advert_int_s, "rounded": settings.advert_int_s}
        yield make_mistake("sub-second-v2", node.place, **times)
    if node.strict and settings.unicast:
        yield make_mistake("strict-unicast", node.place, True)
    if node.router_id is None:
        yield make_mistake("no-router-id", node.place, True)


def _between_packets(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    """Yield differences that make one node drop or miss the adverts of the other node."""
    first, second = master.settings, backup.settings
    for code, one, other in (
        ("router-ids-differ", master.router_id, backup.router_id),
        ("versions-differ", first.version, second.version),
        ("families-differ", *("IPv6" if node.is_ipv6 else "IPv4" for node in (master, backup))),
    ):
        if one != other:
            yield make_mistake(code, backup.place, True, value1=one, value2=other)
    if first.advert_int_s != second.advert_int_s:
        dropped = 2 in (first.version, second.version)
        times = {"value1": first.advert_int_s, "value2": second.advert_int_s, "effect": EFFECTS[0 if dropped else 1]}
        yield make_mistake("intervals-differ", backup.place, dropped, **times)
    one, other = master.authentication or "none", backup.authentication or "none"
    if (one, master.password) != (other, backup.password):
        difference = "the values of auth_pass" if one == other else f"{one} on one node, {other} on the other node"
        yield make_mistake("authentication-differs", backup.place, True, difference=difference)
    if set(master.addresses) != set(backup.addresses):
        only = sorted(set(master.addresses) ^ set(backup.addresses))
        yield make_mistake("addresses-differ", backup.place, addresses=", ".join(only))


def _between_unicast(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    if master.settings.unicast != backup.settings.unicast:
        one = "first" if master.settings.unicast else "second"
        difference = f"only the {one} node has unicast_peer"
        yield make_mistake("one-sided-unicast", backup.place, True, difference=difference)
        return
    for node, peer in ((master, backup), (backup, master)):
        if node.settings.unicast and peer.unicast_source and peer.unicast_source not in node.unicast_peers:
            difference = (
                f"unicast_peer of {node.place} has {', '.join(node.unicast_peers)}, but the peer sends from "
                f"{peer.unicast_source}"
            )
            yield make_mistake("one-sided-unicast", node.place, True, difference=difference)


def _between_priorities(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    first, second = master.settings, backup.settings
    if first.effective_priority == second.effective_priority:
        yield make_mistake("equal-priorities", backup.place, priority=first.effective_priority)
    for node, peer in ((first, second), (second, first)):
        if node.effective_priority < peer.effective_priority:
            continue  # the node with the lower priority needs no weight
        weighted = tuple(check for check in node.checks if check.weight)
        if not weighted or any(check.weight == 0 for check in node.checks):
            continue
        lowered = node.priority_when_failed(weighted)
        places = (master.place, backup.place) if node is first else (backup.place, master.place)
        change = {"priority": node.effective_priority, "lowered": lowered}
        if lowered >= peer.effective_priority and node.priority < OWNER:
            yield make_mistake("weight-too-small", places[0], peer=peer.effective_priority, **change)
        elif not peer.preempt:
            yield make_mistake("weight-nopreempt", places[1], **change)
