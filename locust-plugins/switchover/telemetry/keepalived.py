"""The states that Keepalived reports through its notify FIFO, and the owner of the virtual address according to all
sources.

The FIFO reports the VRRP states that Keepalived enters. `ip monitor address` reports whether the kernel has the
address. After a kill, Keepalived reports nothing, but the address remains on the node. So if a node has both sources,
the state from the kernel is used.
"""

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from switchover.model.vrrp import KeepalivedSettings
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import VRRP
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command

_LINE = re.compile(r'(INSTANCE|GROUP) "([^"\x00-\x1f]{1,128})" ([A-Z_]{1,32})(?: (\d{1,3}))?', re.ASCII)
ENDED = ("STOP", "DELETED")
STATES = ("MASTER", "BACKUP", "FAULT", *ENDED)


@dataclass(frozen=True, slots=True)
class Notification:
    """One line of the FIFO. `priority` is the effective priority."""

    instance: str
    state: str
    priority: int | None


def parse_notification(line: str) -> Notification | None:
    """Parse a line such as `INSTANCE "VI_1" MASTER 101`. None: an invalid line, or the line of a group.

    MASTER_PRIORITY and BACKUP_PRIORITY (`vrrp_notify_priority_changes`) report a new priority in an unchanged state.
    MASTER_RX_LOWER_PRI: the master received an advert with a lower priority.
    """
    match = _LINE.fullmatch(line)
    if match is None or match[1] != "INSTANCE":
        return None
    state = match[3].removesuffix("_PRIORITY").removesuffix("_RX_LOWER_PRI")
    if state not in STATES:
        return None
    return Notification(match[2], state, int(match[4]) if match[4] else None)


class OwnershipLog:
    """The current owner of the address. Changes are written to the journal. Thread-safe.

    Times are on the run's clock, in ns. `how` is the source and its error bound, for messages.
    """

    def __init__(self, journal: Journal, vip: str, nodes: Iterable[Node]) -> None:
        """`nodes`: the nodes of the target. Nodes without an ownership source are ignored."""
        with_source = [node for node in nodes if node.vip_owner]
        self.journal = journal
        self.vip = vip
        self._lock = threading.Lock()
        self._watched = {node.name: _instance_of(node) for node in with_source}
        """The nodes, and the VRRP instance of each node if the target file names it."""
        self._kernel: dict[str, bool | None] = {node.name: None for node in with_source if _is_seen_by_kernel(node)}
        self._states: dict[str, dict[str, str]] = {node.name: {} for node in with_source}
        self._claims: dict[str, dict[str, bool]] = {node.name: {} for node in with_source}
        self._ended: set[str] = set()
        """The nodes whose Keepalived was reported as ended."""

    def holders(self) -> frozenset[str]:
        """Return the nodes that have the address now, according to their sources."""
        return frozenset(node for node, holds in self.known().items() if holds)

    def known(self) -> Mapping[str, bool | None]:
        """Return, for each node with a source, whether it has the address. None: the source of the node has not
        reported a state."""
        with self._lock:
            return {node: self._holds(node) for node in self._watched}

    def states(self) -> Mapping[str, Mapping[str, str]]:
        """Return the last state that Keepalived reported, by node and instance. Empty: Keepalived has not
        reported."""
        with self._lock:
            return {node: dict(states) for node, states in self._states.items()}

    def address(self, node: str, holds: bool | None, at_ns: int, how: str, *, changed: bool) -> None:
        """Record whether the kernel has the address; None: unknown. `changed` is False for the state at the start."""
        with self._lock:
            self._kernel[node] = holds
            instance = self._watched[node]
        fields: dict[str, str | bool] = {"state": ""}
        if holds is not None:
            fields["holds_vip"] = holds
        self.journal.write(VRRP, {"node": node, "instance": instance}, fields, at_ns)
        if changed and holds is not None:
            verb = "holds" if holds else "no longer holds"
            self.journal.event("vrrp", f"{node} {verb} {self.vip} ({how})", time_ns=at_ns, node=node, id=instance)

    def notified(self, node: str, notification: Notification, at_ns: int, how: str, *, changed: bool) -> None:
        """Record that Keepalived entered a state. `changed` is False if Keepalived entered the state before the
        source listened."""
        with self._lock:
            self._states[node][notification.instance] = notification.state
            self._claims[node][notification.instance] = notification.state == "MASTER"
            self._ended.discard(node)
        self._write_state(node, notification, at_ns)
        if changed:
            priority = "" if notification.priority is None else f", priority {notification.priority}"
            text = f"{node}: {notification.instance} {notification.state}{priority} ({how})"
            self.journal.event("vrrp", text, time_ns=at_ns, node=node, id=notification.instance)

    def unknown(self, node: str, at_ns: int) -> None:
        """Record that the node's Keepalived has not reported a state yet."""
        self._write_state(node, Notification(self._watched[node], "", None), at_ns)

    def lost(self, node: str, at_ns: int) -> None:
        """Record that the FIFO is no longer read. The VRRP state becomes unknown."""
        with self._lock:
            self._states[node].clear()
            self._claims[node].clear()
        self.unknown(node, at_ns)

    def silent(self, node: str, at_ns: int) -> None:
        """Record that the writer closed the FIFO. This is normal after a STOP. Otherwise, Keepalived did not report
        its end.

        The node keeps its address, because no process can remove the address any more.
        """
        with self._lock:
            if node in self._ended:
                return
            self._ended.add(node)
            states = self._states[node]
            running = {name: state for name, state in states.items() if state not in ENDED}
            states.update(dict.fromkeys(running, ""))
        if states and not running:
            return
        for instance in running:
            self._write_state(node, Notification(instance, "", None), at_ns)
        was = ", ".join(f"{instance} was {state}" for instance, state in running.items() if state)
        text = f"{node}: Keepalived ended without a report" + (f" ({was})" if was else "")
        self.journal.event("vrrp", text, time_ns=at_ns, node=node)

    def _write_state(self, node: str, notification: Notification, at_ns: int) -> None:
        """Write a VRRP state. If no kernel source reports the address, also write whether the node has it.

        If the node has a kernel source, an unknown state is not written, because such a point would look like the
        loss of the kernel source.
        """
        with self._lock:
            if not notification.state and node in self._kernel:
                return
            claimed = self._claimed(node) if self._kernel.get(node) is None else None
        fields: dict[str, str | int | bool] = {"state": notification.state}
        if notification.priority is not None:
            fields["priority"] = notification.priority
        if notification.state and claimed is not None:
            fields["holds_vip"] = claimed
        self.journal.write(VRRP, {"node": node, "instance": notification.instance}, fields, at_ns)

    def _holds(self, node: str) -> bool | None:
        """Return whether the node has the address. The state from the kernel is used if it is known, otherwise the
        VRRP states."""
        by_kernel = self._kernel.get(node)
        return self._claimed(node) if by_kernel is None else by_kernel

    def _claimed(self, node: str) -> bool | None:
        """Return whether the node has the address according to its VRRP states. None: unknown, or the instances
        disagree."""
        claims = self._claims[node]
        named = claims.get(self._watched[node])
        if named is not None:
            return named
        answers = set(claims.values())
        return answers.pop() if len(answers) == 1 else None


def _instance_of(node: Node) -> str:
    return node.keepalived.instance if isinstance(node.keepalived, KeepalivedSettings) else ""


def _is_seen_by_kernel(node: Node) -> bool:
    """Return True if a source of the node reports the addresses of the kernel."""
    return any(isinstance(source, Command) for source in node.vip_owner)
