"""Which node answers for an address on this network: the neighbour entry's hardware address, and whose it is."""

import ipaddress
import socket
import time
from collections.abc import Mapping
from pathlib import Path

from switchover.model.errors import TelemetryError
from switchover.process.command import Deadline
from switchover.target.telemetry_sources import Command
from switchover.telemetry.fetch import fetch

ARP_TABLE = Path("/proc/net/arp")
_COMPLETE = 0x2
"""ATF_COM of <linux/if_arp.h>: the entry has its hardware address."""
_POLL_S = 0.01


def parse_arp(table: str) -> dict[str, str]:
    """Complete entries of /proc/net/arp: IPv4 address -> hardware address."""
    found: dict[str, str] = {}
    for line in table.splitlines():
        words = line.split()
        if len(words) != 6:
            continue
        address, _, flags, hardware, _, _ = words
        try:
            complete = int(flags, 16) & _COMPLETE
            ipaddress.IPv4Address(address)
        except ValueError:
            continue
        if complete:
            found[address] = hardware.lower()
    return found


def parse_neighbours(listing: str) -> dict[str, str]:
    """Usable entries of `ip -o neighbour show`: address -> hardware address."""
    found: dict[str, str] = {}
    for line in listing.splitlines():
        words = line.split()
        if "lladdr" not in words[1:-1] or words[-1] in ("FAILED", "INCOMPLETE"):
            continue
        found[words[0]] = words[words.index("lladdr") + 1].lower()
    return found


def hardware_address(address: str, port: int, deadline: Deadline) -> str | None:
    """The neighbour entry of an address, made by a connection attempt if need be; None if it is not on this network.

    The attempt is to `port` and is given up at once: the kernel asks for the address even if the attempt fails.
    """
    six = ipaddress.ip_address(address).version == 6
    family = socket.AF_INET6 if six else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as attempt:
        attempt.connect_ex((address, port))
        while True:
            entry = _table(six, deadline).get(address)
            if entry is not None or deadline.passed:
                return entry
            time.sleep(_POLL_S)


def node_of_neighbour(address: str, hosts: Mapping[str, str], port: int, timeout_s: float) -> tuple[str | None, str]:
    """The node that answers for `address`, by node name -> own address; and, without one, why not."""
    deadline = Deadline(timeout_s)
    entry = hardware_address(address, port, deadline)
    if entry is None:
        return None, f"{address} has no neighbour entry: it is not on this network"
    owners = [name for name, host in hosts.items() if hardware_address(host, port, deadline) == entry]
    if len(owners) == 1:
        return owners[0], f"{address} is at {entry}, as {owners[0]} is"
    if owners:
        return None, f"{' and '.join(owners)} share the hardware address {entry}"
    return None, f"{address} is at {entry}, which is no node's own hardware address"


def _table(six: bool, deadline: Deadline) -> dict[str, str]:
    if not six:
        try:
            return parse_arp(ARP_TABLE.read_text(encoding="ascii", errors="replace"))
        except OSError:
            return {}
    try:
        listing = fetch(Command(("ip", "-6", "-o", "neighbour", "show")), None, deadline.remaining_s)
    except TelemetryError:
        return {}
    return parse_neighbours(listing.decode("utf-8", "replace"))
