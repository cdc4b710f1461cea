"""Find the current master by the balancer's header, the neighbour entry, an ownership source, or advancing counters.
If two sources contradict each other, the master is unknown, and no fault may be fired."""

import http.client
import ipaddress
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from switchover.http.address import find_addresses, known_addresses
from switchover.http.exchange import HttpClient
from switchover.http.tls import tls_context
from switchover.model.errors import TelemetryError, UsageError
from switchover.model.identity import WhoAnswered
from switchover.process.command import Deadline
from switchover.target.model import Endpoint, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.address_list import holds_address
from switchover.telemetry.balancers import count_requests
from switchover.telemetry.fetch import SCRAPE_S, fetch_text

REQUESTS = 20
"""The number of requests that are sent to find the node whose counters advance."""
_BY_CHANCE = REQUESTS // 4
"""The maximum number of requests that another node may count during these requests, because of health checks and
scrapes."""


@dataclass(frozen=True, slots=True)
class Master:
    """The master or None, the kind of evidence (header, neighbour, source or counters), and the reason."""

    name: str | None
    source: str
    reason: str


def find_master(target: Target, *, owners: Mapping[str, bool | None] | None = None) -> Master:
    """Send one or more requests to find the balancer that answers for the target's address now. Never raises.
    `owners`: the states that the running ownership sources report. None: no source runs, so each source is queried
    once."""
    if not target.balancers:
        return Master(None, "", 'the target file has no node with role = "balancer"')
    owner_states = _holding(target) if owners is None else owners
    holders = _holders(owner_states)
    if len(holders) > 1:
        return Master(None, "source", f"{' and '.join(holders)} hold {target.endpoint.host} at the same time")
    reasons = []
    for source, ask in (("header", _by_header), ("neighbour", _by_neighbour)):
        name, reason = ask(target)
        if name is not None:
            if holders and holders != [name]:
                why = f"the {source} names {name}, but the ownership source names {holders[0]}"
                return Master(None, source, why)
            return Master(name, source, reason)
        reasons.append(reason)
    if holders:
        return Master(holders[0], "source", f"{holders[0]} holds {target.endpoint.host}")
    name, reason = _by_counters(target)
    reasons.append(reason)
    return Master(name, "counters" if name else "", reason if name else "; ".join(reasons))


def master_during(target: Target, owners: Mapping[str, bool | None]) -> Master:
    """Find the master while the load runs. A dedicated target gets no request, because a request would change the
    exact counts of this target."""
    holders = _holders(owners)
    if len(holders) == 1:
        return Master(holders[0], "source", "it holds the address")
    if not holders and target.endpoint.dedicated:
        return Master(
            None, "", "it has no ownership source, and a request to find the master would change its exact counts"
        )
    return find_master(target, owners=owners)


def _holders(owners: Mapping[str, bool | None]) -> list[str]:
    return sorted(name for name, holds in owners.items() if holds)


def status_and_headers(endpoint: Endpoint, timeout_s: float) -> tuple[int, list[tuple[str, str]]]:
    """Send one GET, and return the status and headers. Raises OSError or HTTPException."""
    parts = urlsplit(endpoint.url)
    context = tls_context(endpoint.ca, endpoint.insecure) if parts.scheme == "https" else None
    headers = {"Connection": "close", **endpoint.headers}
    if endpoint.host_header:
        headers["Host"] = endpoint.host_header
    client = HttpClient(parts.scheme, endpoint.host, endpoint.port, context=context, server_name=endpoint.sni)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        answer = client.exchange("GET", path, headers, timeout_s=timeout_s, limit_bytes=None)
    finally:
        client.close()
    return answer.status, answer.headers.items()


def _by_header(target: Target) -> tuple[str | None, str]:
    try:
        _, headers = status_and_headers(target.endpoint, SCRAPE_S)
    except (OSError, http.client.HTTPException, ValueError, UsageError) as error:
        return None, f"{target.endpoint.public_url} gave no answer: {error or type(error).__name__}"
    header = target.identity.balancer_header
    balancer = WhoAnswered(target.identity).identify(headers).balancer
    if balancer in {node.name for node in target.balancers}:
        return balancer, f"{header}: {balancer}"
    if balancer:
        return None, f"the header {header} names {balancer!r}, which is not a balancer in the target file"
    return None, f"no header {header}"


def _by_neighbour(target: Target) -> tuple[str | None, str]:
    try:
        address = find_addresses(target.endpoint.host, SCRAPE_S)[0]
        hosts = {node.name: find_addresses(node.host, SCRAPE_S)[0] for node in target.balancers if node.host}
        if not hosts:
            return None, "no balancer's own address (host) is in the target file"
        if address in hosts.values():
            return None, f"{address} is the address of a node, not a virtual address"
        return node_of_neighbour(address, hosts, target.endpoint.port, SCRAPE_S)
    except OSError as error:
        return None, f"no neighbour entry: {error}"


def _holding(target: Target) -> dict[str, bool | None]:
    with_source = [node for node in target.balancers if node.vip_owner]
    addresses = frozenset(known_addresses(target.endpoint.host, SCRAPE_S)) if with_source else None
    return {node.name: holds_address(node, addresses) for node in with_source} if addresses else {}


def _by_counters(target: Target) -> tuple[str | None, str]:
    before = {node.name: count_requests(node) for node in target.balancers}
    for answered in range(REQUESTS):
        try:
            status_and_headers(target.endpoint, SCRAPE_S)
        except (OSError, http.client.HTTPException, ValueError):
            return None, f"only {answered} of {REQUESTS} requests were answered"
    after = {node.name: count_requests(node) for node in target.balancers}
    grown = {
        name: last - first
        for name, first in before.items()
        if first is not None and (last := after[name]) is not None
    }
    counted = [name for name, count in grown.items() if count >= REQUESTS]
    further = [name for name, count in grown.items() if count > _BY_CHANCE and name not in counted]
    if len(counted) == 1 and not further:
        return counted[0], f"{counted[0]} counted {grown[counted[0]]} requests when {REQUESTS} were sent"
    if counted or further:
        return None, f"more than one node counts requests: {' and '.join(sorted(counted + further))}"
    return None, "no node's counters advance" if grown else "no node's counters can be read"


_POLL_S = 0.02


def parse_neighbours(listing: str) -> dict[str, str]:
    """Return the usable entries of `ip -o neighbour show`, as a map from IP address to hardware address."""
    entries: dict[str, str] = {}
    for line in listing.splitlines():
        words = line.split()
        if "lladdr" in words[1:-1] and words[-1] not in ("FAILED", "INCOMPLETE"):
            entries[words[0]] = words[words.index("lladdr") + 1].lower()
    return entries


def hardware_address(address: str, port: int, deadline: Deadline) -> str | None:
    """Return the hardware (MAC) address of an IP address. None: the IP address is not on this network. If there is no
    neighbour entry, a connection attempt to `port` creates the entry, even if the attempt fails."""
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as attempt:
        attempt.connect_ex((address, port))
        while True:
            entry = parse_neighbours(show_neighbours(deadline.remaining_s)).get(address)
            if entry is not None or deadline.passed:
                return entry
            time.sleep(_POLL_S)


def node_of_neighbour(address: str, hosts: Mapping[str, str], port: int, timeout_s: float) -> tuple[str | None, str]:
    """Return the node whose host in `hosts` has the same hardware address as `address`, and the reason. None: there
    is no such node."""
    deadline = Deadline(timeout_s)
    entry = hardware_address(address, port, deadline)
    if entry is None:
        return None, f"{address} has no neighbour entry: it is not on this network"
    owners = [name for name, host in hosts.items() if hardware_address(host, port, deadline) == entry]
    if len(owners) == 1:
        return owners[0], f"{address} has the hardware address {entry} of {owners[0]}"
    if owners:
        return None, f"{' and '.join(owners)} share the hardware address {entry}"
    return None, f"{address} has the hardware address {entry}, which no node has"


def show_neighbours(timeout_s: float) -> str:
    """Return the neighbour entries of this machine. The result is empty if the entries cannot be read."""
    try:
        return fetch_text(Command(("ip", "-o", "neighbour", "show")), timeout_s)
    except TelemetryError:
        return ""
