"""What the parent of a conductor learns of its run: each travels as one line of JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class ConductorState:
    """How a run stands, at most a second ago. Times in microseconds on the run's clock."""

    phase: str = "starting"
    """starting, ready, baseline, fault, switchover, heal, failback, finishing, judging."""
    holders: list[str] = field(default_factory=list)
    """The nodes that hold the virtual address; empty where no witness tells."""
    probes: dict[str, Any] | None = None
    """As `MetronomeProgress` has them; None without a metronome, and before its first word."""
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

    def message(self) -> dict[str, Any]:
        """What travels, twice a second: nothing of it is copied."""
        return {name: getattr(self, name) for name in self.__slots__}

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
