"""A change of a series, its guard played by the test: what the guard says last must not be lost."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from switchover.drill import make_changes
from switchover.drill.make_changes import ChangeSettings, _ChangeSeries
from switchover.faults.fired_file import FiredFile
from switchover.faults.guard import Firing, Healing
from switchover.patient.parent import PatientProgress

NOT_HEALED = "server-drain IS NOT HEALED: it was in force again after its heal"


class RelapsedGuard:
    """Made and taken back; when it is closed, the watchdog has found the change in force again."""

    last_words: str | None = None

    def __enter__(self) -> "RelapsedGuard":
        return self

    def __exit__(self, *_: object) -> None:
        self.last_words = NOT_HEALED

    def arm(self) -> None: ...

    def fire(self, *_: object) -> Firing:
        return Firing(1, 2, 3)

    def heal(self) -> Healing:
        return Healing(4, 5, 6)


def test_a_change_that_is_in_force_again_after_its_undo_ends_the_series(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_changes, "SETTLE_S", 0.0)
    FiredFile(tmp_path, "server-drain").create()
    control: Any = SimpleNamespace(
        new_guard=lambda *_: RelapsedGuard(),
        require_survivor=lambda _: "",
        directory=tmp_path,
        journal=None,
        clock=SimpleNamespace(now_us=lambda: 7),
        owners={},
        observer=SimpleNamespace(note=lambda _: None),
        plan=SimpleNamespace(changes=[]),
        save=lambda: None,
    )
    prepared: Any = SimpleNamespace(
        recipe=SimpleNamespace(name="server-drain", heal=("true",)), description=SimpleNamespace(master=None)
    )
    patient: Any = SimpleNamespace(
        progress=PatientProgress(), begin_change=lambda _: None, settle_change=lambda _: None
    )
    timer: Any = SimpleNamespace(interrupted=False, look=lambda *_: None, wait=lambda *_: True)
    settings = ChangeSettings(name="server-drain", every_s=0.0)
    lock: Any = None
    assert not _ChangeSeries(settings, prepared, control, timer, patient, lock).make(1)
    (made,) = control.plan.changes
    assert made["error"] == NOT_HEALED
    with pytest.raises(Exception, match="server-drain"):
        FiredFile(tmp_path, "server-drain").require_absent()
