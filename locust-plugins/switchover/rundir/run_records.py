"""The parts of run.json that other versions and generators extend: known fields by name, and all that was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

from msgspec import Meta, convert

from switchover.model.outcome import LATE_MS

NUMBER_LIMIT = 10**16
"""No number of a run is larger: microseconds since the epoch come to it in the year 2286."""
Whole = Annotated[int, Meta(ge=-NUMBER_LIMIT, le=NUMBER_LIMIT)]
Number = Whole | Annotated[float, Meta(ge=-NUMBER_LIMIT, le=NUMBER_LIMIT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A part of run.json. None is what it does not say."""

    written: Mapping[str, Any] = field(default_factory=dict)
    """The whole part, as JSON has it: it is written again as it was read."""

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        """ValidationError if a known field has another type."""
        return replace(convert({**written, "written": {}}, cls), written=written)

    def __or__(self, more: Mapping[str, Any]) -> Self:
        """A copy with these values changed or added."""
        return self.of({**self.written, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts(RunRecord):
    """A node of the target, and what was to tell of it."""

    name: str = ""
    role: str = ""
    haproxy: bool = False
    nginx: bool = False
    vip_owner: bool = False
    access_log: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFacts(RunRecord):
    """The target file's facts that the analysis needs, without secrets."""

    url: str = ""
    dedicated: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    nodes: tuple[NodeFacts, ...] = ()
    lab: bool = False
    file: str | None = None
    """The target file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFacts(RunRecord):
    """What a user class of the load sends with."""

    client: str | None = None
    timeout_read_s: Number | None = None
    """None: it waits for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDescription(RunRecord):
    """What the load says of itself, by the names of its own generator."""

    state: str | None = None
    clients: Mapping[str, ClientFacts] = field(default_factory=dict)
    """By user class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings(RunRecord):
    """What a run was started with."""

    probe_rate: Number | None = None
    """A second, on fresh connections; 0: there is no prober."""
    kept_rate: Number | None = None
    """A second, on connections that stay."""
    timeout_read_ms: Number | None = None
    late_ms: Number | None = None
    limits: tuple[str, ...] = ()
    generator: str | None = None
    load: LoadDescription | None = None
    algorithm: str | None = None
    weights: Mapping[str, Number] | None = None
    """By backend."""
    counters_per_balancer: Whole | None = None
    """Counters of round robin turns: Nginx keeps one for each worker process."""
    change: str | None = None
    """The change that was to be made."""
    connections: Mapping[str, Whole] | None = None
    """Connections that held connections were to keep open, by kind."""
    fault_planned: str | None = None
    fault_at_s: Number | None = None
    """After the start of the run."""

    @property
    def late_us(self) -> int:
        """An answer that took longer is late."""
        return round((LATE_MS if self.late_ms is None else self.late_ms) * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAccount(RunRecord):
    """The prober's own account of a stream: of the fresh one, and within it that of the kept one."""

    scheduled: Whole | None = None
    recorded: Whole | None = None
    unsent: Whole | None = None
    lost: Whole | None = None
    """Records that a full disk has cost."""
    lag_p50_ms: Number | None = None
    lag_p99_ms: Number | None = None
    cpu_percent: Number | None = None
    realtime: bool | None = None
    """It had real-time scheduling up to its end."""
    first_due_us: Whole | None = None
    warning: str | None = None
    kept: "ProbeAccount | None" = None

    @property
    def sent(self) -> int | None:
        return None if self.scheduled is None or self.unsent is None else self.scheduled - self.unsent


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAccount(RunRecord):
    """The held connections's own account."""

    requests: Whole | None = None
    """None: the process died before it could tell."""
    lost: Whole | None = None
    """Rows that a full disk has cost."""
    warning: str | None = None
    retrying_clients: "tuple[HeldAccount, ...]" = ()
    """Of the clients that send again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts(RunRecord):
    """A process that made the load, as `load.json` has it."""

    worker: str | None = None
    host: str | None = None
    samples: Whole | None = None
    points: Whole | None = None
    """Requests that are counted in its traffic."""
    lost: Whole | None = None
    bound_us: Whole | None = None
    """The bound of the process's clock."""
    ended: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockReading(RunRecord):
    """How far a node's clock was ahead, before or after the run; None: it could not be asked."""

    node: str = ""
    offset_us: Whole | None = None
    bound_us: Whole | None = None
