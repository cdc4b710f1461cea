"""Query each HAProxy of a target once per run for its version and the addresses of its servers."""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from switchover.http.address import known_addresses
from switchover.model.errors import TelemetryError
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Node, Target
from switchover.telemetry.fetch import QUERY_S
from switchover.telemetry.haproxy import HaproxyReader, Snapshot, StatRow


@dataclass(frozen=True, slots=True)
class BalancerFacts:
    """The version of each program (versions that differ are joined: `2.6.12/2.8.3`), and the node of each server name
    and address."""

    versions: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


def balancer_facts(target: Target) -> BalancerFacts:
    """Query each HAProxy once. A lab is not queried, because its directory has the versions, and its servers have the
    names of its nodes."""
    if target.lab is not None:
        return BalancerFacts(LabDirectory(target.lab).versions())
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="haproxy") as pool:
        snapshots = [snapshot for snapshot in pool.map(read_haproxy, target.balancers) if snapshot is not None]
    versions = sorted({snapshot.version for snapshot in snapshots if snapshot.version})
    rows = [row for snapshot in snapshots for row in snapshot.rows]
    return BalancerFacts({"haproxy": "/".join(versions)} if versions else {}, find_aliases(target, rows))


def read_haproxy(node: Node) -> Snapshot | None:
    """Return the answer of a node's HAProxy. None: the node has no HAProxy, or its HAProxy does not answer."""
    if node.haproxy is None:
        return None
    try:
        return HaproxyReader(node.haproxy).read(time.time(), QUERY_S)
    except TelemetryError:
        return None


def find_aliases(target: Target, rows: Iterable[StatRow]) -> dict[str, str]:
    """Return the node of each server with a different name, by the name and by the address of the server.

    A server belongs to the node that `[identity] aliases` assigns to the server's address, otherwise to the only node
    with this host. A name is left out if it matches two nodes, or if it is already the name of a node.
    """
    hosts: defaultdict[str, set[str]] = defaultdict(set)
    for node in target.backends:
        for address in known_addresses(node.host or "", QUERY_S):
            hosts[address].add(node.name)
    names = {node.name for node in target.nodes}
    nodes_of: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        host = row.address.rpartition(":")[0].strip("[]")
        alias = target.identity.aliases.get(row.address)
        for name in {alias} if alias else hosts.get(host, set()):
            nodes_of[row.server].add(name)
            nodes_of[row.address].add(name)
    return {text: next(iter(nodes)) for text, nodes in nodes_of.items() if len(nodes) == 1 and text not in names}
