"""The load generator's side of the controller."""

import os
import shutil
import sys
from dataclasses import dataclass, field
from typing import Any

from switchover.drill.options import DrillSettings
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.process.measuring_child import MeasuringChild


@dataclass(frozen=True, slots=True)
class ControllerState:
    """The state of a run. Times are in microseconds on the run's clock."""

    phase: str = "starting"
    """The phase: starting, ready, baseline, fault, switchover, heal, failback, finishing or judging."""
    holders: list[str] = field(default_factory=list)
    """The nodes that have the virtual address. Empty: no source reports an owner."""
    probes: dict[str, Any] | None = None
    """The fields of `ProberProgress`. None: there is no prober, or the prober has sent no report yet."""
    fired_us: int | None = None
    confirmed_us: int | None = None
    heal_us: int | None = None
    healed_us: int | None = None
    fault: str | None = None
    faults: list[str] = field(default_factory=list)
    armed: bool = False
    """True: the target is a lab, or the user has armed the run."""
    error: str | None = None
    """The reason why the run is invalid. None: no reason is known yet."""
    notes: list[str] = field(default_factory=list)
    """The latest notes to the user. The newest note is at the end."""


@dataclass(frozen=True, slots=True)
class Finished:
    verdict: dict[str, Any]
    exit_code: int
    warnings: list[str]
    summary: str
    """The summary, formatted for the width and the colours of the parent's terminal."""


COLUMNS_VARIABLE, COLOUR_VARIABLE = "COLUMNS", "SWITCHOVER_COLOUR"
"""The environment variables that pass the width and the colours of the parent's terminal to the process."""


class Controller(MeasuringChild[ControllerState]):
    """A drill in a separate process. When the drill is ready, the prober runs, and the load may begin. Any thread or
    greenlet may call the methods."""

    module = "switchover.drill.remote"
    name = "controller"
    progress_type = ControllerState
    ready_s = 90.0
    """The time limit, in seconds, until the prober runs. Commands of the target file may be slow."""

    def __init__(self, settings: DrillSettings, clock: Clock) -> None:
        self._clock = clock
        super().__init__(settings, clock, _terminal())

    @property
    def state(self) -> ControllerState:
        return self.progress() or ControllerState()

    def begin(self) -> None:
        """Report that the load begins now. `fault_at_s` and `heal_at_s` are relative to this time."""
        self.send({"do": "begin", "at_us": self._clock.now_us()})

    def fire(self, name: str | None = None) -> None:
        """Request a fault. None: the fault that was chosen at the start. If the fault is refused, the state gets a
        note."""
        self.send({"do": "fire", "name": name})

    def heal(self) -> None:
        self.send({"do": "heal"})

    def finish(self, timeout_s: float) -> Finished:
        """Make the process heal the fault and judge the run. Call this method after `load.json` is final. Raises
        SwitchoverError if there is no verdict in time. The run directory has the measurements even without a
        verdict."""
        self.send({"do": "finish"})
        self.hang_up()
        if not self.wait(timeout_s):
            raise SwitchoverError(f"the controller sent no verdict within {timeout_s:g} s, and continues to run")
        if self._account is None:
            raise SwitchoverError(self._error or self.reason())
        return Finished(**self._account)


def _terminal() -> dict[str, str]:
    shows_colours = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return {COLUMNS_VARIABLE: str(shutil.get_terminal_size().columns), COLOUR_VARIABLE: "1" if shows_colours else ""}
