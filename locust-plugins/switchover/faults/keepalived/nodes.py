"""Both nodes' Keepalived of a target file or a run, and the prediction of a fault from them."""

from dataclasses import dataclass
from pathlib import Path

from switchover.faults.fault import Fault
from switchover.faults.keepalived.conf import read_conf
from switchover.faults.keepalived.instance import VrrpInstance
from switchover.faults.keepalived.mistakes import find_pair_problem
from switchover.faults.prediction import Prediction, unknown
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import Node


@dataclass(frozen=True, slots=True)
class NodeKeepalived:
    """What is known of one node's Keepalived: settings, and where they are from a configuration, its instance."""

    settings: KeepalivedSettings | None = None
    instance: VrrpInstance | None = None


def read_node(node: Node | None) -> NodeKeepalived:
    """From the table in the target file, or from the copy of the configuration that it names."""
    if node is None or node.keepalived is None:
        return NodeKeepalived()
    if isinstance(node.keepalived, Path):
        return read_copy(node.keepalived, node.name)
    return NodeKeepalived(node.keepalived)


def read_copy(path: Path, node: str) -> NodeKeepalived:
    """From a copy of a keepalived.conf; the node's name chooses among its `@id` lines."""
    instance = read_conf(path, node).instance()
    return NodeKeepalived(instance.settings, instance)


def predict_both(fault: Fault, master: NodeKeepalived, backup: NodeKeepalived) -> tuple[Prediction, Prediction]:
    """The outage and the failback; unknown where Keepalived would not run them as a pair."""
    if fault.kind == "master" and master.instance and backup.instance:
        problem = find_pair_problem(master.instance, backup.instance)
        if problem:
            nothing_known = unknown(f"no window holds: {problem}")
            return nothing_known, nothing_known
    return fault.predict(master.settings, backup.settings), fault.failback(master.settings, backup.settings)
