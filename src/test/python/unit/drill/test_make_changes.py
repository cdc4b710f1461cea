"""A change of a series, its guard played by the test: what was done is written down, whatever comes after it."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from switchover.connections.spec import HeldProgress
from switchover.drill import make_changes
from switchover.drill.make_changes import ChangeSeries, ChangesPlan
from switchover.drill.options import DrillSettings
from switchover.faults.guard import Act
from switchover.faults.watchdog import FiredFile
from switchover.model.errors import FaultError, SwitchoverError

NOT_HEALED = "server-drain IS NOT HEALED: it was in force again after its heal"


@dataclass
class PlayedGuard:
    """Makes and takes back; when it is closed, its watchdog may have a last word."""

    at_close: str | None = None
    refusal: str | None = None
    watchdog_result: str | None = None

    def __enter__(self) -> "PlayedGuard":
        return self

    def __exit__(self, *_: object) -> None:
        self.watchdog_result = self.at_close

    def arm(self) -> None:
        if self.refusal:
            raise FaultError(self.refusal)

    def fire(self, *_: object) -> Act:
        return Act(1, 2, 3)

    def heal(self) -> Act:
        return Act(4, 5, 6)


@dataclass
class Played:
    """A series whose run only remembers."""

    directory: Path
    guard: PlayedGuard = field(default_factory=PlayedGuard)
    owners: dict[str, bool | None] = field(default_factory=dict)
    look: Any = lambda *_: None
    plan: Any = field(default_factory=lambda: SimpleNamespace(changes=[]))
    saved: list[list[dict[str, Any]]] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    settled: list[int] = field(default_factory=list)
    is_felt: bool = True
    """There is held connections."""

    def series(self, every_s: float = 0.0) -> ChangeSeries:
        FiredFile(self.directory, "server-drain").create()
        control: Any = SimpleNamespace(
            new_guard=lambda *_: self.guard,
            require_survivor=lambda _: "",
            current=SimpleNamespace(
                directory=self.directory, save=lambda: self.saved.append(list(self.plan.changes))
            ),
            journal=None,
            clock=SimpleNamespace(now_us=lambda: 7),
            owners=self.owners,
            observer=SimpleNamespace(note=lambda _: None),
            run=SimpleNamespace(record_stop=self.stops.append, plan=self.plan),
            held=SimpleNamespace(
                is_running=self.is_felt,
                progress=HeldProgress,
                begin_change=lambda _: None,
                settle_change=self.settled.append,
            ),
        )
        prepared: Any = SimpleNamespace(
            recipe=SimpleNamespace(name="server-drain", heal=("true",)), description=SimpleNamespace(master="lb1")
        )
        timer: Any = SimpleNamespace(interrupted=False, look=self.look, wait=lambda *_: True)
        lock: Any = None
        return ChangeSeries(DrillSettings(change="server-drain", every_s=every_s), prepared, control, timer, lock)


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_changes, "SETTLE_S", 0.0)
    monkeypatch.setattr(make_changes, "BACK_S", 0.2)


def test_a_change_without_an_undo_is_reported_before_the_baseline() -> None:
    notes: list[str] = []
    prepared: Any = SimpleNamespace(recipe=SimpleNamespace(name="touch", heal=None), description=None)
    control: Any = SimpleNamespace(
        run=SimpleNamespace(), observer=SimpleNamespace(note=notes.append), lock_target=lambda: None
    )
    timer: Any = SimpleNamespace(phase=lambda name, _: notes.append(name))
    ChangesPlan(DrillSettings(change="touch"), prepared).run(control, timer)
    assert notes == ["touch cannot be undone: [change.touch] has no undo", "baseline"]


def test_a_change_that_is_in_force_again_after_its_undo_ends_the_series(tmp_path: Path) -> None:
    played = Played(tmp_path, PlayedGuard(at_close=NOT_HEALED))
    assert not played.series().make(1)
    (made,) = played.plan.changes
    assert made["error"] == NOT_HEALED
    with pytest.raises(Exception, match="server-drain"):
        FiredFile(tmp_path, "server-drain").require_absent()


def test_a_change_is_written_down_with_its_undo_although_the_prober_dies_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise SwitchoverError("the prober was killed by signal 9")

    monkeypatch.setattr(make_changes, "SETTLE_S", 9.0)
    played = Played(tmp_path, PlayedGuard(at_close=NOT_HEALED), look=die)
    with pytest.raises(SwitchoverError, match="signal 9"):
        played.series().make(1)
    (made,) = played.saved[-1]
    assert (made["from_us"], made["undone_us"], made["settled_us"], made["error"]) == (1, 6, None, NOT_HEALED)


def test_a_second_change_that_cannot_be_armed_ends_the_series_in_order(tmp_path: Path) -> None:
    played = Played(tmp_path)
    series = played.series()
    assert series.make(1)
    played.guard.refusal = "the nodes cannot be claimed"
    assert not series.make(2)
    assert played.stops == ["after 1 of 12 changes: the nodes cannot be claimed"]
    assert [made["number"] for made in played.plan.changes] == [1]


@pytest.mark.parametrize(("holds", "settled"), [(True, [1, 1]), (None, [1, 1]), (False, [1])])
def test_a_move_has_settled_only_when_the_address_is_back(
    tmp_path: Path, holds: bool | None, settled: list[int]
) -> None:
    played = Played(tmp_path, owners={"lb1": holds})
    goes_on = played.series().make(1)
    (made,) = played.plan.changes
    assert played.settled == settled
    if holds is False:
        assert not goes_on and made["error"].startswith("change 1 was undone, but")
        assert made["error"].endswith("the address is not back on lb1")
    else:
        assert goes_on and made["error"] is None


def test_without_a_held_load_all_of_its_time_belongs_to_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing tells when the last connection has left the old process."""
    now_s = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    monkeypatch.setattr(make_changes, "time", SimpleNamespace(monotonic=lambda: now_s, sleep=sleep))
    played = Played(tmp_path, is_felt=False)
    waited: list[float] = []
    played.look = lambda _name, left_s: waited.append(left_s)
    assert played.series(every_s=60.0).make(1)
    (made,) = played.plan.changes
    assert made["settled_us"] == 7 and played.settled == [1, 1]
    assert waited[0] == 30.0 and now_s >= 30.0
