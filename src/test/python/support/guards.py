"""Guards of faults that a test makes of files and of commands of its own."""

from pathlib import Path
from typing import Any

import pytest

from switchover.faults import guard, healer
from switchover.faults.guard import Guard
from switchover.faults.healer import Healer, HealResult
from switchover.model.clock import Clock
from switchover.process.command import CommandResult, run_command
from switchover.target.model import FaultRecipe


def guard_of(what: FaultRecipe, place: Path, **options: Any) -> Guard:
    """Armed, of a master lb1 and its backup lb2, and what it keeps is in `place`; `options` say otherwise."""
    names = {"master": "lb1", "backup": "lb2"}
    usual: dict[str, Any] = {"clock": Clock.of_process(), "armed": True, "names": names, "directory": place}
    return Guard(what, **(usual | options))


PATIENCE_S = 60.0
"""More than a command takes on a busy machine."""


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process a proof has time to hold, a heal to be proved, and none seems to hang; what fails is tried
    again soon."""
    monkeypatch.setattr(guard, "CONFIRM_S", PATIENCE_S)
    monkeypatch.setattr(guard, "HEAL_S", PATIENCE_S)
    monkeypatch.setattr(healer, "VERIFY_S", PATIENCE_S)
    monkeypatch.setattr(healer, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(healer, "RETRY_S", 0.02)


def confirm_soon_or_never(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault's proof has this time to hold; each time that it is asked it may take longer than that."""

    def ask(command: Any, _timeout_s: float = 0, **options: Any) -> CommandResult:
        return run_command(command, **options)

    monkeypatch.setattr(guard, "CONFIRM_S", 0.2)
    monkeypatch.setattr(guard, "run_command", ask)


class FailsOnce(Healer):
    """Its time is over when a heal and its proof have failed once, however long that takes."""

    def run(self, limit_s: float) -> HealResult:
        assert limit_s == guard.HEAL_S
        is_over = self._is_over
        self._is_over = lambda: is_over() or len(self._failures) == 2
        return super().run(PATIENCE_S)


def give_up_after_one_heal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "Healer", FailsOnce)
