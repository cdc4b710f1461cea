"""The target: the system under test, and the sources of its telemetry. All classes are immutable records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from switchover.model.held_kind import HeldKind
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_url
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, LogFile, Source

COMMANDS = ("ready", "deadman", "kill", "verify_down", "heal", "verify_healed", "disarm")


@dataclass(frozen=True, slots=True)
class StatusRanges:
    """The status codes of good responses, such as `200-399` or `200,204,300-399`."""

    ranges: tuple[tuple[int, int], ...] = ((200, 399),)

    def __contains__(self, status: int) -> bool:
        return any(low <= status <= high for low, high in self.ranges)

    def __str__(self) -> str:
        return ",".join(f"{low}-{high}" if low != high else str(low) for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of the requests. Time-outs are in seconds. If a time-out is None, the caller sets its value."""

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
    """True: all traffic of the nodes comes from this test, so the counters must match exactly."""
    algorithm: str | None = None
    """The load-balancing algorithm of the balancers, with the name that HAProxy uses, such as `roundrobin`. None: no
    distribution is expected."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """The weight of each backend. A missing backend has the weight that HAProxy reports, or 1."""

    @property
    def public_url(self) -> str:
        """The URL without credentials, for output."""
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
    """A host of the target, and its telemetry sources. All sources are optional."""

    name: str
    role: str
    host: str | None = None
    haproxy: Source | None = None
    nginx: HttpPage | Command | None = None
    metrics: HttpPage | Command | None = None
    access_log: LogFile | Command | None = None
    vip_owner: tuple[Fifo | Command, ...] = ()
    """Keepalived's notify FIFO (VRRP states), or `ip monitor` (addresses)."""
    keepalived: Path | KeepalivedSettings | None = None
    clock: Command | None = None
    shared_clock: bool = False
    """True (`clock = "shared"`): the node and this machine have the same clock."""
    processes: Command | None = None
    """A command that prints /proc/loadavg and then /proc/PID/stat lines."""
    machine_id: Command | None = None
    """A command that prints a unique identifier of the node, such as /etc/machine-id."""


def fill_names(command: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Replace the placeholders `{NAME}` of `names`, such as `{master}`, with their values. Other braces are
    unchanged."""
    filled = list(command)
    for name, value in names.items():
        filled = [argument.replace(f"{{{name}}}", value) for argument in filled]
    return tuple(filled)


@dataclass(frozen=True, slots=True)
class FaultRecipe:
    """The commands of a fault. `{master}` and `{backup}` are replaced when the fault is fired."""

    name: str
    kill: tuple[str, ...]
    heal: tuple[str, ...] | None = None
    verify_down: tuple[str, ...] | None = None
    verify_healed: tuple[str, ...] | None = None
    ready: tuple[str, ...] | None = None
    """A command that exits with 0 if the node `{backup}` can take over."""
    deadman: tuple[str, ...] | None = None
    """Starts a timer on the node. When the timer expires, the node heals the fault. `disarm` removes the timer."""
    disarm: tuple[str, ...] | None = None
    variables: tuple[str, ...] = ()
    """The names of environment variables that the commands get in addition to the default variables."""
    predict_s: tuple[float, float] | None = None
    """The outage that the user expects, in seconds: `predict = {low, high}`."""

    kind: ClassVar[str] = "fault"
    deed: ClassVar[str] = "kill"
    words: ClassVar[Mapping[str, str]] = {}
    """Maps a key of a fault's table to the key of this recipe's table, if the two keys differ."""

    @property
    def table(self) -> str:
        return f"[{self.kind}.{self.name}]"

    def word(self, key: str) -> str:
        """Return the key of this recipe's table that corresponds to `key` of a fault's table."""
        return self.words.get(key, key)

    @property
    def commands(self) -> Mapping[str, tuple[str, ...]]:
        return {key: command for key in COMMANDS if (command := getattr(self, key))}

    def filled_in(self, names: Mapping[str, str]) -> Self:
        """Return the recipe with placeholders replaced by the names of known nodes."""
        filled: dict[str, Any] = {key: fill_names(command, names) for key, command in self.commands.items()}
        return replace(self, **filled)

    def mentions(self, word: str) -> bool:
        """Return True if a command except `ready` contains the word, such as `{master}`."""
        commands = [command for key, command in self.commands.items() if key != "ready"]
        return any(word in argument for command in commands for argument in command)


class ChangeRecipe(FaultRecipe):
    """The commands of a change. The keys in the table of a change differ from the keys of a fault."""

    __slots__ = ()
    kind = deed = "change"
    words: ClassVar[Mapping[str, str]] = {"kill": "do", "verify_down": "verify", "heal": "undo"}


@dataclass(frozen=True, slots=True)
class InfluxSettings:
    """The database that receives the points. Either `bucket` or `db` is set."""

    url: str
    org: str | None = None
    bucket: str | None = None
    db: str | None = None
    token: str | None = field(default=None, repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Target:
    endpoint: Endpoint
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    nodes: tuple[Node, ...] = ()
    faults: Mapping[str, FaultRecipe] = field(default_factory=dict)
    changes: Mapping[str, ChangeRecipe] = field(default_factory=dict)
    """The changes. In their tables, `do` is the kill, `undo` is the heal, and `verify` is the proof."""
    connections: Mapping[HeldKind, str] = field(default_factory=dict)
    influx: InfluxSettings | None = None
    lab: Path | None = None
    """The directory of the running lab that wrote this file. Faults in a lab need no arming."""
    claim: tuple[str, ...] | None = None
    """The command that locks the nodes, so that no other machine can use them. `release` unlocks them."""
    release: tuple[str, ...] | None = None
    variables: tuple[str, ...] = ()
    """Environment variables that the commands get in addition to the default variables."""
    source: Path | None = None

    @property
    def balancers(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.role == "balancer")

    @property
    def backends(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.role == "backend")

    def backup_of(self, master: str | None) -> Node | None:
        """Return the other balancer of a pair. None: there is no pair, or the pair does not contain the master."""
        backups = [node for node in self.balancers if node.name != master]
        return backups[0] if len(backups) == 1 and len(self.balancers) == 2 else None

    def node(self, name: str | None) -> Node | None:
        return next((node for node in self.nodes if node.name == name), None)
