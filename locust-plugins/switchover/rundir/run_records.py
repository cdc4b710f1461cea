"""The records of run.json: what this version reads of them by name, and all of them as they were written.

A part of a run.json is written again as it was read, with what other versions and generators put into it. A value of
another type than it is declared to have is unknown, as if it were not there, and so is a number beyond all measure.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import UnionType
from typing import Any, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from switchover.model.outcome import LATE_MS

NUMBER_LIMIT = 10**16
"""No number of a run is larger: microseconds since the epoch come to it in the year 2286."""


def is_fit(value: float) -> bool:
    """Whether it can be a number of a run: arithmetic of times bears neither infinities nor what comes near them."""
    return -NUMBER_LIMIT <= value <= NUMBER_LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A part of run.json. None is what it does not say."""

    written: Mapping[str, Any] = field(default_factory=dict)
    """The whole part, as JSON has it."""

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        found = {name: read(written[name]) for name, read in _readers_of(cls).items() if name in written}
        return cls(written=written, **{name: value for name, value in found.items() if value is not None})

    def __or__(self, more: Mapping[str, Any]) -> Self:
        """A copy with these values changed or added."""
        return self.of({**self.written, **more})


Record = TypeVar("Record")


def made_of(record: type[Record], values: Mapping[str, Any]) -> Record:
    """A dataclass of what run.json has, whose further keys a later version may have written."""
    known: Any = record
    for one in fields(known):
        if one.name not in values and one.default is one.default_factory is MISSING:
            raise ValueError(f"{one.name} is missing")
    return record(**{one.name: values[one.name] for one in fields(known) if one.name in values})


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
    timeout_read_s: float | None = None
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

    probe_rate: float | None = None
    """A second, on fresh connections; 0: there is no prober."""
    kept_rate: float | None = None
    """A second, on connections that stay."""
    timeout_read_ms: float | None = None
    late_ms: float | None = None
    limits: tuple[str, ...] = ()
    generator: str | None = None
    load: LoadDescription | None = None
    algorithm: str | None = None
    weights: Mapping[str, float] | None = None
    """By backend."""
    counters_per_balancer: int | None = None
    """Counters of round robin turns: Nginx keeps one for each worker process."""
    change: str | None = None
    """The change that was to be made."""
    connections: Mapping[str, int] | None = None
    """Connections that held connections were to keep open, by kind."""
    fault_planned: str | None = None
    fault_at_s: float | None = None
    """After the start of the run."""

    @property
    def late_us(self) -> int:
        """An answer that took longer is late."""
        return round((LATE_MS if self.late_ms is None else self.late_ms) * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAccount(RunRecord):
    """The prober's own account of a stream: of the fresh one, and within it that of the kept one."""

    scheduled: int | None = None
    recorded: int | None = None
    unsent: int | None = None
    lost: int | None = None
    """Records that a full disk has cost."""
    lag_p50_ms: float | None = None
    lag_p99_ms: float | None = None
    cpu_percent: float | None = None
    realtime: bool | None = None
    """It had real-time scheduling up to its end."""
    first_due_us: int | None = None
    warning: str | None = None
    kept: "ProbeAccount | None" = None

    @property
    def sent(self) -> int | None:
        return None if self.scheduled is None or self.unsent is None else self.scheduled - self.unsent


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAccount(RunRecord):
    """The held connections's own account."""

    requests: int | None = None
    """None: the process died before it could tell."""
    lost: int | None = None
    """Rows that a full disk has cost."""
    warning: str | None = None
    retrying_clients: "tuple[HeldAccount, ...]" = ()
    """Of the clients that send again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts(RunRecord):
    """A process that made the load, as `load.json` has it."""

    worker: str | None = None
    host: str | None = None
    samples: int | None = None
    points: int | None = None
    """Requests that are counted in its traffic."""
    lost: int | None = None
    bound_us: int | None = None
    """The bound of the process's clock."""
    ended: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockReading(RunRecord):
    """How far a node's clock was ahead, before or after the run; None: it could not be asked."""

    node: str = ""
    offset_us: int | None = None
    bound_us: int | None = None


_Read = Callable[[Any], Any]


_READERS: dict[type[RunRecord], dict[str, _Read]] = {}


def _readers_of(record: type[RunRecord]) -> dict[str, _Read]:
    """By the name of each field. They are made once: it takes a millisecond."""
    if record not in _READERS:
        kinds = get_type_hints(record)
        _READERS[record] = {name: _reader(kind) for name, kind in kinds.items() if name != "written"}
    return _READERS[record]


def _reader(declared: Any) -> _Read:
    """Makes the value of a field from what JSON has; None where it is something else."""
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        return _reader(next(one for one in inner if one is not type(None)))
    if origin is tuple:
        member = _reader(inner[0])
        return lambda value: (
            tuple(one for one in map(member, value) if one is not None) if isinstance(value, list) else None
        )
    if origin is Mapping:
        entry = _reader(inner[1])
        return lambda value: _entries(value, entry) if isinstance(value, Mapping) else None
    if issubclass(declared, RunRecord):
        return lambda value: declared.of(value) if isinstance(value, Mapping) else None
    kinds = int | float if declared is float else declared
    is_flag = declared is bool

    def read(value: Any) -> Any:
        is_of_kind = isinstance(value, kinds) and isinstance(value, bool) is is_flag
        return value if is_of_kind and not (isinstance(value, int | float) and not is_fit(value)) else None

    return read


def _entries(value: Mapping[str, Any], read: _Read) -> dict[str, Any]:
    found = {str(name): read(one) for name, one in value.items()}
    return {name: one for name, one in found.items() if one is not None}
