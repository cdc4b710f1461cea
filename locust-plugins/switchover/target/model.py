"""The target: what is drilled, and how it is watched. The same for drill, Locust and JMeter.

Everything here is a value; `target_file` reads it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_url
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, LogFile, Source

ROLES = ("balancer", "backend")
COMMANDS = ("ready", "deadman", "kill", "verify_down", "heal", "verify_healed", "disarm")
"""Of a fault's recipe."""


@dataclass(frozen=True, slots=True)
class StatusRanges:
    """The status codes that count as good, `200-399` or `200,204,300-399`."""

    ranges: tuple[tuple[int, int], ...] = ((200, 399),)

    def __contains__(self, status: int) -> bool:
        return any(low <= status <= high for low, high in self.ranges)

    def __str__(self) -> str:
        return ",".join(f"{low}-{high}" if low != high else str(low) for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. Timeouts in seconds; None leaves the choice to the caller."""

    url: str
    expect: StatusRanges = StatusRanges()
    host_header: str | None = None
    sni: str | None = None
    ca: Path | None = None
    insecure: bool = False
    timeout_connect_s: float | None = None
    timeout_read_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    dedicated: bool = False
    """All traffic that the nodes see is ours, so counters must match to the last request."""
    algorithm: str | None = None
    """How the balancers spread requests, by HAProxy's word for it; None: not known, so nothing is expected."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Per backend; what is not named weighs what HAProxy says, or 1."""

    @property
    def public_url(self) -> str:
        """As it may be shown."""
        return public_url(self.url)

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme == "https" else 80)


@dataclass(frozen=True, slots=True)
class Node:
    """A host of the target and the ways to watch it; every way is optional."""

    name: str
    role: str
    host: str | None = None
    haproxy: Source | None = None
    nginx: HttpPage | Command | None = None
    metrics: HttpPage | Command | None = None
    """A page in Prometheus' text format: Envoy, Traefik or Caddy."""
    access_log: LogFile | Command | None = None
    vip_owner: tuple[Fifo | Command, ...] = ()
    """Ownership sources: the notify FIFO says VRRP states, a streamed `ip monitor` says addresses."""
    keepalived: Path | KeepalivedSettings | None = None
    clock: Command | None = None
    shared_clock: bool = False
    """`clock = "shared"`: the node runs on this machine, so its clock is ours."""
    processes: Command | None = None
    """A command that prints /proc/loadavg and then /proc/PID/stat lines."""
    machine_id: Command | None = None
    """A command that prints what the node alone calls itself, such as /etc/machine-id."""


def fill_names(command: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Replace `{master}` and the like; other braces stand as they are."""
    filled = []
    for argument in command:
        for name, value in names.items():
            argument = argument.replace(f"{{{name}}}", value)
        filled.append(argument)
    return tuple(filled)


@dataclass(frozen=True, slots=True)
class FaultRecipe:
    """A fault as commands; `{master}` and `{backup}` are filled in when it is fired."""

    name: str
    kill: tuple[str, ...]
    heal: tuple[str, ...] | None = None
    verify_down: tuple[str, ...] | None = None
    verify_healed: tuple[str, ...] | None = None
    ready: tuple[str, ...] | None = None
    """Exits with 0 if the node `{backup}` is fit to take over."""
    deadman: tuple[str, ...] | None = None
    """Arms a heal on the node itself; `disarm` takes it back."""
    disarm: tuple[str, ...] | None = None
    variables: tuple[str, ...] = ()
    """The environment variables that its commands get beside the usual ones."""
    predict_s: tuple[float, float] | None = None
    """`predict = {low, high}`: the outage that the user expects, in seconds."""

    @property
    def table(self) -> str:
        """Where it stands in the target file."""
        return f"[fault.{self.name}]"

    @property
    def deed(self) -> str:
        return "kill"

    def word(self, key: str) -> str:
        """What its table calls one of its commands."""
        return key

    @property
    def commands(self) -> Mapping[str, tuple[str, ...]]:
        """Those that it has, by their keys, in the order in which a drill runs them."""
        known = {key: getattr(self, key) for key in COMMANDS}
        return {key: command for key, command in known.items() if command}

    def filled_in(self, names: Mapping[str, str]) -> Self:
        """With the names of nodes that are known."""
        filled: dict[str, Any] = {key: fill_names(command, names) for key, command in self.commands.items()}
        return replace(self, **filled)

    def mentions(self, word: str) -> bool:
        """Whether the word, such as `{master}`, stands in any of its commands but `ready`, which is run by node."""
        commands = [command for key, command in self.commands.items() if key != "ready"]
        return any(word in argument for command in commands for argument in command)


class ChangeRecipe(FaultRecipe):
    """A change as commands, which has words of its own for them."""

    __slots__ = ()

    @property
    def table(self) -> str:
        return f"[change.{self.name}]"

    @property
    def deed(self) -> str:
        return "change"

    def word(self, key: str) -> str:
        return {"kill": "do", "verify_down": "verify", "heal": "undo"}.get(key, key)


@dataclass(frozen=True, slots=True)
class InfluxSettings:
    """Where points go; one of bucket and db is set."""

    url: str
    org: str | None = None
    bucket: str | None = None
    db: str | None = None
    token: str | None = field(default=None, repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Target:
    """The whole target file."""

    endpoint: Endpoint
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    nodes: tuple[Node, ...] = ()
    faults: Mapping[str, FaultRecipe] = field(default_factory=dict)
    changes: Mapping[str, ChangeRecipe] = field(default_factory=dict)
    """What operators do that should cost nothing: `do` is the kill, `undo` the heal, `verify` the proof."""
    connections: Mapping[HeldKind, str] = field(default_factory=dict)
    """The URL of each kind of connection that held connections may keep open."""
    influx: InfluxSettings | None = None
    lab: Path | None = None
    """The directory of the lab that wrote this file, runs, and is ours; its faults need no arming."""
    claim: tuple[str, ...] | None = None
    """Takes a lock on the nodes themselves, before a fault; `release` gives it back."""
    release: tuple[str, ...] | None = None
    variables: tuple[str, ...] = ()
    """The environment variables that the file's commands get beside the usual ones."""
    source: Path | None = None

    @property
    def balancers(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.role == "balancer")

    @property
    def backends(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.role == "backend")

    def backup_of(self, master: str | None) -> Node | None:
        """The other balancer of a pair."""
        others = [node for node in self.balancers if node.name != master]
        return others[0] if len(others) == 1 and len(self.balancers) == 2 else None

    def node(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise TargetError(f"{self.source}: no [[node]] is named {name!r}")
