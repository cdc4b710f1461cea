"""A drill without servers: a fault of touched files, a prober that only says it probes, a watch that remembers."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.guards import be_patient
from switchover.drill import drill
from switchover.faults.mechanism import PreparedFault
from switchover.predict.prediction import Prediction
from switchover.prober import ProberProgress
from switchover.rundir.run_directory import FaultRun
from switchover.target.model import FaultRecipe


class Playing:
    """A prober that sends nothing."""

    says: ClassVar[ProberProgress | None]
    died: ClassVar[str | None]
    pid = 1
    name = "prober"
    silent_s = 0.0

    def __init__(self, *_: object) -> None: ...

    def progress(self) -> ProberProgress | None:
        return self.says

    def stop(self) -> dict[str, Any]:
        return {"scheduled": 0}


def play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets drills have this prober, and all the time that a busy machine needs."""
    be_patient(monkeypatch)
    monkeypatch.setattr(drill, "QUIET_S", 0.0)
    monkeypatch.setattr(drill, "Prober", Playing)
    Playing.says, Playing.died = ProberProgress(sent=9, good=9), None


@dataclass
class Notes:
    """A watch that remembers."""

    said: list[str] = field(default_factory=list)

    def phase(self, name: str, seconds: float) -> None:
        self.said.append(name)

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None:
        self.said.append(text)


def recipe(place: Path) -> FaultRecipe:
    def shell(script: str) -> tuple[str, ...]:
        return ("sh", "-c", f"cd '{place}' && {script}")

    return FaultRecipe(
        "touch",
        shell("touch down"),
        shell("rm -f down"),
        shell("test -e down"),
        shell("test ! -e down"),
        ready=("true",),
    )


def prepared(what: FaultRecipe, *, kind: str = "backend") -> PreparedFault:
    nothing = Prediction(0.0, 0.0, "nothing")
    return PreparedFault(what, FaultRun("touch", kind, master="lb1"), nothing, nothing, True, 1.0)
