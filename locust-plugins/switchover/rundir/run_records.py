"""Records of run.json that other versions and load generators may extend."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

from msgspec import Meta, convert

from switchover.model.outcome import LATE_MS

NUMBER_LIMIT = 10**16
"""The largest number in a run.json. As microseconds since the epoch, this number is a time in the year 2286."""
Whole = Annotated[int, Meta(ge=-NUMBER_LIMIT, le=NUMBER_LIMIT)]
Number = Whole | Annotated[float, Meta(ge=-NUMBER_LIMIT, le=NUMBER_LIMIT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A part of run.json. A field that is missing in run.json is None."""

    written: Mapping[str, Any] = field(default_factory=dict)
    """The complete part as JSON, which Switchover writes back unchanged."""

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        """Read a part. Raises ValidationError if a known field has another type."""
        return replace(convert({**written, "written": {}}, cls), written=written)

    def __or__(self, more: Mapping[str, Any]) -> Self:
        return self.of({**self.written, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts(RunRecord):
    """A node of the target, and its sources."""

    name: str = ""
    role: str = ""
    haproxy: bool = False
    nginx: bool = False
    vip_owner: bool = False
    access_log: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFacts(RunRecord):
    """The target file's facts that a report needs, without secrets."""

    url: str = ""
    dedicated: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    nodes: tuple[NodeFacts, ...] = ()
    lab: bool = False
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFacts(RunRecord):
    client: str | None = None
    timeout_read_s: Number | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDescription(RunRecord):
    state: str | None = None
    clients: Mapping[str, ClientFacts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings(RunRecord):
    probe_rate: Number | None = None
    """Probes per second on new connections. 0: there is no prober."""
    kept_rate: Number | None = None
    timeout_read_ms: Number | None = None
    late_ms: Number | None = None
    limits: tuple[str, ...] = ()
    generator: str | None = None
    load: LoadDescription | None = None
    algorithm: str | None = None
    weights: Mapping[str, Number] | None = None
    counters_per_balancer: Whole | None = None
    """The number of round-robin counters of a balancer. Nginx has one counter for each worker process."""
    change: str | None = None
    connections: Mapping[str, Whole] | None = None
    fault_planned: str | None = None
    fault_at_s: Number | None = None
    """The planned time of the fault, in seconds after the start of the run."""

    @property
    def late_us(self) -> int:
        """Return the duration above which a good response is late, in microseconds."""
        return round((LATE_MS if self.late_ms is None else self.late_ms) * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAccount(RunRecord):
    """The prober's counts of probes on new connections. `kept` has the counts of keep-alive connections."""

    scheduled: Whole | None = None
    recorded: Whole | None = None
    unsent: Whole | None = None
    lost: Whole | None = None
    lag_p50_ms: Number | None = None
    lag_p99_ms: Number | None = None
    cpu_percent: Number | None = None
    realtime: bool | None = None
    """True if the prober had real-time scheduling until the prober ended."""
    first_due_us: Whole | None = None
    warning: str | None = None
    kept: "ProbeAccount | None" = None

    @property
    def sent(self) -> int | None:
        return None if self.scheduled is None or self.unsent is None else self.scheduled - self.unsent


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAccount(RunRecord):
    """The counts of the requests on held connections."""

    requests: Whole | None = None
    """The number of requests. None: the process died before it reported this number."""
    lost: Whole | None = None
    warning: str | None = None
    retrying_clients: "tuple[HeldAccount, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts(RunRecord):
    """A process of the load, as in `load.json`."""

    worker: str | None = None
    host: str | None = None
    samples: Whole | None = None
    points: Whole | None = None
    """The number of requests in the traffic points of the process."""
    lost: Whole | None = None
    bound_us: Whole | None = None
    ended: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockReading(RunRecord):
    """The offset of a node's clock before or after the run. A field is None if the clock was not read."""

    node: str = ""
    offset_us: Whole | None = None
    bound_us: Whole | None = None
