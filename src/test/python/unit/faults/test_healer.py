"""A heal that fails, hangs or does nothing: what is tried next, and when it counts as healed."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.waiting import wait_for
from switchover.faults import healer
from switchover.faults.healer import Healer, HealResult, Undo
from switchover.process.command import CommandResult

LONG_S = 60.0


@pytest.fixture(autouse=True)
def times(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails is tried again at once; what takes long on a busy machine does not seem to hang."""
    for name, seconds in (("RETRY_S", 0.05), ("PATIENCE_S", LONG_S), ("VERIFY_S", LONG_S)):
        monkeypatch.setattr(healer, name, seconds)


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(healer, "PATIENCE_S", 0.2)


ONE_HANGS = "echo $$ >> pids; mkdir first 2>/dev/null && exec sleep 1000"
"""Of all heals that begin, whichever comes first; the pid of each is kept."""


@pytest.fixture(autouse=True)
def down(tmp_path: Path) -> Path:
    """The file that stands for the fault."""
    path = tmp_path / "down"
    path.touch()
    return path


def heal(place: Path, script: str, *, proof: Sequence[str] | None = None) -> HealResult:
    """`$n` is the number of the heal, from 1."""
    command = ("sh", "-c", f"cd '{place}' && echo heal >> log; n=$(grep -c heal log); {script}")
    verify = ("test", "!", "-e", str(place / "down")) if proof is None else proof
    return Healer(Undo("touch", command, verify or None)).run(LONG_S)


def count(place: Path) -> int:
    return (place / "log").read_text().count("heal")


def test_a_heal_that_works_is_run_once(tmp_path: Path) -> None:
    before_ns = time.monotonic_ns()
    result = heal(tmp_path, "rm down")
    assert result.is_healed and before_ns <= result.ended_ns <= result.proved_ns
    assert count(tmp_path) == 1


def test_one_for_which_there_is_no_thread_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, refused = threading.Thread.start, iter(range(2))

    def start_when_there_is_room(thread: threading.Thread) -> None:
        if next(refused, None) is not None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_when_there_is_room)
    noted: list[str] = []
    undo = Undo("touch", ("rm", str(tmp_path / "down")), ("test", "!", "-e", str(tmp_path / "down")))
    result = Healer(undo, note=lambda key, answer: noted.append(f"{key}: {answer}")).run(LONG_S)
    assert result.is_healed and not (tmp_path / "down").exists()
    # The proof may hold before the heal that worked has been seen to end.
    ends = [text for text in noted if text.startswith("heal")]
    refusal = "heal: `rm …`: cannot run: Resource temporarily unavailable"
    assert ends[:2] == [refusal, refusal] and ends[2:] in ([], ["heal: `rm …`: exit status 0"])


def test_one_that_fails_is_tried_again(tmp_path: Path) -> None:
    assert heal(tmp_path, "test $n -ge 4 && rm down").is_healed
    assert count(tmp_path) == 4


@pytest.mark.usefixtures("short_patience")
def test_beside_one_that_hangs_another_begins_and_ends_it(tmp_path: Path) -> None:
    assert heal(tmp_path, f"{ONE_HANGS} || rm -f down").is_healed
    assert count(tmp_path) >= 2
    pids = (tmp_path / "pids").read_text().split()
    wait_for(lambda: not any(Path("/proc", pid).exists() for pid in pids))


@pytest.mark.usefixtures("short_patience")
def test_what_a_heal_that_was_ended_has_left_half_done_is_healed_again(
    tmp_path: Path, down: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second heal works while the first hangs; and the end of the first breaks it again."""
    end = healer._Try.end

    def break_again(attempt: healer._Try) -> None:
        end(attempt)
        down.touch()

    monkeypatch.setattr(healer._Try, "end", break_again)
    assert heal(tmp_path, f"{ONE_HANGS} || rm -f down").is_healed
    assert not down.exists()
    assert count(tmp_path) >= 3


def test_one_that_succeeds_and_heals_nothing_is_run_again_once_its_proof_had_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(healer, "VERIFY_S", 0.2)
    assert heal(tmp_path, "test $n -lt 2 || rm -f down").is_healed
    assert count(tmp_path) >= 2


def test_a_proof_that_comes_late_gets_its_time(tmp_path: Path) -> None:
    assert heal(tmp_path, "(sleep 0.5; rm down) > /dev/null 2>&1 &").is_healed
    assert count(tmp_path) == 1


def test_a_proof_that_hangs_holds_up_no_heal(tmp_path: Path) -> None:
    hanging = ("sh", "-c", f"cd '{tmp_path}'; until test $(grep -c heal log) -ge 3; do sleep 0.02; done")
    assert heal(tmp_path, "false", proof=hanging).is_healed
    assert count(tmp_path) >= 3


def test_without_a_proof_the_exit_status_decides(tmp_path: Path) -> None:
    assert heal(tmp_path, "test $n -ge 2", proof=()).is_healed
    assert count(tmp_path) == 2


def test_when_its_time_is_over_it_says_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is over once the proof was asked, which it is when the heal has ended."""
    asked = tmp_path / "asked"

    class Time:
        monotonic_ns = staticmethod(time.monotonic_ns)

        @staticmethod
        def monotonic() -> float:
            return time.monotonic() + 2 * LONG_S * asked.exists()

    monkeypatch.setattr(healer, "time", Time)
    proof = ("sh", "-c", f"touch '{asked}'; exit 1")
    result = heal(tmp_path, "echo no way >&2; exit 7", proof=proof)
    assert not result.is_healed
    assert [(key, str(answer)) for key, answer in result.failures] == [
        ("heal", "`sh …`: exit status 7 (no way)"),
        ("verify_healed", "`sh …`: exit status 1"),
    ]


def test_it_ends_when_another_has_healed(tmp_path: Path) -> None:
    said: list[CommandResult] = []
    command = ("sh", "-c", f"echo heal >> '{tmp_path}/log'; exit 1")
    one = Healer(
        Undo("touch", command, ("false",)),
        note=lambda _key, answer: said.append(answer),
        is_over=lambda: len(said) > 2,
    )
    assert not one.run(LONG_S).is_healed
    # The next one may have begun before it was asked.
    assert count(tmp_path) <= 4
