"""Both nodes' Keepalived of a target file or a run, and the prediction of a fault from them."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from switchover.faults.keepalived.conf import read_conf
from switchover.faults.keepalived.instance import VrrpInstance
from switchover.faults.keepalived.mistakes import find_pair_problem
from switchover.faults.mechanism import Mechanism
from switchover.faults.prediction import Prediction, unknown
from switchover.http.address import find_addresses
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import Node

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


def predict_both(fault: Mechanism, master: NodeKeepalived, backup: NodeKeepalived) -> tuple[Prediction, Prediction]:
    """The outage and the failback; unknown where Keepalived would not run them as a pair."""
    if fault.kind == "master" and master.instance and backup.instance:
        problem = find_pair_problem(master.instance, backup.instance)
        if problem:
            nothing_known = unknown(f"no window holds: {problem}")
            return nothing_known, nothing_known
    switchover, failback = (ask(master.settings, backup.settings) for ask in (fault.predict, fault.failback))
    if switchover.for_ever and master.not_included:
        lacks = f"{master.not_included[0]} finds no file; the file may define a check. Copy it to its place"
        return unknown(lacks), unknown(lacks)
    return switchover, failback
