"""What Keepalived says through its notify FIFO, and who holds the virtual address by all sources together.

Two kinds of source: the FIFO tells VRRP states as Keepalived goes through them; `ip monitor address` tells whether
the kernel has the address. They differ where it matters: a Keepalived that was killed says nothing more, and its
address stays. So where a node has both, ownership is what the kernel says.
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
    """One line of the FIFO. `priority` is the effective one; groups have none that means anything."""

    instance: str
    state: str
    priority: int | None


def parse_notification(line: str) -> Notification | None:
    """`INSTANCE "VI_1" MASTER 101`, or None for a group's line (its instances have lines of their own) and garbage.

    With `vrrp_notify_priority_changes` the word is MASTER_PRIORITY or BACKUP_PRIORITY: the state stays as it is
    named, the priority is new. MASTER_RX_LOWER_PRI is a master that heard a lower one.
    """
    match = _LINE.fullmatch(line)
    if match is None or match[1] != "INSTANCE":
        return None
    state = match[3].removesuffix("_PRIORITY").removesuffix("_RX_LOWER_PRI")
    if state not in STATES:
        return None
    return Notification(match[2], state, int(match[4]) if match[4] else None)


class OwnershipLog:
    """Who holds the address now, and the journal of how that came about. Thread-safe.

    Times are on the run's clock, in ns. `how` names the source and its bound, for people.
    """

    def __init__(self, journal: Journal, vip: str, nodes: Iterable[Node]) -> None:
        """`nodes`: of the target; those without a source of their ownership are not watched."""
        watched = [node for node in nodes if node.vip_owner]
        self.journal = journal
        self.vip = vip
        self._lock = threading.Lock()
        self._watched = {node.name: _instance_of(node) for node in watched}
        """Nodes, and the VRRP instance of each where the target file names it."""
        self._kernel: dict[str, bool | None] = {node.name: None for node in watched if _is_seen_by_kernel(node)}
        self._states: dict[str, dict[str, str]] = {node.name: {} for node in watched}
        self._claims: dict[str, dict[str, bool]] = {node.name: {} for node in watched}
        self._ended: set[str] = set()
        """Nodes whose Keepalived was said to have ended."""

    def holders(self) -> frozenset[str]:
        """The nodes that hold the address now, by their sources."""
        return frozenset(node for node, holds in self.known().items() if holds)

    def known(self) -> Mapping[str, bool | None]:
        """For each watched node whether it holds the address; None where its source has not said."""
        with self._lock:
            return {node: self._holds(node) for node in self._watched}

    def states(self) -> Mapping[str, Mapping[str, str]]:
        """By node and instance the last state that Keepalived has told; empty where it has not spoken."""
        with self._lock:
            return {node: dict(states) for node, states in self._states.items()}

    def address(self, node: str, holds: bool | None, at_ns: int, how: str, *, changed: bool) -> None:
        """The kernel has the address, has it no more, or (None) it is not known. Without `changed`: as found."""
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
        """Keepalived went into a state. Without `changed`: it had done so before the source listened."""
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
        """Nothing has been heard from the node's Keepalived yet."""
        self._write_state(node, Notification(self._watched[node], "", None), at_ns)

    def lost(self, node: str, at_ns: int) -> None:
        """The FIFO is not read any more: the state that its lines gave is void."""
        with self._lock:
            self._states[node].clear()
            self._claims[node].clear()
        self.unknown(node, at_ns)

    def silent(self, node: str, at_ns: int) -> None:
        """The FIFO's writer is gone. After a STOP that is in order; else Keepalived ended without a word.

        It still holds what it held then, since no process is left to remove the address.
        """
        with self._lock:
            if node in self._ended:
                return
            self._ended.add(node)
            states = self._states[node]
            left = {name: state for name, state in states.items() if state not in ENDED}
            states.update(dict.fromkeys(left, ""))
        if states and not left:
            return
        for instance in left:
            self._write_state(node, Notification(instance, "", None), at_ns)
        was = ", ".join(f"{instance} was {state}" for instance, state in left.items() if state)
        text = f"{node}: Keepalived ended without a word" + (f" ({was})" if was else "")
        self.journal.event("vrrp", text, time_ns=at_ns, node=node)

    def _write_state(self, node: str, notification: Notification, at_ns: int) -> None:
        """A state, and the address with it where no source sees that. An unknown state is no news of a node
        whose address is watched: such a point would read as the loss of that source."""
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
        """By the kernel where somebody can see it, else by the states."""
        seen = self._kernel.get(node)
        return self._claimed(node) if seen is None else seen

    def _claimed(self, node: str) -> bool | None:
        """What the states say, if the instance is known or all of them agree."""
        claims = self._claims[node]
        named = claims.get(self._watched[node])
        if named is not None:
            return named
        known = set(claims.values())
        return known.pop() if len(known) == 1 else None


def _instance_of(node: Node) -> str:
    return node.keepalived.instance if isinstance(node.keepalived, KeepalivedSettings) else ""


def _is_seen_by_kernel(node: Node) -> bool:
    """One of its sources is of the address itself."""
    return any(isinstance(source, Command) for source in node.vip_owner)
