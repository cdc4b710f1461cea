"""What a guard leaves on record: each step, in its words and with its moment, for the journal, the watchdog and its
caller. The watchdog here only remembers what it was told."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.guards import be_patient, give_up_after_one_heal, guard_of
from switchover.faults import guard as guard_module
from switchover.faults.guard import Guard
from switchover.faults.healer import Undo
from switchover.target.model import FaultRecipe

WATCHDOG_GOES_ON = "the watchdog continues for up to 6 hours (see watchdog.log)"
BY_HAND = "heal the fault by hand with the commands in [fault.touch] of the target file"


class Journal:
    def __init__(self) -> None:
        self.events: list[tuple[str, str, str, int]] = []
        self.ids: list[str] = []

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        self.events.append((kind, text, node, time_ns))
        self.ids.append(id)


class Watchdog:
    """In place of an UndoList."""

    outlook = WATCHDOG_GOES_ON
    has_died = False

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.is_well = True
        """What it says in the end."""
        self.began_with: tuple[Undo, Path, Sequence[int]] | None = None

    def __getattr__(self, name: str) -> Any:
        return lambda *said: self.told.append((name, *said))

    def beat(self, *said: Any) -> None:
        self.told.append(("beat", *said))
        if self.began_with is not None:
            (self.began_with[1] / "heard").touch()

    def close(self) -> bool:
        self.told.append(("close",))
        return self.is_well

    @property
    def steps(self) -> list[tuple[Any, ...]]:
        """What is said again and again, once."""
        return [one for place, one in enumerate(self.told) if one not in self.told[max(0, place - 1) : place]]


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def watchdog(monkeypatch: pytest.MonkeyPatch) -> Watchdog:
    told = Watchdog()

    def start(undo: Undo, directory: Path, inherited: Sequence[int] = ()) -> Watchdog:
        told.began_with = (undo, directory, inherited)
        return told

    monkeypatch.setattr(guard_module, "UndoList", start)
    return told


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a heal that fails once has failed."""
    be_patient(monkeypatch)
    give_up_after_one_heal(monkeypatch)
    monkeypatch.setattr(guard_module, "STAYS_DOWN_S", 0.0)
    monkeypatch.setattr(guard_module, "KILL_PATIENCE_S", 60.0)


@pytest.fixture
def fault(tmp_path: Path) -> FaultRecipe:
    down = str(tmp_path / "down")
    return FaultRecipe(
        name="touch",
        kill=("touch", down),
        heal=("rm", "-f", down),
        verify_down=("test", "-e", down),
        verify_healed=("test", "!", "-e", down),
    )


def until_heard(place: Path) -> str:
    """In a script: until the watchdog has heard that the runner is alive."""
    return f"until test -e '{place}/heard'; do sleep 0.01; done"


def guarded(what: FaultRecipe, journal: Journal, place: Path, **options: Any) -> Guard:
    return guard_of(what, place, journal=journal, **options)


def test_the_watchdog_hears_of_each_step_before_it_is_taken(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path
) -> None:
    group = tmp_path / "group"
    what = replace(fault, kill=("sh", "-c", f"echo $$ > '{group}'; touch '{tmp_path}/down'; {until_heard(tmp_path)}"))
    with guarded(what, journal, tmp_path, claim=("true",), release=("true",)) as guard:
        guard.arm()
        assert watchdog.steps == [("send", "claimed")]
        firing = guard.fire(heal_within_s=30.0)
        guard.beat()
        healing = guard.heal()
    assert journal.events == [
        ("fault", "touch: confirmed", "lb1", firing.from_us * 1000),
        ("heal", "touch: healed", "lb1", healing.from_us * 1000),
    ]
    runs, beats = ("send", f"group {group.read_text().strip()}"), ("beat", 30.0)
    assert [one for one in watchdog.steps if one not in (beats, ("healing",))] == [
        *(
            ("send", "claimed"),
            ("firing",),
            ("send", "within 30.000"),
            runs,
            ("send", "fired"),
            ("send", "within 30.000"),
        ),
        *(("beat",), ("send", "healed"), ("send", "released"), ("close",)),
    ]
    assert beats in watchdog.told[watchdog.told.index(runs) : watchdog.told.index(("send", "fired"))]
    assert ("healing",) in watchdog.told


def test_the_watchdog_hears_that_the_runner_is_alive_while_the_proof_runs(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def confirm(
        _command: Sequence[str], _given_up: object, _variables: object, stand_by: Callable[[], bool] = lambda: False
    ) -> tuple[int | None, str]:
        watchdog.told.append(("proof",))
        assert not stand_by()
        assert watchdog.told[-1] == ("beat", 30.0)
        return time.monotonic_ns(), ""

    monkeypatch.setattr(guard_module, "confirm_down", confirm)
    waits = f"cd '{tmp_path}' && test ! -e down || {{ rm -f heard; {until_heard(tmp_path)}; exit 1; }}"
    with guarded(replace(fault, verify_healed=("sh", "-c", waits)), journal, tmp_path) as guard:
        guard.arm()
        assert guard.fire(heal_within_s=30.0).error is None
        assert (tmp_path / "heard").exists(), "while the proof of the heal runs, too"
    assert ("proof",) in watchdog.told


def test_a_fault_without_an_end_promises_no_heal(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path
) -> None:
    kill = ("sh", "-c", f"touch '{tmp_path}/down'; {until_heard(tmp_path)}")
    with guarded(replace(fault, kill=kill), journal, tmp_path) as guard:
        guard.arm()
        guard.fire()
    assert {said for said in watchdog.told if said[0] == "beat"} == {("beat", None)}


def test_the_watchdog_has_all_that_it_needs_to_heal_without_the_guard(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path
) -> None:
    what = replace(
        fault,
        heal=("rm", "{master}"),
        verify_healed=("test", "{backup}"),
        verify_down=("x", "{master}"),
        disarm=("off", "{master}"),
        variables=("K",),
    )
    with guarded(what, journal, tmp_path, release=("free", "{backup}"), inherited=(7,)) as guard:
        guard.arm()
    undo = Undo("touch", ("rm", "lb1"), ("test", "lb2"), ("free", "lb2"), ("K",), ("x", "lb1"), ("off", "lb1"))
    assert watchdog.began_with == (undo, tmp_path, (7,))


@pytest.mark.parametrize("changes", [{"heal": None}, {"name": "haproxy-reload"}])
def test_what_heals_itself_is_not_looked_for_again(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path, changes: dict[str, Any]
) -> None:
    with guarded(replace(fault, **changes), journal, tmp_path) as guard:
        guard.arm()
    assert watchdog.began_with is not None and watchdog.began_with[0].down is None


@pytest.mark.parametrize(
    ("script", "last"),
    [("echo one; echo 1700000000.5", "1700000000.5"), ("sleep 0.2; echo done", "done")],
    ids=["of several", "of one that takes its time"],
)
def test_the_last_line_of_the_kill_is_kept(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path, script: str, last: str
) -> None:
    what = replace(fault, kill=("sh", "-c", f"touch '{tmp_path}/down'; {script}"))
    with guarded(what, journal, tmp_path) as guard:
        guard.arm()
        assert guard.fire().last_line == last


def test_a_heal_that_failed_is_tried_again_when_it_is_asked_for_again(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path
) -> None:
    what = replace(fault, heal=("sh", "-c", f"test -e '{tmp_path}/now' && rm '{tmp_path}/down'"))
    with guarded(what, journal, tmp_path) as guard:
        guard.arm()
        guard.fire()
        assert guard.heal().error is not None
        (tmp_path / "now").touch()
        assert guard.heal().error is None
    assert [kind for kind, *_ in journal.events] == ["fault", "warning", "heal"]


@pytest.mark.parametrize(
    ("heal_works", "is_well", "kind", "words"),
    [
        (True, True, None, None),
        (False, False, None, None),
        (False, True, "heal", "touch: finally healed by the watchdog"),
        (
            True,
            False,
            "warning",
            f"touch IS NOT HEALED: it was in force again after its heal; {WATCHDOG_GOES_ON}; {BY_HAND}",
        ),
    ],
)
def test_the_watchdog_has_the_last_word_where_it_differs(
    fault: FaultRecipe,
    journal: Journal,
    watchdog: Watchdog,
    tmp_path: Path,
    heal_works: bool,
    is_well: bool,
    kind: str | None,
    words: str | None,
) -> None:
    watchdog.is_well = is_well
    with guarded(fault if heal_works else replace(fault, heal=("false",)), journal, tmp_path) as guard:
        guard.arm()
        guard.fire()
    assert guard.watchdog_result == words
    assert [(kind, text, node) for kind, text, node, _ in journal.events[2:]] == (
        [(kind, words, "lb1")] if words else []
    )
    assert all(time_ns > 0 for *_, time_ns in journal.events)


def test_a_watchdog_that_died_has_no_last_word(fault: FaultRecipe, journal: Journal, tmp_path: Path) -> None:
    with guarded(fault, journal, tmp_path) as guard:
        guard.arm()
        guard.fire()
        assert guard._undo is not None
        guard._undo._process.kill()
        guard._undo._process.wait()
        assert guard.heal().error is None
    assert guard.watchdog_result is None
    assert journal.events[2][:2] == (
        "warning",
        f"touch: the watchdog has ended (exit status -9) and heals nothing (see {tmp_path}/watchdog.log); "
        "nothing checked whether the fault stayed healed",
    )


@pytest.mark.parametrize("disarm", [("true",), ("false",)])
def test_a_deadman_that_stays_armed_after_the_heal_is_a_warning(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path, disarm: tuple[str, ...]
) -> None:
    what = replace(fault, deadman=("true",), disarm=disarm)
    with guarded(what, journal, tmp_path, names={"master": ""}, event_id="3") as guard:
        guard.arm()
        guard.fire()
        assert guard.heal().error is None
    warnings = [text for kind, text, *_ in journal.events if kind == "warning"]
    failed = "[fault.touch] disarm: `false`: exit status"
    left = f"the dead-man of touch is not disarmed and will heal the node later: {failed}"
    assert warnings == ([] if disarm == ("true",) else [f"{left} 1"])
    assert {node for *_, node, _ in journal.events} == {""} and set(journal.ids) == {"3"}


def test_nodes_that_are_not_released_are_a_warning(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path
) -> None:
    with guarded(fault, journal, tmp_path, claim=("true",), release=("false",)) as guard:
        guard.arm()
    ((kind, text, node, time_ns),) = journal.events
    assert (kind, node) == ("warning", "lb1") and time_ns > 0
    assert text == "the nodes are not released: [target] release: `false`: exit status 1"
    assert watchdog.told == [("send", "claimed"), ("send", "released"), ("close",)]


def test_nodes_stay_claimed_until_the_fault_is_healed(
    fault: FaultRecipe, journal: Journal, watchdog: Watchdog, tmp_path: Path
) -> None:
    what, claims = replace(fault, heal=("false",)), {"claim": ("true",), "release": ("true",)}
    with guarded(what, journal, tmp_path, **claims) as guard:
        guard.arm()
        guard.fire()
    assert ("send", "released") not in watchdog.told
