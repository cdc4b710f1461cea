"""The parent's side: starts the process, tells it what to do, follows how it stands, takes its verdict."""

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
    """How a run stands, at most a second ago. Times in microseconds on the run's clock."""

    phase: str = "starting"
    """starting, ready, baseline, fault, switchover, heal, failback, finishing, judging."""
    holders: list[str] = field(default_factory=list)
    """The nodes that hold the virtual address; empty where no source tells."""
    probes: dict[str, Any] | None = None
    """As `ProberProgress` has them; None without a prober, and before its first word."""
    fired_us: int | None = None
    confirmed_us: int | None = None
    heal_us: int | None = None
    """When the heal was begun."""
    healed_us: int | None = None
    """When it was proved."""
    fault: str | None = None
    """The fault that is prepared or was fired."""
    faults: list[str] = field(default_factory=list)
    """The faults of the target file."""
    armed: bool = False
    """A fault may be fired: the target is a lab, or somebody meant it."""
    error: str | None = None
    """Why the run cannot be trusted any more, if that is known already."""
    notes: list[str] = field(default_factory=list)
    """The last things worth saying, refusals among them; the newest last."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a run."""

    verdict: dict[str, Any]
    """As verdict.json has it."""
    exit_code: int
    """0 all limits kept, 1 one broken, 2 invalid or not done."""
    warnings: list[str]
    summary: str
    """The screen: as wide as the parent's terminal, and in colours if that shows them."""


COLUMNS_VARIABLE, COLOUR_VARIABLE = "COLUMNS", "SWITCHOVER_COLOUR"
"""The variables that tell the process of the terminal that its summary will be shown on."""


class Controller(MeasuringChild[ControllerState]):
    """A drill in a process of its own. It is ready when the first scrape is taken and the prober runs: then the load
    may begin. Every method may be called from any thread or greenlet."""

    module = "switchover.drill.remote"
    name = "controller"
    progress_type = ControllerState
    ready_s = 90.0
    """For clocks, master, first scrape and prober, each with its own limit, over commands that may be slow."""

    def __init__(self, settings: DrillSettings, clock: Clock) -> None:
        self._clock = clock
        super().__init__(settings, clock, _terminal())

    @property
    def state(self) -> ControllerState:
        """How it stood when it last spoke, which it does at least once a second."""
        return self.progress() or ControllerState()

    def begin(self) -> None:
        """The load begins now: `fault_at_s` and `heal_at_s` count from here."""
        self.tell({"do": "begin", "at_us": self._clock.now_us()})

    def fire(self, name: str | None = None) -> None:
        """Ask for the fault that was chosen at the start, or for one of the target file's. A refusal is a note."""
        self.tell({"do": "fire", "name": name})

    def heal(self) -> None:
        self.tell({"do": "heal"})

    def finish(self, timeout_s: float) -> Finished:
        """The load has ended, and `load.json` says so: heal what is left, measure to the end, judge.

        Raises SwitchoverError when no verdict comes; what was measured is in the run directory all the same.
        """
        self.tell({"do": "finish"})
        self.hang_up()
        if not self.wait(timeout_s):
            raise SwitchoverError(f"the controller had no verdict within {timeout_s:g} s; it continues alone")
        if self._account is None:
            raise SwitchoverError(self._error or self.reason())
        return Finished(**self._account)


def _terminal() -> dict[str, str]:
    """The variables that say what the summary will be shown on."""
    shows_colours = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return {
        COLUMNS_VARIABLE: str(shutil.get_terminal_size().columns),
        COLOUR_VARIABLE: "1" if shows_colours else "",
    }
