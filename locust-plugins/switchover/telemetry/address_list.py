"""Parse the output of `ip address show` and `ip monitor address`, and query the addresses of nodes."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from switchover.model.errors import TelemetryError
from switchover.rundir.points import INT64_MAX
from switchover.target.model import Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.fetch import QUERY_S, ask_all, fetch_text

_LINE = re.compile(
    r"(?:\[(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})\] ?)?(?:\[[^\]]{0,40}\] ?)*(?P<deleted>Deleted )?"
    r"\d{1,10}: (?P<interface>\S{1,64})\s+inet6? (?P<address>[0-9A-Fa-f.:]{2,45})(?:/\d{1,3}| )",
    re.ASCII,
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""The colour codes that some builds of `ip` print on a terminal."""
_OTHERS_ROUTE = re.compile(r" proto (kernel|ra|keepalived|18)\b", re.ASCII)
"""Matches routes that the kernel or Keepalived adds. Such routes may change without a fault."""
_FOR_A_SHELL = re.compile(r"[^\w ./:@%+=,-]", re.ASCII)
"""Characters that a shell interprets. A line with such a character may contain more than one command."""
_QUARTER_NS = 15 * 60 * 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AddressLine:
    """An address that a node has, got, or lost. `stamp_ns`: the node's local time, interpreted as UTC."""

    interface: str
    address: str
    deleted: bool
    stamp_ns: int | None


def parse_address_line(line: str) -> AddressLine | None:
    """Parse a line of `ip -ts monitor address` or `ip -o address show`. None: the line has no address."""
    match = _LINE.match(_COLOUR.sub("", line))
    if match is None:
        return None
    try:
        address = str(ip_address(match["address"]))
        stamp = _stamp_ns(match["stamp"]) if match["stamp"] else None
    except ValueError:
        return None
    return AddressLine(match["interface"], address, bool(match["deleted"]), stamp)


def holds_address(node: Node, addresses: frozenset[str]) -> bool | None:
    """Return True if the node has one of the addresses now. None: the state is unknown."""
    own = addresses_of(node)
    return None if own is None else not own.isdisjoint(addresses)


def addresses_of(node: Node) -> frozenset[str] | None:
    """Return all addresses that the node has now. None: no command in the node's `vip_owner` prints the addresses."""
    for source in node.vip_owner:
        if isinstance(source, Command):
            with suppress(TelemetryError):
                if (shown := ask_addresses(source)) is not None:
                    return frozenset(line.address for line in shown)
    return None


def ask_interfaces(monitor: Command, addresses: frozenset[str], timeout_s: float = QUERY_S) -> frozenset[str] | None:
    """Return the node's interfaces that have one of `addresses` now. Returns None and raises errors in the same cases
    as `ask_addresses`."""
    shown = ask_addresses(monitor, timeout_s)
    return None if shown is None else frozenset(line.interface for line in shown if line.address in addresses)


def ask_addresses(monitor: Command, timeout_s: float = QUERY_S) -> list[AddressLine] | None:
    """Return all addresses that a node has now. None: the query cannot be derived from the monitor command. Raises
    TelemetryError if the node prints no address, because every reachable host has an address."""
    show = show_command(monitor)
    if show is None:
        return None
    shown = list(filter(None, map(parse_address_line, fetch_text(show, timeout_s).splitlines())))
    if not shown:
        raise TelemetryError(f"`{show}` printed no addresses")
    return shown


def show_command(monitor: Command, question: Sequence[str] = ("-o", "address", "show")) -> Command | None:
    """Derive from `monitor` a command that queries the addresses once. None: the command cannot be derived. `ssh lb1
    ip -ts monitor address` becomes `ssh lb1 ip -o address show`. The last argument of `monitor` may be a shell
    command."""
    *before, last = monitor.arguments
    if " " not in last:
        shown = _show_words(monitor.arguments, question)
    else:
        words = None if _FOR_A_SHELL.search(last) else _show_words(last.split(), question)
        shown = words and (*before, " ".join(words))
    return replace(monitor, arguments=shown) if shown else None


def read_routes(target: Target) -> dict[str, list[str]]:
    """Return the routes of each balancer, without the routes that Keepalived or the kernel added."""
    routes_by_node = zip(target.balancers, ask_all(_routes_of, target.balancers), strict=True)
    return {node.name: routes for node, routes in routes_by_node if routes is not None}


def _routes_of(node: Node) -> list[str] | None:
    monitor = next((source for source in node.vip_owner if isinstance(source, Command)), None)
    lines: list[str] = []
    for family in ("-4", "-6"):
        query = monitor and show_command(monitor, (family, "-o", "route"))
        if query is None:
            return None
        try:
            answer = fetch_text(query)
        except TelemetryError:
            return None
        lines += [" ".join(line.split()) for line in _COLOUR.sub("", answer).splitlines()]
    return [line for line in lines if not _OTHERS_ROUTE.search(line)]


def _show_words(words: Sequence[str], question: Sequence[str]) -> tuple[str, ...] | None:
    end = max((at for at, word in enumerate(words, 1) if word.rpartition("/")[2] == "ip"), default=len(words))
    rest = [word for word in words[end:] if not word.startswith("-")]
    is_monitor = len(rest) == 2 and all(rest) and "monitor".startswith(rest[0]) and "address".startswith(rest[1])
    return (*words[:end], *question) if is_monitor else None


def local_to_utc_ns(stamp_ns: int, arrived_ns: int) -> int:
    """Convert a node's local time to UTC, with the UTC offset that gives the time closest to `arrived_ns`."""
    return stamp_ns + round((arrived_ns - stamp_ns) / _QUARTER_NS) * _QUARTER_NS


def _stamp_ns(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)
    time_ns = (moment - _EPOCH) // timedelta(microseconds=1) * 1000
    if abs(time_ns) > INT64_MAX:
        raise ValueError(f"{text} is not a time stamp of `ip -ts`")
    return time_ns
