"""The parent's side: starts the process, tells it what to do, follows how it stands, takes its verdict."""

import os
import shutil
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from switchover.drill.options import DrillSettings
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.process.json_child import JsonChild


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
    def from_message(cls, message: Mapping[str, Any]) -> "ControllerState":
        known = {item.name for item in fields(cls)}
        return cls(**{name: value for name, value in message.items() if name in known})


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a run."""

    verdict: dict[str, Any]
    """As verdict.json has it."""
    exit_code: int
    """0 all limits kept, 1 one broken, 2 invalid or not done."""
    warnings: list[str]
    summary: str
    """The screen: as wide as the parent's terminal, and in colours if that shows them."""


READY_TIMEOUT_S = 90.0
"""Clocks, master, first scrape and prober, each with its own limit, over commands that may be slow to answer."""
END_S = 5.0
"""For a process that has said its last word."""
COLUMNS_VARIABLE, COLOUR_VARIABLE = "COLUMNS", "SWITCHOVER_COLOUR"
"""How the process is told of the terminal that its summary will be shown on."""


class Controller:
    """A drill that goes on in a process of its own. Every method may be called from any thread or greenlet."""

    def __init__(self, settings: DrillSettings, clock: Clock) -> None:
        self._clock = clock
        self._state = ControllerState()
        self._settled = threading.Event()
        """It is ready, or has refused."""
        self._concluded = threading.Event()
        """It has a verdict, or will have none."""
        self._error: str | None = None
        self._finished: Finished | None = None
        self._child = JsonChild(
            "switchover.drill.remote",
            "controller",
            clock,
            self._hear,
            ended=self._stop_waiting,
            environment=_terminal(),
        )
        self._child.tell_line(settings.to_json())

    @classmethod
    def start(cls, settings: DrillSettings, clock: Clock) -> "Controller":
        """Start it, and wait until the first scrape is taken and the prober runs: now the load may begin.

        Raises SwitchoverError, in one line, for all that it refuses.
        """
        controller = cls(settings, clock)
        ready = controller._settled.wait(READY_TIMEOUT_S)
        error = controller.died or controller._error
        if ready and error is None:
            return controller
        controller._child.kill()
        raise SwitchoverError(error or f"the controller was not ready within {READY_TIMEOUT_S:g} s")

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def state(self) -> ControllerState:
        """How it stood when it last spoke, which it does at least once a second."""
        return self._state

    @property
    def died(self) -> str | None:
        """Why it ended before its time; None while it runs, and after `finish` or `abandon`."""
        died = self._child.died
        return died and (self._error or died)

    def begin(self) -> None:
        """The load begins now: `fault_at_s` and `heal_at_s` count from here."""
        self._child.tell({"do": "begin", "at_us": self._clock.now_us()})

    def fire(self, name: str | None = None) -> None:
        """Ask for the fault that was chosen at the start, or for one of the target file's. A refusal is a note."""
        self._child.tell({"do": "fire", "name": name})

    def heal(self) -> None:
        self._child.tell({"do": "heal"})

    def finish(self, timeout_s: float) -> Finished:
        """The load has ended, and `load.json` says so: heal what is left, measure to the end, judge.

        Raises SwitchoverError when no verdict comes; what was measured is in the run directory all the same.
        """
        self._child.tell({"do": "finish"})
        concluded = self._concluded.wait(timeout_s)
        self._child.hang_up()
        if not concluded:
            raise SwitchoverError(f"the controller had no verdict within {timeout_s:g} s; it goes on without us")
        self._child.wait(END_S)
        if self._finished is None:
            raise SwitchoverError(self._error or self._child.reason())
        return self._finished

    def abandon(self) -> None:
        """Wait for nothing: the process heals, measures to the end and judges by itself."""
        self._child.hang_up()

    def _hear(self, message: dict[str, Any]) -> None:
        if "state" in message:
            self._state = ControllerState.from_message(message["state"])
            self._settled.set()
        elif "error" in message:
            self._error = str(message["error"])
            self._settled.set()
            self._concluded.set()
        elif "finished" in message:
            self._finished = Finished(**message["finished"])
            self._concluded.set()

    def _stop_waiting(self) -> None:
        """The process has ended: it will say nothing more."""
        self._settled.set()
        self._concluded.set()


def _terminal() -> dict[str, str]:
    """The variables that say what the summary will be shown on."""
    shows_colours = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return {
        COLUMNS_VARIABLE: str(shutil.get_terminal_size().columns),
        COLOUR_VARIABLE: "1" if shows_colours else "",
    }
