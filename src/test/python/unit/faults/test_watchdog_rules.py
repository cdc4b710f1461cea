"""What the watchdog makes of what it is told: with a clock of the test's own, and nothing that is started."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.journals import read_journal
from support.watchdogs import watchdog_says
from switchover.faults import watchdog as watchdog_module
from switchover.faults.healer import RETRY_S, VERIFY_S, HealResult, Undo
from switchover.faults.watchdog import (
    JOURNAL_FILE,
    LOG_FILE,
    LONGEST_S,
    OVERDUE_S,
    SILENT_S,
    WATCH_S,
    Watchdog,
    WatchdogLog,
)
from switchover.process.command import CommandResult

HEAL, PROOF, DOWN, RELEASE = ("heal",), ("proof",), ("down",), ("release",)
TOUCH = Undo("touch", HEAL, PROOF, RELEASE, ("HOME",), DOWN)


@dataclass
class Hands:
    """In place of the clock, of every command, of the healer and of what the kill has left."""

    now_s: float = 1000.0
    holds: dict[tuple[str, ...], bool] = field(default_factory=dict)
    """By command, whether it succeeds."""
    heals: list[bool] = field(default_factory=list)
    """Whether each heal works, in turn."""
    while_it_heals: Callable[[], object] = lambda: None
    done: list[str] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        if seconds:
            self.now_s += seconds
            self.done.append(f"sleep {seconds:g}")

    time_ns, strftime, gmtime = staticmethod(time.time_ns), staticmethod(time.strftime), staticmethod(time.gmtime)

    def run_command(
        self, command: tuple[str, ...], timeout_s: float = 0.0, *, variables: Any = (), background: bool = False
    ) -> CommandResult:
        """A proof is asked for beside all else, for so long at most; the nodes are given back as usual."""
        assert tuple(variables) == ("HOME",)
        assert (timeout_s, background) == ((0.0, False) if command == RELEASE else (VERIFY_S, True))
        self.done.append(" ".join(command))
        return CommandResult(command[0], 0 if self.holds[tuple(command)] else 1, "")

    def healer(self, undo: Undo, **told: Any) -> "Hands":
        assert undo.heal == HEAL
        told["note"]("heal", CommandResult("heal", 1, ""))
        self.is_over = told["is_over"]
        return self

    def run(self, limit_s: float) -> HealResult:
        assert limit_s == LONGEST_S
        self.done.append("heal")
        result = HealResult(not self.is_over() and self.heals.pop(0), 0, 0)
        self.while_it_heals()
        return result

    def look(self) -> None:
        self.done.append("look")

    def end(self) -> None:
        self.done.append("end")

    def belong_to(self, group: int) -> None:
        self.done.append(f"group {group}")


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    hands = Hands()
    monkeypatch.setattr(watchdog_module, "time", hands)
    monkeypatch.setattr(watchdog_module, "run_command", hands.run_command)
    monkeypatch.setattr(watchdog_module, "Healer", hands.healer)
    return hands


@pytest.fixture
def dog(hands: Hands, tmp_path: Path) -> Iterator[Watchdog]:
    """Of a fault of touched files, whose runner has said nothing else yet; `_pipe` is open."""
    reader, writer = os.pipe()
    log = WatchdogLog(tmp_path / LOG_FILE)
    dog = Watchdog(log, os.getppid(), reader)
    dog._leftovers = hands  # type: ignore[assignment]
    dog._undo = TOUCH
    yield dog
    log.close()
    os.close(reader)
    os.close(writer)


def said(dog: Watchdog, place: Path) -> list[str]:
    """The lines of its log, without their times."""
    dog._log.close()
    return [line.partition(" ")[2] for line in watchdog_says(place).splitlines()]


def follow(dog: Watchdog, *lines: str) -> None:
    for line in lines:
        dog._follow(line.encode())


@pytest.mark.parametrize(
    ("lines", "seconds", "why"),
    [
        ([], 9_999.0, None),
        (["firing"], SILENT_S, None),
        (["firing"], SILENT_S + 0.5, "it was silent for 20.5 s"),
        (["firing", "within 5.000"], 5 + OVERDUE_S, None),
        (["firing", "within 5.000"], 5.5 + OVERDUE_S, "its heal is overdue by 2.5 s"),
        (["firing", "within 60.000"], SILENT_S + 1, "it was silent for 21.0 s"),
        (["firing", "within 60.000", "healing"], OVERDUE_S, None),
        (["firing", "within 60.000", "healing"], OVERDUE_S + 1, "its heal is overdue by 3.0 s"),
        (["firing", "healing", "healed"], 9_999.0, None),
    ],
)
def test_a_runner_hangs_when_it_is_silent_or_its_heal_is_overdue(
    dog: Watchdog, hands: Hands, lines: list[str], seconds: float, why: str | None
) -> None:
    follow(dog, *lines)
    hands.now_s += seconds
    assert dog._why_it_hangs() == why


def test_a_runner_that_is_gone_does_not_hang_and_one_that_was_healed_for_does_neither(
    dog: Watchdog, hands: Hands
) -> None:
    follow(dog, "firing")
    hands.now_s += SILENT_S + 1
    pipe, dog._pipe = dog._pipe, None
    assert dog._why_it_hangs() is None
    dog._pipe, dog._is_mended = pipe, True
    assert dog._why_it_hangs() is None


@pytest.mark.parametrize(
    ("healed", "mended", "proof", "down", "again"),
    [
        (True, False, False, True, True),
        (False, True, False, True, True),
        (True, False, True, True, False),
        (True, False, False, False, False),
        (True, False, True, False, False),
        (False, False, False, True, False),
    ],
)
def test_a_fault_is_in_force_again_where_both_its_proofs_say_so(
    dog: Watchdog, hands: Hands, tmp_path: Path, healed: bool, mended: bool, proof: bool, down: bool, again: bool
) -> None:
    hands.holds |= {PROOF: proof, DOWN: down}
    dog.healed, dog._is_mended = healed, mended
    assert dog._is_in_force_again() is again
    if not again:
        assert dog.healed is healed
        return
    assert not dog.healed
    assert said(dog, tmp_path) == ["touch was in force again after its heal: the watchdog heals the fault again"]
    (point,) = read_journal([tmp_path / JOURNAL_FILE])
    assert point.tags == {"run": tmp_path.name, "kind": "warning"}
    assert point.fields == {"text": "touch was in force again after its heal: the watchdog heals the fault again"}


def test_it_looks_again_after_a_while_and_once_more_at_the_end(dog: Watchdog, hands: Hands) -> None:
    hands.holds |= {PROOF: True, DOWN: False}
    dog.healed = True
    looked = []
    for seconds in (0.0, WATCH_S / 2, WATCH_S / 2, WATCH_S / 2):
        hands.now_s += seconds
        before = len(hands.done)
        assert dog._is_in_force_again() is False
        looked.append(len(hands.done) > before)
    assert looked == [True, False, True, False]
    dog._pipe = None
    dog._is_in_force_again()
    assert hands.done[-1] == "proof"


def test_a_heal_that_never_works_is_left_to_the_user(dog: Watchdog, hands: Hands, tmp_path: Path) -> None:
    hands.heals = [False]
    assert dog._heal() is False
    assert said(dog, tmp_path)[-1] == "touch is NOT HEALED after 6 hours: heal the fault by hand"


def test_a_fault_whose_kill_may_still_run_is_healed_twice(dog: Watchdog, hands: Hands) -> None:
    follow(dog, "firing")
    hands.heals = [True, True]
    assert dog._heal() is True
    assert hands.done == ["end", "heal", f"sleep {RETRY_S:g}", "heal"]
    assert dog._kill_may_run is False


def test_what_heals_itself_and_is_not_proved_needs_nothing(dog: Watchdog, hands: Hands, tmp_path: Path) -> None:
    dog._undo = Undo("touch")
    assert dog._heal() is True
    assert hands.done == []
    assert said(dog, tmp_path) == ["touch has no heal command, so the watchdog does nothing"]


def test_a_runner_that_heals_meanwhile_has_the_last_word(dog: Watchdog, hands: Hands, tmp_path: Path) -> None:
    hands.heals = [False]
    follow(dog, "healed")
    assert dog._heal() is True
    assert "HEALED" not in "".join(said(dog, tmp_path))


def ends(dog: Watchdog) -> bool:
    """The runner's pipe ends, and the watchdog follows it to its own end."""
    dog._pipe = None
    return dog.watch()


@pytest.mark.parametrize(
    ("lines", "heals", "done", "is_well"),
    [
        ([], [], [], True),
        (["firing", "fired"], [True], ["end", "heal"], True),
        (["firing", "fired"], [False], ["end", "heal"], False),
        (["firing", "fired", "healed"], [], ["proof"], True),
        (["claimed"], [], ["release"], True),
        (["claimed", "firing", "fired"], [True], ["end", "heal", "release"], True),
        (["claimed", "firing", "fired", "healed", "released"], [], ["proof"], True),
    ],
)
def test_when_the_runner_is_gone_what_it_fired_is_healed_and_what_it_claimed_is_given_back(
    dog: Watchdog, hands: Hands, lines: list[str], heals: list[bool], done: list[str], is_well: bool
) -> None:
    hands.holds |= {PROOF: True, DOWN: False, RELEASE: True}
    hands.heals = heals
    follow(dog, *lines)
    assert ends(dog) is is_well
    assert hands.done == done


def test_a_line_may_come_in_pieces_and_several_at_once(dog: Watchdog, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    dog._pipe = reader
    os.write(writer, b"claimed\nfir")
    dog._read(0.0)
    assert (dog._is_claimed, dog.fired) == (True, False)
    os.write(writer, b"ing\nhealed\n")
    dog._read(0.0)
    assert (dog.fired, dog.healed) == (True, True)
    os.close(writer)
    dog._read(0.0)
    os.close(reader)
    assert said(dog, tmp_path)[-1] == "the runner is dead: its pipe has closed"


def test_a_runner_with_another_parent_than_at_the_start_is_gone(dog: Watchdog, tmp_path: Path) -> None:
    dog._parent = -1
    dog._read(0.0)
    assert dog._pipe is None
    assert said(dog, tmp_path) == ["the runner is dead: process -1 is no longer the parent of the watchdog"]


@pytest.fixture
def runner(dog: Watchdog) -> Iterator[int]:
    """The runner's end of the pipe that `watch` reads; a test closes it."""
    reader, writer = os.pipe()
    dog._pipe = reader
    yield writer
    os.close(reader)


@pytest.mark.parametrize("works", [True, False])
def test_a_runner_that_hangs_is_healed_for_once_and_watched_on(
    dog: Watchdog, hands: Hands, runner: int, tmp_path: Path, works: bool
) -> None:
    hands.heals, hands.while_it_heals = [works], lambda: os.close(runner)
    hands.holds |= {PROOF: True}
    follow(dog, "firing", "fired", "within 5.000")
    hands.now_s += 8
    assert dog.watch() is works
    assert hands.done == ["look", "end", "heal", "look", "proof", "proof"]
    assert said(dog, tmp_path)[1] == "the runner hangs: its heal is overdue by 3.0 s"


@pytest.mark.parametrize("works", [True, False])
def test_what_comes_back_while_the_runner_lives_is_healed_at_once(
    dog: Watchdog, hands: Hands, runner: int, works: bool
) -> None:
    def healed() -> None:
        hands.holds |= {PROOF: True}
        os.close(runner)

    hands.heals, hands.while_it_heals = [works], healed
    hands.holds |= {PROOF: False, DOWN: True}
    follow(dog, "firing", "fired", "healed")
    assert dog.watch() is works
    assert hands.done == ["look", "proof", "down", "end", "heal", "look", "proof", "proof"]


def test_what_came_back_unseen_is_healed_at_the_end(dog: Watchdog, hands: Hands) -> None:
    hands.heals, hands.holds = [False], {PROOF: False, DOWN: True}
    follow(dog, "firing", "fired", "healed")
    assert ends(dog) is False
    assert hands.done == ["proof", "down", "end", "heal"]


def test_its_work_is_done_when_all_is_healed_and_given_back_and_nothing_can_come_back(
    dog: Watchdog, hands: Hands, runner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look() -> None:
        hands.done.append("look")
        if hands.done == ["look", "look"]:
            os.write(runner, b"released\n")

    monkeypatch.setattr(hands, "look", look)
    monkeypatch.setattr(watchdog_module, "LOOK_S", 0.01)
    dog._undo = Undo("touch", HEAL, PROOF)
    os.write(runner, b"claimed\nfiring\nfired\nhealed\n")
    assert dog.watch() is True
    assert hands.done == ["look", "look", "look"]
    os.close(runner)


def test_a_disk_that_is_full_ends_no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, done = list[Any](), list[str]()
    monkeypatch.setattr("threading.excepthook", broken.append)
    log = WatchdogLog(Path("/dev/full"))
    log.note("one")
    log._lines.put(lambda: done.append("a line later"))
    log.close()
    assert (done, broken, log._thread.is_alive()) == (["a line later"], [], False)


def test_a_journal_that_cannot_be_written_ends_no_log(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).mkdir()
    log = WatchdogLog(tmp_path / LOG_FILE)
    log.note_event("heal", "touch: healed by the watchdog")
    log.note("one more")
    log.close()
    assert [line.partition(" ")[2] for line in watchdog_says(tmp_path).splitlines()] == [
        "touch: healed by the watchdog",
        "one more",
    ]
