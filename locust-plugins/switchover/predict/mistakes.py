"""Settings that do not do what their author wants, found in one node's configuration or between two."""

from collections.abc import Iterator
from dataclasses import dataclass

from switchover.model.vrrp import OWNER
from switchover.predict.keepalived import KeepalivedConf, VrrpInstance


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake with its place, and what follows from it."""

    code: str
    place: str
    text: str
    voids_windows: bool = False
    """No window holds: Keepalived refuses the file, or the nodes do not hear or believe each other."""


def find_mistakes(conf: KeepalivedConf, instance: VrrpInstance) -> list[Mistake]:
    """The mistakes that one node's configuration shows by itself."""
    return [
        *_in_timing(instance),
        *_in_router_id(instance),
        *_in_preemption(instance),
        *_in_addresses(conf, instance),
        *_in_pidof(instance),
        *([] if conf.balances_itself else _in_checks(instance)),
    ]


def find_pair_mistakes(master: VrrpInstance, backup: VrrpInstance) -> list[Mistake]:
    """The mistakes that show only between two nodes; `master` has the higher effective priority."""
    return [
        *_between_packets(master, backup),
        *_between_unicast(master, backup),
        *_between_priorities(master, backup),
    ]


def find_pair_problem(first: VrrpInstance, second: VrrpInstance) -> str | None:
    """Why no window holds for two nodes, in one line; None where they are a pair."""
    alone = [mistake for node in (first, second) for mistake in (*_in_timing(node), *_in_router_id(node))]
    found = [*alone, *find_pair_mistakes(first, second)]
    return next((mistake.text for mistake in found if mistake.voids_windows), None)


def _in_timing(node: VrrpInstance) -> Iterator[Mistake]:
    settings = node.settings
    if settings.version == 2 and node.said_advert_int_s % 1:
        yield Mistake(
            "sub-second-v2",
            node.place,
            f"advert_int {node.said_advert_int_s:g} in VRRPv2, which counts whole seconds: Keepalived takes "
            f"{settings.advert_int_s:g} s. For fractions of a second use vrrp_version 3",
        )
    if node.strict and settings.unicast:
        yield Mistake(
            "strict-unicast",
            node.place,
            "vrrp_strict with unicast_peer: Keepalived refuses the configuration where the interface can multicast",
            voids_windows=True,
        )


def _in_router_id(node: VrrpInstance) -> Iterator[Mistake]:
    if node.router_id is None:
        yield Mistake("no-router-id", node.place, "no virtual_router_id: Keepalived refuses the configuration", True)


def _in_preemption(node: VrrpInstance) -> Iterator[Mistake]:
    if node.said_nopreempt and node.starts_as_master:
        yield Mistake(
            "master-nopreempt",
            node.place,
            "state MASTER with nopreempt: Keepalived clears nopreempt, so this node takes the address back as "
            "soon as it can. Write state BACKUP on both nodes",
        )


def _in_addresses(conf: KeepalivedConf, node: VrrpInstance) -> Iterator[Mistake]:
    if not node.addresses:
        yield Mistake("no-address", node.place, "no virtual_ipaddress: there is nothing to take over")
    if node.settings.unicast and node.unicast_source in node.unicast_peers:
        yield Mistake(
            "own-peer",
            node.place,
            f"unicast_peer names the node's own address {node.unicast_source}: it hears itself, not its peer",
            voids_windows=len(node.unicast_peers) == 1,
        )
    for other in conf.instances:
        if other is node:
            return
        if (other.router_id, other.interface, other.is_ipv6) == (node.router_id, node.interface, node.is_ipv6):
            yield Mistake(
                "router-id-twice",
                node.place,
                f"virtual_router_id {node.router_id} on {node.interface} is {other.name}'s already: Keepalived "
                "refuses the configuration",
                voids_windows=True,
            )


def _in_pidof(node: VrrpInstance) -> Iterator[Mistake]:
    for tracker in node.trackers:
        if tracker.is_pidof:
            yield Mistake(
                "pidof",
                tracker.place,
                f"{tracker.name} runs pidof, a link to killall5 or busybox on most systems. Keepalived runs the "
                "target of the link, so the check always fails. Write pgrep -x NAME, or call pidof in a script",
                voids_windows=True,
            )


def _in_checks(node: VrrpInstance) -> Iterator[Mistake]:
    found = node.balancer_trackers
    if not found:
        elsewhere = f" ({', '.join(t.name for t in node.trackers)} look at other things)" if node.trackers else ""
        yield Mistake(
            "no-check",
            node.place,
            f"nothing checks the balancer{elsewhere}: when it dies, the address stays with the dead one",
        )
    for tracker in found:
        check = tracker.check
        if tracker.kind == "track_script" and check.timeout_s > check.interval_s:
            yield Mistake(
                "slow-check",
                tracker.place,
                f"{tracker.name} may take {check.timeout_s:g} s, but runs every {check.interval_s:g} s: "
                "runs that are due meanwhile are left out",
            )


def _between_packets(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    """What makes one node drop the other's adverts, or not see them."""
    first, second = master.settings, backup.settings
    for code, what, one, other in (
        ("router-ids-differ", "virtual_router_id", master.router_id, backup.router_id),
        ("versions-differ", "VRRP version", first.version, second.version),
        ("families-differ", "address family", _family(master), _family(backup)),
    ):
        if one != other:
            yield Mistake(
                code, backup.place, f"{what} {one} here, {other} there: both nodes are masters at once", True
            )
    if first.advert_int_s != second.advert_int_s:
        differ = f"advert_int {first.advert_int_s:g} here, {second.advert_int_s:g} there"
        if 2 in (first.version, second.version):
            yield Mistake(
                "intervals-differ", backup.place, f"{differ}: VRRPv2 drops such adverts, both nodes are masters", True
            )
        else:
            yield Mistake("intervals-differ", backup.place, f"{differ}: the backup follows the master's, in VRRPv3")
    if master.authentication != backup.authentication:
        words = (master.authentication or "none", backup.authentication or "none")
        text = f"authentication {words[0]} here, {words[1]} there: both nodes are masters at once"
        yield Mistake("authentication-differs", backup.place, text, True)
    elif master.password != backup.password:
        text = "the nodes' auth_pass differ: each drops the other's adverts, and both are masters at once"
        yield Mistake("authentication-differs", backup.place, text, True)
    if set(master.addresses) != set(backup.addresses):
        only = sorted(set(master.addresses) ^ set(backup.addresses))
        yield Mistake(
            "addresses-differ",
            backup.place,
            f"virtual_ipaddress differs ({', '.join(only)} on one node only): that one is not taken over",
        )


def _between_unicast(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    if master.settings.unicast != backup.settings.unicast:
        one = "the first" if master.settings.unicast else "the second"
        text = f"only {one} node has unicast_peer: unicast and multicast do not mix, and both nodes are masters"
        yield Mistake("one-sided-unicast", backup.place, text, True)
        return
    for node, peer in ((master, backup), (backup, master)):
        if node.settings.unicast and peer.unicast_source and peer.unicast_source not in node.unicast_peers:
            text = (
                f"unicast_peer of {node.place} has {', '.join(node.unicast_peers)}, but the peer sends from "
                f"{peer.unicast_source}: it gets no adverts"
            )
            yield Mistake("one-sided-unicast", node.place, text, True)


def _between_priorities(master: VrrpInstance, backup: VrrpInstance) -> Iterator[Mistake]:
    first, second = master.settings, backup.settings
    if first.effective_priority == second.effective_priority:
        yield Mistake(
            "equal-priorities",
            backup.place,
            f"both nodes have the effective priority {first.effective_priority}: the higher address wins, and two "
            "masters may go on until then",
        )
    for node, peer in ((first, second), (second, first)):
        if node.effective_priority < peer.effective_priority:
            continue  # the lower one needs no weight to be below
        weighted = tuple(check for check in node.checks if check.weight)
        if not weighted or any(check.weight == 0 for check in node.checks):
            continue
        lowered = node.priority_when_failed(weighted)
        if lowered >= peer.effective_priority and node.priority < OWNER:
            yield Mistake(
                "weight-too-small",
                master.place if node is first else backup.place,
                f"a failed check lowers the priority from {node.effective_priority} to {lowered}, not below the "
                f"peer's {peer.effective_priority}: the address stays with the dead balancer",
            )
        elif not peer.preempt:
            yield Mistake(
                "weight-nopreempt",
                backup.place if node is first else master.place,
                f"a failed check lowers the priority from {node.effective_priority} to {lowered}, but a backup with "
                "nopreempt goes on accepting the lower adverts: it never takes over. Use weight 0",
            )


def _family(node: VrrpInstance) -> str:
    return "IPv6" if node.is_ipv6 else "IPv4"
