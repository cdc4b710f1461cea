"""What a conductor is to run, and what its parent learns of it: both travel as one line of JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from switchover.model.errors import UsageError
from switchover.streaming.influx.spec import WAIT_S


@dataclass(frozen=True, slots=True)
class ConductSpec:
    """One run beside somebody's load. Times in seconds, rates per second."""

    directory: Path
    """The run directory, made already."""
    run: str
    """The run's id."""
    name: str
    target_file: Path | None = None
    url: str | None = None
    """Where there is no target file: what the load is sent to, an HTTP URL if it is to be probed. There are no nodes
    then, and no faults."""
    fault: str | None = None
    arm: bool = False
    last_one: bool = False
    """The fault may hit the only balancer, or the only backend."""
    rehearse: bool = False
    """Everything but the kill."""
    fault_at_s: float | None = None
    """Since the load began; None: when it is told to fire."""
    heal_at_s: float | None = None
    """Since the load began; None: when it is told to heal, or at the end."""
    budgets: tuple[str, ...] = ()
    probe_rate: float | None = None
    """None: what suits the target; 0: no metronome, so the outage is not measured."""
    kept_rate: float = 0.0
    timeouts: tuple[float, float] | None = None
    """Of a probe, to connect and to read; None: the target's, or the usual ones."""
    late_s: float = 1.0
    scrape_s: float = 1.0
    seed: int | None = None
    influx: str | None = None
    """Where the points go; None: where the target file says, if it does. Credentials are in the environment."""
    influx_wait_s: float = WAIT_S
    prometheus: str | None = None
    """The address at which Prometheus finds the metrics."""
    command: tuple[str, ...] = ()
    """What the user typed."""

    def __post_init__(self) -> None:
        if self.target_file is None and not self.url and self.probe_rate != 0:
            raise UsageError("nothing to probe: name a target file, or the host of the load")
        if self.fault is None and self.fault_at_s is not None:
            raise UsageError("a time to fire, but no fault: name one of the target file's")
        if self.fault is not None and self.target_file is None:
            raise UsageError(f"{self.fault} cannot be fired without a target file, which says how")
        if self.heal_at_s is not None and self.fault_at_s is not None and self.heal_at_s <= self.fault_at_s:
            raise UsageError(f"the heal at {self.heal_at_s:g} s must come after the fault at {self.fault_at_s:g} s")
        for name, seconds in (("fault", self.fault_at_s), ("heal", self.heal_at_s)):
            if seconds is not None and not 0 <= seconds <= 86_400:
                raise UsageError(
                    f"the {name} must come between 0 s and a day after the load began, not {seconds:g} s"
                )
        if self.probe_rate == 0 and self.kept_rate:
            raise UsageError("probes on kept connections need the others: the probe rate must not be 0")

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "ConductSpec":
        """The spec that `to_json` wrote; UsageError for anything else."""
        try:
            values = json.loads(text)
            target_file, timeouts = values.pop("target_file"), values.pop("timeouts")
            return cls(
                directory=Path(values.pop("directory")),
                target_file=None if target_file is None else Path(target_file),
                timeouts=None if timeouts is None else (float(timeouts[0]), float(timeouts[1])),
                budgets=tuple(values.pop("budgets")),
                command=tuple(values.pop("command")),
                **values,
            )
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            known = ", ".join(item.name for item in fields(cls))
            raise UsageError(
                f"the conductor was given no usable spec ({type(error).__name__}: {error}): "
                f"it reads one line of JSON with {known}"
            ) from error


@dataclass(frozen=True, slots=True)
class ConductorState:
    """How a run stands, at most a second ago. Times in microseconds on the run's clock."""

    phase: str = "starting"
    """starting, ready, baseline, fault, switchover, heal, failback, finishing, judging."""
    holders: list[str] = field(default_factory=list)
    """The nodes that hold the virtual address; empty where no witness tells."""
    probes: dict[str, Any] | None = None
    """{sent, good, late, failed, last_error}; None without a metronome, and before its first word."""
    fired_us: int | None = None
    confirmed_us: int | None = None
    heal_us: int | None = None
    """When the heal was begun."""
    healed_us: int | None = None
    """When it was proved."""
    fault: str | None = None
    """The fault that is prepared or was fired."""
    faults: list[str] = field(default_factory=list)
    """Those that the target file has."""
    armed: bool = False
    """A fault may be fired: the target is a lab, or somebody meant it."""
    error: str | None = None
    """Why the run cannot be trusted any more, if that is known already."""
    notes: list[str] = field(default_factory=list)
    """The last things worth saying, refusals among them; the newest last."""

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> "ConductorState":
        known = {item.name for item in fields(cls)}
        return cls(**{name: value for name, value in message.items() if name in known})


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a run."""

    verdict: dict[str, Any]
    """As verdict.json has it."""
    exit_code: int
    """0 all budgets kept, 1 one broken, 2 not trusted or not done."""
    warnings: list[str]
    summary: str
    """The screen: as wide as the parent's terminal, and in colours if that shows them."""
