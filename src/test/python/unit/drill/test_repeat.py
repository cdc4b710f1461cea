"""Several drills one after the other: one that fails or is interrupted ends the series, and keeps what was done."""

from pathlib import Path

import pytest

from support.touching import Notes
from switchover.drill import conduct as repeat
from switchover.drill.conduct import Conducted
from switchover.drill.options import DrillSettings
from switchover.drill.plan import TimedPlan
from switchover.model.errors import FaultError
from switchover.predict.phase_lengths import Timing
from switchover.rundir.run_directory import Run
from switchover.target.model import Endpoint, Target

TARGET = Target(Endpoint("http://127.0.0.1:1/"))


def done(name: str, *, interrupted: bool = False) -> Conducted:
    return Conducted(Path(name), Run(name, name), None, interrupted)


def names_of(monkeypatch: pytest.MonkeyPatch, *outcomes: Conducted | Exception, notes: Notes) -> list[str]:
    left = list(outcomes)

    def conduct(*_: object) -> Conducted:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(repeat, "conduct", conduct)
    settings = DrillSettings(repeat=len(outcomes))
    drills = repeat.conduct_all(settings, lambda _: TimedPlan(Timing(0, 0, 0), settings), notes, TARGET)
    return [one.run.name for one in drills]


def test_a_drill_that_fails_ends_the_series_and_keeps_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    ambiguous = FaultError("the master is ambiguous")
    assert names_of(monkeypatch, done("a"), done("b"), ambiguous, done("never"), notes=notes) == ["a", "b"]
    assert notes.said[-1] == "no more drills: the master is ambiguous"
