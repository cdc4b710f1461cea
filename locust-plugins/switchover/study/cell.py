"""One cell of a study, run inside the lab's client: `python -m switchover.study.cell CELL.json`.

A cell is a drill, mostly without a fault and without probes: its load is all that it sends. Its run directory is made
here; `switchover report` makes the page of it.
"""

import json
import math
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from switchover.drill.conduct import conduct
from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.options import DrillSettings
from switchover.drill.prepare import PreparedFault
from switchover.drill.wait import TICK_S, PhaseTimer
from switchover.lab.lab import unverified_tls
from switchover.metronome import MetronomeProgress
from switchover.model.errors import SwitchoverError
from switchover.process.signals import ENDING
from switchover.rundir.run_directory import CutPhase
from switchover.study.load_plan import FiniteLoad
from switchover.study.study_file import LoadSettings, read_load
from switchover.target.model import Target
from switchover.target.reader import load_target

LONGEST_S = 1800.0
"""Of a load that is given as a number of requests."""
HOLD_S = 12.0
"""From the fault to the heal at least, so that the outage can end and the window after it be clean."""
GRACE_S = 90.0
"""For the generator's start and end, on top of the load's own time."""
SCRAPES = 25
"""Scrapes in the events of a load, within bounds."""


class LoadPlan:
    """A drill's plan that is over when its load is. A fault is fired in its events, and healed after the load."""

    ending = ENDING
    is_judged = False
    """The study reads the figures of its cells itself."""

    def __init__(self, load: FiniteLoad, settings: LoadSettings, names: Mapping[str, str]) -> None:
        """`names`: of the study and the cell."""
        self.load = load
        self._settings = settings
        self._names = names
        self._longest_s = (settings.expected_s if settings.seconds else LONGEST_S) + GRACE_S

    @property
    def truncated(self) -> list[CutPhase]:
        return []

    def facts(self) -> dict[str, Any]:
        return {"baseline_s": None, **self._names}

    def run(self, control: FaultControl, timer: PhaseTimer) -> None:
        end = time.monotonic() + self._longest_s
        fire_at = math.inf
        while not self.load.finished and not timer.interrupted:
            now = time.monotonic()
            if now > end:
                raise SwitchoverError(f"the load was not over after {self._longest_s:g} s")
            if self._settings.fault and fire_at == math.inf and self.load.has_begun:
                fire_at = now + self._settings.fault_after_s
            if now >= fire_at and not control.is_fired:
                control.fire()
            timer.phase("load", min(TICK_S, max(0.001, fire_at - now)) if now < fire_at else TICK_S)
        if control.is_fired:
            timer.phase("switchover", fire_at + HOLD_S - time.monotonic())
            control.heal()
        elif self._settings.fault and not timer.interrupted:
            raise SwitchoverError("the load was over before the fault was due: make it longer")


class Quiet:
    """Looks on without a word; what is noted goes to standard error."""

    def phase(self, name: str, seconds: float) -> None: ...

    def tick(self, left_s: float, probes: MetronomeProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)


def warm_up(target: Target, settings: LoadSettings) -> None:
    """A few requests one after another, so that the first sample does not pay for what happens once."""
    url = target.endpoint.url.rstrip("/") + settings.path
    for _ in range(settings.warm_up):
        request = Request(url, method=settings.method, data=b"" if settings.method == "POST" else None)
        try:
            with urlopen(
                request, timeout=10, context=unverified_tls() if url.startswith("https") else None
            ) as answer:
                answer.read()
        except (URLError, OSError) as error:
            raise SwitchoverError(f"the warm-up got no answer from {url}: {error}") from error


def run_cell(values: Mapping[str, Any]) -> str | None:
    """Why the cell failed, if it did."""
    target = load_target(Path(values["target"]))
    load_settings = read_load(values["load"])
    directory = Path(values["directory"])
    directory.mkdir(parents=True)
    warm_up(target, load_settings)
    settings = DrillSettings(
        directory=directory,
        name="cell",
        fault=load_settings.fault or None,
        probe_rate=load_settings.probe_rate,
        timeout_s=(target.endpoint.timeout_connect_s or 1.0, target.endpoint.timeout_read_s or 1.0),
        scrape_s=min(1.0, max(0.2, load_settings.expected_s / SCRAPES)),
        seed=values["seed"],
        command=("switchover", "study"),
    )
    names = {"study": values["study"], "cell": values["cell"]}

    def new_plan(_prepared: PreparedFault | None) -> LoadPlan:
        return LoadPlan(FiniteLoad(load_settings, target), load_settings, names)

    done = conduct(settings, new_plan, Quiet(), target)
    if done.interrupted:
        return "interrupted"
    return done.run.fault.error if done.run.fault else None


def main(arguments: list[str]) -> int:
    values = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    try:
        why = run_cell(values)
    except SwitchoverError as error:
        why = str(error)
    if why:
        print(why, file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
