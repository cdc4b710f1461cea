"""Facts that each HAProxy of a target reports once per run: its version, and the addresses of its servers."""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from switchover.http.address import find_addresses
from switchover.model.errors import TelemetryError
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Node, Target
from switchover.telemetry.fetch import TIMEOUT_S
from switchover.telemetry.haproxy import HaproxyReader, Snapshot, StatRow


@dataclass(frozen=True, slots=True)
class BalancerFacts:
    """Versions by program (joined if they differ: `2.6.12/2.8.3`), and node names by server name and address."""

    versions: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


def balancer_facts(target: Target) -> BalancerFacts:
    """Ask each HAProxy once. A lab knows its versions, and its servers have the names of its nodes."""
    if target.lab is not None:
        return BalancerFacts(LabDirectory(target.lab).versions())
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="haproxy") as pool:
        snapshots = [found for found in pool.map(read_haproxy, target.balancers) if found is not None]
    versions = sorted({found.version for found in snapshots if found.version})
    rows = [row for found in snapshots for row in found.rows]
    return BalancerFacts({"haproxy": "/".join(versions)} if versions else {}, find_aliases(target, rows))


def read_haproxy(node: Node) -> Snapshot | None:
    """Return the answer of a node's HAProxy. None: the node has no HAProxy, or it does not answer. A check that needs
    the answer reports that."""
    if node.haproxy is None:
        return None
    try:
        return HaproxyReader(node.haproxy).read(time.time())
    except TelemetryError:
        return None


def find_aliases(target: Target, rows: Iterable[StatRow]) -> dict[str, str]:
    """Return the node of each server whose name differs, by the server's name and by its address.

    A server belongs to the node that `[identity] aliases` names for its address, otherwise to the only node with that
    host. A name is left out if it leads to two nodes or is the name of a node.
    """
    hosts: defaultdict[str, set[str]] = defaultdict(set)
    for node in target.backends:
        for address in _addresses(node.host or ""):
            hosts[address].add(node.name)
    names = {node.name for node in target.nodes}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        host = row.address.rpartition(":")[0].strip("[]")
        known = target.identity.aliases.get(row.address)
        for name in {known} if known else hosts.get(host, set()):
            found[row.server].add(name)
            found[row.address].add(name)
    return {text: next(iter(nodes)) for text, nodes in found.items() if len(nodes) == 1 and text not in names}


def _addresses(host: str) -> tuple[str, ...]:
    try:
        return find_addresses(host, TIMEOUT_S) if host else ()
    except OSError:
        return ()
