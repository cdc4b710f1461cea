"""Parse the output of `ip address show` and `ip monitor address`, and query the addresses of nodes."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import ip_address

from switchover.model.errors import TelemetryError
from switchover.rundir.points import INT64_MAX
from switchover.target.model import Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.fetch import QUERY_S, fetch

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
    """An address that exists, was added, or was removed. `stamp_ns`: the node's local time, interpreted as UTC."""

    interface: str
    address: str
    deleted: bool
    stamp_ns: int | None


def parse_address_line(line: str) -> AddressLine | None:
    """Parse a line of `ip -ts monitor address` or `ip -o address show`. None: the line does not describe an
    address."""
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
    for source in node.vip_owner:
        if isinstance(source, Command):
            with suppress(TelemetryError):
                interfaces = ask_interfaces(source, addresses)
                if interfaces is not None:
                    return bool(interfaces)
    return None


def ask_interfaces(monitor: Command, addresses: frozenset[str], timeout_s: float = QUERY_S) -> frozenset[str] | None:
    """Return the interfaces that have one of `addresses` now. None: the query cannot be derived from the monitor
    command.

    Raises TelemetryError if the node prints no address, because every reachable host has an address.
    """
    shown = ask_addresses(monitor, timeout_s)
    return None if shown is None else frozenset(line.interface for line in shown if line.address in addresses)


def ask_addresses(monitor: Command, timeout_s: float = QUERY_S) -> list[AddressLine] | None:
    """Return all addresses of a node now. The result None and errors have the meaning that `ask_interfaces`
    describes."""
    show = show_command(monitor)
    if show is None:
        return None
    answer = fetch(show, None, timeout_s).decode("utf-8", "replace")
    shown = list(filter(None, map(parse_address_line, answer.splitlines())))
    if not shown:
        raise TelemetryError(f"`{show}` printed no addresses")
    return shown


def show_command(monitor: Command, question: Sequence[str] = ("-o", "address", "show")) -> Command | None:
    """Derive a command that queries the addresses once from the command that monitors the addresses. None: no command
    can be derived.

    `ssh lb1 ip -ts monitor address` becomes `ssh lb1 ip -o address show`. The words before `ip` do not change. The
    last argument may be a shell command, such as `"sudo ip -ts monitor address"`.
    """
    *before, last = monitor.arguments
    if " " not in last:
        shown = _show_words(monitor.arguments, question)
    else:
        words = None if _FOR_A_SHELL.search(last) else _show_words(last.split(), question)
        shown = words and (*before, " ".join(words))
    return replace(monitor, arguments=shown) if shown else None


def read_routes(target: Target) -> dict[str, list[str]]:
    """Return the routes of each balancer whose `vip_owner` has a command. Routes that Keepalived or the kernel added
    are left out."""
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="routes") as pool:
        routes_by_node = zip(target.balancers, pool.map(_routes_of, target.balancers), strict=True)
        return {node.name: routes for node, routes in routes_by_node if routes is not None}


def _routes_of(node: Node) -> list[str] | None:
    monitor = next((source for source in node.vip_owner if isinstance(source, Command)), None)
    lines: list[str] = []
    for family in ("-4", "-6"):
        query = monitor and show_command(monitor, (family, "-o", "route"))
        if query is None:
            return None
        try:
            answer = fetch(query)
        except TelemetryError:
            return None
        lines += [" ".join(line.split()) for line in _COLOUR.sub("", answer.decode("utf-8", "replace")).splitlines()]
    return [line for line in lines if not _OTHERS_ROUTE.search(line)]


def _show_words(words: Sequence[str], question: Sequence[str]) -> tuple[str, ...] | None:
    for at in range(len(words) - 1, -1, -1):
        if words[at].rsplit("/", 1)[-1] != "ip":
            continue
        rest = [word for word in words[at + 1 :] if not word.startswith("-")]
        if len(rest) == 2 and all(rest) and "monitor".startswith(rest[0]) and "address".startswith(rest[1]):
            return (*words[: at + 1], *question)
        return None
    return None


def local_to_utc_ns(stamp_ns: int, arrived_ns: int) -> int:
    """Convert a node's local time to UTC. The UTC offset is unknown, so every multiple of 15 minutes is tried. The
    result is the time that is closest to the time at which the line arrived."""
    return stamp_ns + round((arrived_ns - stamp_ns) / _QUARTER_NS) * _QUARTER_NS


def _stamp_ns(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)
    since = moment - _EPOCH
    time_ns = (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
    if abs(time_ns) > INT64_MAX:
        raise ValueError(f"{text} is not a time stamp of `ip -ts`")
    return time_ns
