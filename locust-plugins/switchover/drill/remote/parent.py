"""The parent's side. It starts the process, sends it commands, reads its state and takes its verdict."""

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
    """The state of a run, at most a second old. Times are in microseconds on the run's clock."""

    phase: str = "starting"
    """One of starting, ready, baseline, fault, switchover, heal, failback, finishing, judging."""
    holders: list[str] = field(default_factory=list)
    """The nodes that hold the virtual address; empty if no source knows one."""
    probes: dict[str, Any] | None = None
    """The fields of `ProberProgress`; None without a prober, and before its first report."""
    fired_us: int | None = None
    confirmed_us: int | None = None
    heal_us: int | None = None
    """The time at which the heal began."""
    healed_us: int | None = None
    """The time at which the heal was proved."""
    fault: str | None = None
    """The fault that is prepared or was fired."""
    faults: list[str] = field(default_factory=list)
    """The faults of the target file."""
    armed: bool = False
    """True if a fault may be fired: the target is a lab, or the user has armed the run."""
    error: str | None = None
    """The reason that makes the run invalid, if it is already known."""
    notes: list[str] = field(default_factory=list)
    """The latest notes, including refusals; the newest is last."""


@dataclass(frozen=True, slots=True)
class Finished:
    verdict: dict[str, Any]
    """The content of verdict.json."""
    exit_code: int
    """0: all limits kept. 1: a limit exceeded. 2: invalid or not done."""
    warnings: list[str]
    summary: str
    """The screen, as wide as the parent's terminal, and in colours if the terminal shows them."""


COLUMNS_VARIABLE, COLOUR_VARIABLE = "COLUMNS", "SWITCHOVER_COLOUR"
"""The variables that describe the terminal for the summary to the process."""


class Controller(MeasuringChild[ControllerState]):
    """A drill in a separate process. It is ready when the first scrape is taken and the prober runs.

    The load may begin then. Every method may be called from any thread or greenlet.
    """

    module = "switchover.drill.remote"
    name = "controller"
    progress_type = ControllerState
    ready_s = 90.0
    """Seconds for clocks, master, first scrape and prober, each with its own limit. Commands may be slow."""

    def __init__(self, settings: DrillSettings, clock: Clock) -> None:
        self._clock = clock
        super().__init__(settings, clock, _terminal())

    @property
    def state(self) -> ControllerState:
        """The state in the latest report, which comes at least once a second."""
        return self.progress() or ControllerState()

    def begin(self) -> None:
        """Report that the load begins now. `fault_at_s` and `heal_at_s` count from here."""
        self.tell({"do": "begin", "at_us": self._clock.now_us()})

    def fire(self, name: str | None = None) -> None:
        """Request the fault chosen at the start, or another fault of the target file. A refusal becomes a note."""
        self.tell({"do": "fire", "name": name})

    def heal(self) -> None:
        self.tell({"do": "heal"})

    def finish(self, timeout_s: float) -> Finished:
        """Let the process heal, measure to the end, and judge. The load must have ended and `load.json` be final.

        Raises SwitchoverError if no verdict comes. The run directory still has the measurements.
        """
        self.tell({"do": "finish"})
        self.hang_up()
        if not self.wait(timeout_s):
            raise SwitchoverError(f"the controller had no verdict within {timeout_s:g} s; it continues alone")
        if self._account is None:
            raise SwitchoverError(self._error or self.reason())
        return Finished(**self._account)


def _terminal() -> dict[str, str]:
    """Return the variables that describe the terminal for the summary."""
    shows_colours = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return {
        COLUMNS_VARIABLE: str(shutil.get_terminal_size().columns),
        COLOUR_VARIABLE: "1" if shows_colours else "",
    }
