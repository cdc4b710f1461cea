"""A series of changes beside a load that begins and ends elsewhere; the change touches files."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.guards import confirm_soon_or_never
from support.touching import Notes, play, prepared, recipe
from support.waiting import wait_for
from switchover.drill import make_changes
from switchover.drill.drill import Drill
from switchover.drill.options import DrillSettings
from switchover.drill.probe_settings import ProbeSettings
from switchover.drill.remote.plans import RemoteChangesPlan, RemoteCommand, RemoteCommands, Verb
from switchover.rundir.current_run import CurrentRun
from switchover.rundir.run_directory import Run
from switchover.target.model import Endpoint, FaultRecipe, Target

BEGIN, FINISH = RemoteCommand(Verb.BEGIN), RemoteCommand(Verb.FINISH)


@pytest.fixture(autouse=True)
def touched_files(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch)
    monkeypatch.setattr(make_changes, "SETTLE_S", 0.05)


class Conducted:
    """A drill that is told what its parent would say; a thread ends it when it has come so far."""

    def __init__(
        self,
        place: Path,
        *,
        times: int = 2,
        every_s: float = 0.2,
        dry_run: bool = False,
        change: FaultRecipe | None = None,
    ) -> None:
        self.commands, self.notes, self.run = RemoteCommands(), Notes(), Run(id="r", name="r")
        self._directory = place / "run"
        self._directory.mkdir()
        settings = DrillSettings(change="touch", times=times, every_s=every_s, fault_at_s=0.1, dry_run=dry_run)
        plan = RemoteChangesPlan(
            self.commands,
            settings,
            prepared(change or recipe(place)),
            ready=lambda _run: None,
        )
        plan.ending = ()
        probing = ProbeSettings(100.0, 0.0, 0.25, 1.0, 1.0)
        self._drill = Drill(
            Target(Endpoint("http://127.0.0.1:1/"), lab=place), None, probing, plan, observer=self.notes
        )

    @property
    def made(self) -> int:
        return len(self.run.plan.changes)

    def until(self, condition: Callable[[], bool], *commands: RemoteCommand) -> Run:
        def finish() -> None:
            wait_for(condition)
            self.commands.put(FINISH)

        for command in commands:
            self.commands.put(command)
        waiter = threading.Thread(target=finish)
        waiter.start()
        self._drill.run(CurrentRun(self._directory, self.run, self.notes.note))
        waiter.join()
        return self.run


def test_the_changes_come_after_the_load_began_and_the_run_waits_for_its_end(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path)
    run = conducted.until(lambda: "after" in conducted.notes.said, BEGIN)
    assert [(one["number"], one["error"], one["undone_us"] is not None) for one in run.plan.changes] == [
        (1, None, True), (2, None, True),
    ]  # fmt: skip
    assert run.stopped == "" and not (tmp_path / "down").exists()


def test_a_load_that_ends_before_all_are_made_stops_the_run(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, times=500)
    run = conducted.until(lambda: conducted.made >= 1, BEGIN)
    assert run.stopped.startswith("the load ended after ") and run.stopped.endswith(" of 500 changes")
    assert not (tmp_path / "down").exists()


def test_a_load_that_ends_in_the_middle_of_the_last_change_stops_the_run(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, times=1, every_s=60.0)
    run = conducted.until(lambda: conducted.made == 1, BEGIN)
    assert run.stopped == "the load ended in the middle of change 1 of 1"
    (made,) = run.plan.changes
    assert made["undone_us"] is not None and made["settled_us"] is None and not (tmp_path / "down").exists()


def test_a_load_that_never_begins_changes_nothing(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path)
    run = conducted.until(lambda: "ready" in conducted.notes.said)
    assert conducted.made == 0 and run.stopped == "the load ended after 0 of 2 changes"


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, dry_run=True)
    run = conducted.until(lambda: "after" in conducted.notes.said, BEGIN)
    assert conducted.made == 0 and run.dry_run and run.stopped == ""


def test_what_it_is_told_of_its_begin_counts_from_there(tmp_path: Path) -> None:
    """A begin long ago: the first change is due at once."""
    conducted = Conducted(tmp_path)
    conducted.until(lambda: conducted.made >= 1, replace(BEGIN, at_us=1))
    assert conducted.made >= 1


def test_a_change_that_cannot_be_taken_back_is_said_before_it_is_made(tmp_path: Path) -> None:
    lasting = replace(recipe(tmp_path), heal=None, verify_healed=None)
    conducted = Conducted(tmp_path, times=1, change=lasting)
    conducted.until(lambda: "after" in conducted.notes.said, BEGIN)
    said = conducted.notes.said
    assert said.index("touch cannot be taken back: [change.touch] has no undo") < said.index("baseline")
    assert [(one["undo_from_us"], one["error"]) for one in conducted.run.plan.changes] == [(None, None)]


def test_a_change_that_does_nothing_is_not_proved_and_ends_the_series(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm_soon_or_never(monkeypatch)
    idle = replace(recipe(tmp_path), kill=("true",))
    conducted = Conducted(tmp_path, times=3, change=idle)
    run = conducted.until(lambda: "after" in conducted.notes.said, BEGIN)
    (made,) = run.plan.changes
    assert made["confirmed_us"] is None and "not confirmed" in made["error"]
    assert run.stopped == ""
