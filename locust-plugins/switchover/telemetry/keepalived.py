"""Record the states that Keepalived reports through its notify FIFO, and the owner of the virtual address. A killed
Keepalived reports nothing, so the state from the kernel (`ip monitor address`) has priority over the VRRP state."""

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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
    """Parse a line such as `INSTANCE "VI_1" MASTER 101`. None: an invalid line, or the line of a sync group.
    MASTER_PRIORITY, BACKUP_PRIORITY and MASTER_RX_LOWER_PRI leave the state unchanged."""
    match = _LINE.fullmatch(line)
    if match is None or match[1] != "INSTANCE":
        return None
    state = match[3].removesuffix("_PRIORITY").removesuffix("_RX_LOWER_PRI")
    if state not in STATES:
        return None
    return Notification(match[2], state, int(match[4]) if match[4] else None)


@dataclass(slots=True)
class _NodeState:
    instance: str
    """The VRRP instance, if the target file names it."""
    has_kernel_source: bool
    by_kernel: bool | None = None
    states: dict[str, str] = field(default_factory=dict)
    claims: dict[str, bool] = field(default_factory=dict)
    """For each VRRP instance: True if its last reported state was MASTER."""
    is_ended: bool = False

    @property
    def claimed(self) -> bool | None:
        """True if the node has the address according to its VRRP states. None: unknown, or contradictory states."""
        answers = {self.claims[self.instance]} if self.instance in self.claims else set(self.claims.values())
        return answers.pop() if len(answers) == 1 else None

    @property
    def holds(self) -> bool | None:
        """True if the node has the address according to the kernel. If the kernel's state is unknown, the VRRP states
        decide."""
        return self.claimed if self.by_kernel is None else self.by_kernel


class OwnershipLog:
    """The current owner of the address. Changes are written to the journal. Thread-safe. Times are on the run's
    clock, in ns. The argument `how` is a text with the source of a time and its error bound."""

    def __init__(self, journal: Journal, vip: str, nodes: Iterable[Node]) -> None:
        self.journal = journal
        self.vip = vip
        self._lock = threading.Lock()
        self._nodes = {node.name: _node_state(node) for node in nodes if node.vip_owner}

    def holders(self) -> frozenset[str]:
        return frozenset(node for node, holds in self.known().items() if holds)

    def known(self) -> Mapping[str, bool | None]:
        """Return, for each node with an ownership source, True if the node has the address. None: unknown."""
        with self._lock:
            return {name: node.holds for name, node in self._nodes.items()}

    def states(self) -> Mapping[str, Mapping[str, str]]:
        """Return the last state that Keepalived reported for each node and VRRP instance."""
        with self._lock:
            return {name: dict(node.states) for name, node in self._nodes.items()}

    def address(self, node: str, holds: bool | None, at_ns: int, how: str, *, changed: bool) -> None:
        """Record `holds`: True if the node's kernel has the address. `changed`: False for the first state and for an
        unknown state."""
        with self._lock:
            self._nodes[node].by_kernel = holds
        instance = self._nodes[node].instance
        fields = {"state": ""} | ({} if holds is None else {"holds_vip": holds})
        self.journal.write(VRRP, {"node": node, "instance": instance}, fields, at_ns)
        if changed and holds is not None:
            verb = "holds" if holds else "no longer holds"
            self.journal.event("vrrp", f"{node} {verb} {self.vip} ({how})", time_ns=at_ns, node=node, id=instance)

    def notified(self, node: str, notification: Notification, at_ns: int, how: str, *, changed: bool) -> None:
        """Record a state of Keepalived. `changed`: False if the state began before the source was read."""
        instance, state = notification.instance, notification.state
        with self._lock:
            self._nodes[node].states[instance] = state
            self._nodes[node].claims[instance] = state == "MASTER"
            self._nodes[node].is_ended = False
        self._write_state(node, notification, at_ns)
        if changed:
            priority = "" if notification.priority is None else f", priority {notification.priority}"
            text = f"{node}: {instance} {state}{priority} ({how})"
            self.journal.event("vrrp", text, time_ns=at_ns, node=node, id=instance)

    def unknown(self, node: str, at_ns: int) -> None:
        """Record that the node's Keepalived has not reported a state yet."""
        self._write_state(node, Notification(self._nodes[node].instance, "", None), at_ns)

    def lost(self, node: str, at_ns: int) -> None:
        """Record that the FIFO is no longer read. The VRRP state becomes unknown."""
        with self._lock:
            self._nodes[node].states.clear()
            self._nodes[node].claims.clear()
        self.unknown(node, at_ns)

    def silent(self, node: str, at_ns: int) -> None:
        """Record that Keepalived closed the FIFO. After a STOP, this is normal. Without a STOP, the node keeps its
        address, because no process removes the address."""
        with self._lock:
            reports = self._nodes[node]
            if reports.is_ended:
                return
            reports.is_ended = True
            running = {name: state for name, state in reports.states.items() if state not in ENDED}
            is_reported = bool(reports.states) and not running
            reports.states.update(dict.fromkeys(running, ""))
        if is_reported:
            return
        for instance in running:
            self._write_state(node, Notification(instance, "", None), at_ns)
        was = ", ".join(f"{instance} was {state}" for instance, state in running.items() if state)
        text = f"{node}: Keepalived ended without a report" + (f" ({was})" if was else "")
        self.journal.event("vrrp", text, time_ns=at_ns, node=node)

    def _write_state(self, node: str, notification: Notification, at_ns: int) -> None:
        """Write a VRRP state. If there is no state from the kernel, also write whether the node has the address. For
        a node with a kernel source, an unknown state is not written, because it would look like the loss of this
        source."""
        with self._lock:
            reports = self._nodes[node]
            claimed = reports.claimed if reports.by_kernel is None else None
        if not notification.state and reports.has_kernel_source:
            return
        fields: dict[str, str | int | bool] = {"state": notification.state}
        if notification.priority is not None:
            fields["priority"] = notification.priority
        if notification.state and claimed is not None:
            fields["holds_vip"] = claimed
        self.journal.write(VRRP, {"node": node, "instance": notification.instance}, fields, at_ns)


def _node_state(node: Node) -> _NodeState:
    instance = node.keepalived.instance if isinstance(node.keepalived, KeepalivedSettings) else ""
    return _NodeState(instance, any(isinstance(source, Command) for source in node.vip_owner))
