"""Refuses a fault if the target file and the nodes contradict each other. A check without evidence passes, except
`find_unidentified`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path, PurePath
from typing import Protocol

from switchover.faults.preflight.lock import find_keys
from switchover.http.address import known_addresses
from switchover.model.errors import FaultError, SwitchoverError, TelemetryError
from switchover.predict.keepalived import read_conf
from switchover.predict.nodes import read_node
from switchover.predict.supervisor import restart_delay
from switchover.target.model import FaultRecipe, Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.address_list import addresses_of
from switchover.telemetry.balancers import read_haproxy
from switchover.telemetry.fetch import QUERY_S, ask_all, fetch_text

HAPROXY, UNAME, ROUTER_ID = "`node` of its HAProxy", "its `uname -n`", "router_id of its keepalived.conf"
"""The sources of a node's name, as printed in messages."""
NAME_BYTES = 4096
_DATE = ("date", "+%s.%N")
_UNAME = ("uname", "-n")
_KILLED_UNIT = re.compile(r"(?:\bsystemctl kill\b.*(?:KILL|9)|\bp?kill(?:all)? -(?:KILL|9))\b[^;&|]*?([\w@.-]+)\W*$")
"""Matches a command that sends SIGKILL, and captures the last word, the systemd unit."""
_SSH_VALUED = "BbcDEeFIiJLlmOoPpQRSWw"
"""The options of ssh that take a value."""


@dataclass(frozen=True, slots=True)
class NodeAnswers:
    """A balancer's entry in the target file, and the answers of the balancer's node."""

    name: str
    host: str = ""
    host_addresses: tuple[str, ...] = ()
    """The addresses that `host` resolves to."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names that the node reports; the key is the source of the name."""
    addresses: tuple[str, ...] = ()
    """The addresses of the node's interfaces."""
    virtual_addresses: tuple[str, ...] | None = None
    """The virtual addresses in the copy of the node's keepalived.conf. None: there is no copy."""
    keys: tuple[str, ...] = ()


class Allowances(Protocol):
    """The checks that the user has disabled, and the options that disable the checks."""

    @property
    def allow_other_address(self) -> bool: ...

    @property
    def allow_unidentified(self) -> bool: ...

    def typed(self, option: str) -> str: ...


def require_sound_target(target: Target, recipe: FaultRecipe, settings: Allowances) -> None:
    """Raise FaultError if the target file and the nodes contradict each other."""
    for problem in find_problems(target, (recipe,), settings) if target.lab is None else ():
        raise FaultError(f"{recipe.name} does not fire: {problem}")


def find_problems(target: Target, recipes: Sequence[FaultRecipe], settings: Allowances) -> Iterator[str]:
    nodes = ask_nodes(target)
    problems = [find_other_name(nodes), find_clones(nodes), *(find_other_way(recipe, nodes) for recipe in recipes)]
    if not settings.allow_other_address:
        url = known_addresses(target.endpoint.host, QUERY_S)
        problems.insert(0, find_other_address(url, nodes, settings.typed("allow-other-address")))
    if not settings.allow_unidentified:
        problems.append(find_unidentified(nodes, settings.typed("allow-unidentified")))
    yield from filter(None, problems)


def find_other_address(url: Sequence[str], nodes: Sequence[NodeAnswers], option: str) -> str | None:
    """Return an error message if the URL does not lead to the virtual address."""
    there = ", ".join(url)
    advice = f"set url in [target] to the virtual address, or add {option}"
    copies = [node for node in nodes if node.virtual_addresses is not None]
    virtual_addresses = sorted({address for node in copies for address in node.virtual_addresses or ()})
    if not url or not set(virtual_addresses).isdisjoint(url):
        return None
    if copies:
        which, has = " and ".join(node.name for node in copies), ", ".join(virtual_addresses) or "no virtual address"
        return f"url leads to {there}, but the keepalived.conf of {which} has {has}; {advice}"
    own = [node.name for node in nodes if not set(node.host_addresses).isdisjoint(url)]
    is_of_one = len(nodes) > 1 and len(own) == 1
    return f"url leads to {there}, an address of the node {own[0]}; {advice}" if is_of_one else None


def find_other_name(nodes: Sequence[NodeAnswers]) -> str | None:
    """Return an error message if a node reports the name of another node. A name that two nodes report is ignored."""
    for node, other in permutations(nodes, 2):
        for source, own_name in node.names.items():
            reporting = [one for one in nodes if _label(one.names.get(source, "")) == _label(own_name)]
            if reporting == [node] and _is_called(other, own_name) and not _is_called(node, own_name):
                claim = f"{node.name} reports the name {own_name} ({source})"
                return f"{claim}: are {node.name} and {other.name} swapped?"
        is_here = not set(other.host_addresses).isdisjoint(node.addresses)
        if is_here and node.host_addresses and set(node.host_addresses).isdisjoint(node.addresses):
            return f"{node.name} has the host address of {other.name}: are {node.name} and {other.name} swapped?"
    return None


def find_other_way(recipe: FaultRecipe, nodes: Sequence[NodeAnswers]) -> str | None:
    """Return an error message if the kill command's ssh reaches another host than the clock command."""
    for node in nodes:
        way, own_name = ssh_way(recipe.kill, node.name), node.names.get(UNAME)
        reached = _ask_name(Command((*way, *_UNAME), recipe.variables)) if way and own_name else None
        if reached and own_name and reached != own_name:
            return (
                f"the kill of {recipe.table} reaches {reached} for {node.name}, but the clock command of {node.name} "
                f"reaches {own_name}: are two nodes swapped?"
            )
    return None


def find_clones(nodes: Sequence[NodeAnswers]) -> str | None:
    """Return an error message if two nodes have the same machine id."""
    names: dict[str, str] = {}
    for node in nodes:
        for key in node.keys:
            if key.startswith("machine:") and names.setdefault(key, node.name) != node.name:
                clones = f"{names[key]} and {node.name} have the same machine id {key.removeprefix('machine:')}"
                remedy = "rm -f /etc/machine-id /var/lib/dbus/machine-id && systemd-machine-id-setup"
                return f"{clones}: give each clone a new machine id: {remedy}"
    return None


def check_restart(recipe: FaultRecipe, node: Node | None, vip_host: str) -> str | None:
    """Return a warning if systemd restarts the killed unit before Keepalived's check fails. Raises FaultError if the
    fault has a heal, because the fault must then stay in force until the heal."""
    problem = _find_restart(recipe, node, vip_host)
    if problem is not None and recipe.heal is not None:
        remedy = f"mask the unit in the `kill` of {recipe.table}, or remove `heal` to measure the restart"
        raise FaultError(f"{recipe.name} does not fire: {problem}: {remedy}")
    return problem


def _find_restart(recipe: FaultRecipe, node: Node | None, vip_host: str) -> str | None:
    kill = " ".join(recipe.kill)
    unit = _KILLED_UNIT.search(kill)
    if node is None or unit is None or " mask " in kill:
        return None
    with suppress(SwitchoverError):
        ask = ask_as_clock(node.clock, ("systemctl", "show", "-p", "Restart,RestartUSec", unit[1]))
        settings = read_node(node, vip_host).settings
        checks = settings.checks if settings else ()
        lines = fetch_text(ask, limit_bytes=NAME_BYTES).splitlines() if ask else []
        delay_s = restart_delay(dict(line.split("=", 1) for line in lines if "=" in line), "systemctl")
        if delay_s is not None and checks and delay_s < min(check.soonest_s for check in checks):
            needs_s = min(check.latest_s for check in checks)
            will = f"systemd restarts {unit[1]} after {delay_s:g} s, but the check needs {needs_s:g} s to fail"
            return f"{will}: there will be no failover"
    return None


def find_unidentified(nodes: Sequence[NodeAnswers], option: str) -> str | None:
    """Return an error message if a node's name is the only lock key of the node."""
    unknown = [node.name for node in nodes if all(key.startswith("name:") for key in node.keys)]
    if nodes and not unknown:
        return None
    what = " and ".join(unknown) or "the target"
    return (
        f"nothing identifies {what}, so another run on the same nodes would not be detected: add host, machine_id or "
        f"HAProxy's socket to each [[node]], or {option}"
    )


def ask_nodes(target: Target) -> list[NodeAnswers]:
    """Query all balancers in parallel. Raises FaultError if a node does not print its machine id."""
    return ask_all(_ask, target.balancers or target.nodes)


def _ask(node: Node) -> NodeAnswers:
    snapshot, names = read_haproxy(node), {}
    if snapshot is not None and snapshot.node:
        names[HAPROXY] = snapshot.node
    command = ask_as_clock(node.clock, _UNAME)
    if command is not None and (own_name := _ask_name(command)):
        names[UNAME] = own_name
    virtual: tuple[str, ...] | None = None
    if isinstance(node.keepalived, Path):
        conf = read_conf(node.keepalived, config_id=node.name)
        virtual = tuple(
            address for instance in conf.instances for address in (*instance.addresses, *instance.silent_addresses)
        )
        if conf.router_id:
            names[ROUTER_ID] = conf.router_id
    host, keys = node.host or "", find_keys(node, snapshot)
    return NodeAnswers(
        node.name, host, known_addresses(host, QUERY_S), names, tuple(addresses_of(node) or ()), virtual, keys
    )


def ask_as_clock(clock: Command | None, words: Sequence[str]) -> Command | None:
    """Return the clock command with `words` instead of `date`, so that it runs `words` on the node. None: no command
    can be derived."""
    if clock is None:
        return None
    *before, last = clock.arguments
    if clock.arguments[-2:] == _DATE:
        return replace(clock, arguments=(*clock.arguments[:-2], *words))
    return replace(clock, arguments=(*before, " ".join(words))) if tuple(last.split()) == _DATE else None


def ssh_way(kill: Sequence[str], node: str) -> tuple[str, ...]:
    """Return the words of an ssh command up to the destination, if the destination is `{master}`; otherwise, return
    no words. The words after the destination are the kill command, which must not run."""
    at = 1
    while at < len(kill) and kill[at].startswith("-"):
        valued = next((number for number, letter in enumerate(kill[at]) if letter in _SSH_VALUED), None)
        at += 2 if valued == len(kill[at]) - 1 else 1
    if PurePath(kill[0]).name != "ssh" or at >= len(kill) or not (f"@{kill[at]}".endswith("@{master}")):
        return ()
    return (*kill[:at], kill[at].replace("{master}", node))


def _ask_name(command: Command) -> str:
    """Return the name that the host prints. Empty: the output is not one word."""
    with suppress(TelemetryError):
        words = fetch_text(command, limit_bytes=NAME_BYTES).split()
        return words[0] if len(words) == 1 else ""
    return ""


def _is_called(node: NodeAnswers, name: str) -> bool:
    return _label(name) in (_label(node.name), _label(node.host))


def _label(name: str) -> str:
    """Return the first label of a host name, in lower case. An address is unchanged."""
    lowered = name.strip().lower()
    return lowered if lowered.replace(".", "").isdigit() or ":" in lowered else lowered.partition(".")[0]
