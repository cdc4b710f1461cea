"""What a drill needs of a load that runs beside its metronome."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from switchover.model.clock import Clock

LOCUST, JMETER, NO_LOAD = "locust", "jmeter", "none"
"""The generators; none: there are only the metronome's probes."""


@dataclass(frozen=True, slots=True)
class ChosenLoad:
    """What the user chose."""

    users: int
    spawn_rate: float
    plan: Path | None = None
    """A locustfile or a test plan; None: the visitors."""
    late_s: float = 1.0


class Load(Protocol):
    """A load of one run. Its results are in files of their own, which `load.json` names."""

    @property
    def generator(self) -> str:
        """The generator: `locust` or `jmeter`."""

    @property
    def pid(self) -> int | None:
        """The process to be watched, if there is one."""

    @property
    def died(self) -> str | None:
        """Why it ended unasked; None while it runs."""

    def start(self, directory: Path, clock: Clock) -> None:
        """Begin, and return when all users are there. Raises SwitchoverError with one line if that cannot be."""

    def stop(self) -> str | None:
        """End it in order, and return when all is written; what went wrong, if anything did. Harmless before
        `start`."""
