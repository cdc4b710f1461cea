"""What a node is known by on this machine, however a target file spells its host.

A run locks each key of each of its balancers, so two runs exclude each other where they share one: the same host by
its name and by its address, in capitals, as one of several addresses of a name, or by what it says of
itself. Checked by `contract/lock_keys.json`, which Java reads too.
"""

import hashlib
import ipaddress
from collections.abc import Sequence

from switchover.http.address import find_addresses
from switchover.model.errors import TelemetryError
from switchover.process.command import COMMAND_TIMEOUT_S
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command
from switchover.telemetry.fetch import fetch
from switchover.telemetry.haproxy import Snapshot

MACHINE_ID_BYTES = 4096
RESOLVE_S = 2.0
"""For the addresses of one host. A name that has none in time is known by its text alone."""

_THIS_MACHINE = ipaddress.IPv4Address("127.0.0.1")


def find_keys(node: Node, snapshot: Snapshot | None) -> tuple[str, ...]:
    """The keys of a node, asking the resolver and, where the target file has `machine_id`, the node itself.

    `snapshot`: the answer of its HAProxy. Raises TelemetryError where the node does not say what it is called.
    """
    host = node.host or node.name
    try:
        addresses = find_addresses(_spelled(host), RESOLVE_S)
    except OSError:
        addresses = ()
    own = () if node.machine_id is None else (f"machine:{read_machine_id(node.machine_id)}",)
    return (*node_keys(host, addresses), *own, *process_keys(snapshot))


def process_keys(snapshot: Snapshot | None) -> tuple[str, ...]:
    """The HAProxy process that answers. A fault ends that of one node; the other node's still excludes other runs."""
    if snapshot is None or "Pid" not in snapshot.info:
        return ()
    info = snapshot.info
    return (f"haproxy:{snapshot.node.lower()}:{info['Pid']}:{info.get('Start_time_sec', '')}",)


def read_machine_id(command: Command) -> str:
    """What the node calls itself; TelemetryError if it says nothing."""
    printed = fetch(command, timeout_s=COMMAND_TIMEOUT_S, limit_bytes=MACHINE_ID_BYTES).decode("utf-8", "replace")
    if not printed.strip():
        raise TelemetryError(f"`{command}` printed nothing")
    return printed.strip().lower()


def node_keys(host: str, addresses: Sequence[str]) -> tuple[str, ...]:
    """The keys of a host whose addresses are known: its text, for a name that has none now and then, and each."""
    return (f"name:{_spelled(host)}", *dict.fromkeys(f"address:{_packed(address)}" for address in addresses))


def lock_file(key: str) -> str:
    """The name of a key's lock file."""
    return f"switchover-{hashlib.sha256(key.encode()).hexdigest()[:24]}.lock"


def _spelled(host: str) -> str:
    return host.strip().lower().removesuffix(".").removeprefix("[").removesuffix("]")


def _packed(address: str) -> str:
    """In hexadecimal digits. All addresses by which a machine speaks to itself are one."""
    found: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return (_THIS_MACHINE if found.is_loopback or found.is_unspecified else found).packed.hex()
