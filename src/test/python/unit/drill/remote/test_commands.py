"""A drill under remote control: what it is told, when, and what it refuses; with a fault of touched files."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

import pytest

from support.guards import confirm_soon_or_never
from support.touching import Notes, Playing, play, prepared, recipe
from switchover.drill.drill import Drill
from switchover.drill.options import DrillSettings
from switchover.drill.remote.plans import RemoteCommand, RemotePlan
from switchover.faults.mechanism import PreparedFault
from switchover.model.clock import Clock
from switchover.model.errors import FaultError
from switchover.prober import ProberProgress
from switchover.rundir.run_directory import CurrentRun, Run
from switchover.target.model import Endpoint, FaultRecipe, Target

BEGIN, HEAL, FINISH = RemoteCommand("begin"), RemoteCommand("heal"), RemoteCommand("finish")
FIRE = RemoteCommand("fire")
PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def touched_files(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch)


@dataclass
class Conducted:
    """A drill that follows commands on a thread of its own; the test tells them, or has told them before."""

    place: Path
    what: FaultRecipe
    promised: bool = True
    fault_at_s: float | None = None
    heal_at_s: float | None = None

    def __post_init__(self) -> None:
        self.commands: SimpleQueue[RemoteCommand] = SimpleQueue()
        self.notes = Notes()
        self.run_ = Run(id="r", name="r")
        self.directory = self.place / "run"
        self.directory.mkdir()
        settings = DrillSettings(
            fault="touch" if self.promised else None, fault_at_s=self.fault_at_s, heal_at_s=self.heal_at_s
        )
        self.ready = threading.Event()
        plan = RemotePlan(self.commands, settings, prepare=self.prepare, ready=lambda _run: self.ready.set())
        plan.ending = ()
        self.drill = Drill(
            Target(Endpoint("http://127.0.0.1:1/")),
            prepared(self.what) if self.promised else None,
            plan,
            self.notes,
            DrillSettings(),
        )

    def prepare(self, name: str, owners: Mapping[str, bool | None]) -> PreparedFault:
        if name != "touch":
            raise FaultError(f"no fault {name}")
        return prepared(self.what)

    def told(self, *commands: RemoteCommand) -> Run:
        """All of them at once: they are followed in order."""
        for command in commands:
            self.commands.put(command)
        self.drill.run(CurrentRun(self.directory, self.run_, self.notes.note))
        return self.run_

    def until(self, condition: Callable[[Run], bool], *commands: RemoteCommand) -> Run:
        """Those first, and the last when the run has come to it."""

        def finish() -> None:
            give_up = time.monotonic() + PATIENCE_S
            while not condition(self.run_) and time.monotonic() < give_up:
                time.sleep(0.01)
            self.commands.put(FINISH)

        waiter = threading.Thread(target=finish)
        waiter.start()
        self.told(*commands)
        waiter.join()
        return self.run_

    @property
    def error(self) -> str:
        return (self.run_.fault and self.run_.fault.error) or ""


def test_cues_are_followed_in_order(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, recipe(tmp_path))
    run = conducted.told(BEGIN, FIRE, HEAL, FINISH)
    assert conducted.notes.said == [
        "ready", "baseline", "fault", "fired touch on the target", "switchover", "heal", "failback", "finishing",
    ]  # fmt: skip
    plan = run.plan
    assert plan.start_us and plan.fired_from_us and plan.confirmed_us and plan.heal_from_us and plan.healed_us
    assert plan.start_us <= plan.fired_from_us <= plan.confirmed_us <= plan.heal_from_us <= plan.healed_us
    assert plan.end_us is not None and plan.end_us >= plan.healed_us
    assert conducted.error == "" and conducted.ready.is_set()


def test_fault_and_heal_come_so_long_after_the_load_began(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, recipe(tmp_path), fault_at_s=0.3, heal_at_s=1.5)
    began_us = Clock.of_process().now_us() + 200_000
    run = conducted.until(lambda run: run.plan.healed_us is not None, replace(BEGIN, at_us=began_us))
    assert run.plan.fired_from_us is not None and run.plan.heal_from_us is not None
    assert run.plan.fired_from_us >= began_us + 300_000
    assert run.plan.heal_from_us >= began_us + 1_500_000
    assert conducted.error == ""


def test_what_is_still_broken_at_the_end_is_healed_when_the_run_is_over(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, recipe(tmp_path))
    plan = conducted.told(BEGIN, FIRE, FINISH).plan
    assert plan.healed_us is not None and plan.heal_from_us is not None and plan.end_us is not None
    assert plan.heal_from_us >= plan.end_us, "no failback was measured, and none is claimed"
    assert not (tmp_path / "down").exists()


def test_a_fault_is_fired_once_a_run(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, recipe(tmp_path))
    conducted.told(BEGIN, FIRE, HEAL, FIRE, FINISH)
    assert any("was already fired" in text for text in conducted.notes.said)
    assert conducted.error == ""


@pytest.mark.parametrize(
    ("command", "said"), [(RemoteCommand("fire", "nosuch"), "no fault nosuch"), (FIRE, "no fault was chosen")]
)
def test_a_refusal_is_a_note_and_the_run_stays_one_without_a_fault(
    tmp_path: Path, command: RemoteCommand, said: str
) -> None:
    conducted = Conducted(tmp_path, recipe(tmp_path), promised=False)
    run = conducted.told(BEGIN, command, FINISH)
    assert any(said in text for text in conducted.notes.said)
    assert run.fault is not None and run.fault.kind == "none" and conducted.error == ""


def test_a_promised_fault_that_is_refused_is_why_the_run_is_invalid(tmp_path: Path) -> None:
    Playing.says = ProberProgress(sent=9, good=8, failed=1, last_error="refused")
    conducted = Conducted(tmp_path, recipe(tmp_path))
    run = conducted.told(BEGIN, FIRE, FINISH)
    assert "was not healthy in the baseline" in conducted.error
    assert run.plan.fired_from_us is None and run.plan.end_us is not None


def test_a_fault_that_is_not_confirmed_is_healed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    confirm_soon_or_never(monkeypatch)
    conducted = Conducted(tmp_path, replace(recipe(tmp_path), verify_down=("false",)))
    run = conducted.until(lambda run: run.plan.heal_from_us is not None, BEGIN, FIRE)
    assert "is not confirmed" in conducted.error
    assert run.plan.end_us is not None and run.plan.heal_from_us is not None
    assert run.plan.heal_from_us < run.plan.end_us


def test_a_prober_that_dies_leaves_nothing_broken_and_the_run_goes_on_to_its_end(tmp_path: Path) -> None:
    conducted = Conducted(tmp_path, recipe(tmp_path))

    def healed_by_itself(run: Run) -> bool:
        if run.plan.confirmed_us is not None:
            Playing.died = "the prober was killed by signal 9"
        return run.plan.healed_us is not None

    conducted.until(healed_by_itself, BEGIN, FIRE)
    assert "the prober was killed by signal 9" in conducted.error
    assert not (tmp_path / "down").exists()
