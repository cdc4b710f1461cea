"""Modules that are mutated are there, and their tests; a reason is of a mutant that lives."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from mutants import java
from mutants.forks import BROKEN, Forks, Limits
from mutants.modules import MODULES, PACKAGE, files_of
from mutants.reasons import read_reasons
from mutants.rows import read_rows, table
from mutants.run import outcome_of
from mutants.tree import ROOT
from support.waiting import wait_for

TESTS = Path(__file__).parents[1]
AMPLE = Limits(60, 60)


def java_mutant(in_class: str, status: str, line: int = 1, index: int = 1) -> Element:
    return ElementTree.fromstring(
        f"<mutation status='{status}'><sourceFile>{in_class.partition('$')[0]}.java</sourceFile>"
        f"<mutatedClass>{java.PACKAGE}.judge.{in_class}</mutatedClass><mutatedMethod>length</mutatedMethod>"
        f"<lineNumber>{line}</lineNumber><mutator>org.pitest.mutators.MathMutator</mutator>"
        f"<indexes><index>{index}</index></indexes></mutation>"
    )


def test_each_module_and_its_tests_are_there() -> None:
    for module, tests in MODULES.items():
        assert files_of(module)
        assert all((TESTS / path).exists() for path in tests)
    packages = ROOT.joinpath("jmeter-plugins", "src", "main", "java", *java.PACKAGE.split("."))
    assert all((packages / room).is_dir() for room in java.ROOMS.values())


def test_a_folder_is_what_stands_in_it_less_what_is_a_module_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_of("model")
    monkeypatch.setattr("mutants.modules.MODULES", {**MODULES, "model/clock.py": ()})
    assert set(before) - set(files_of("model")) == {PACKAGE / "model" / "clock.py"}
    assert files_of("model/clock.py") == [PACKAGE / "model" / "clock.py"]


def test_a_reason_is_said_of_a_survivor() -> None:
    assert set(read_reasons()) <= {name for row in read_rows() for name in row["survivors"]}


def test_what_tries_the_mutants_imports_nothing_that_is_mutated() -> None:
    """It makes them in its own process, and would try what it had imported before."""
    code = "import sys, mutants.forks, mutants.reasons, mutants.tree; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], cwd=TESTS, check=True, capture_output=True, text=True)
    assert not [name for name in imported.stdout.split() if name.startswith("switchover")]


def test_mutants_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    codes = {"a": 1, "b": 0, "c": None, "d": -24, "e": 33, "f": -9, "g": -14}
    kept = tmp_path / "one.py.meta"
    kept.write_text(json.dumps({"exit_code_by_key": codes}))
    found = outcome_of([kept])
    assert (found.total, found.noticed, found.survivors) == (7, 4, ("b",))
    assert (found.counts["not tried"], found.counts["no tests"]) == (1, 1)


def test_mutants_of_java_are_named_by_method_and_change() -> None:
    states = ("KILLED", "SURVIVED", "TIMED_OUT", "NO_COVERAGE", "RUN_ERROR")
    found = java.outcome_of(java_mutant("Gap", state) for state in states)
    assert (found.total, found.noticed, found.counts["no tests"]) == (5, 3, 1)
    assert found.survivors == ("judge.Gap.length Math 2",)


def test_mutants_of_java_stand_in_the_order_of_the_code_by_the_file_that_they_are_in() -> None:
    places = ("Gap", 9, 1), ("Gap", 10, 30), ("Gap", 10, 4), ("Phase", 1, 1), ("Gap$Edge", 2, 1)
    found = java.by_class(java_mutant(name, "KILLED", line, index) for name, line, index in places)
    assert {name: [one.findtext("indexes/index") for one in mutants] for name, mutants in found.items()} == {
        "Gap": ["1", "4", "30", "1"],
        "Phase": ["1"],
    }


def test_small_classes_of_java_are_tried_together() -> None:
    counts = {"A": 20, "B": java.AT_ONCE - 20, "C": 1, "D": java.AT_ONCE + 1, "E": 1}
    assert list(java.batches(counts)) == [["A", "B"], ["C"], ["D"], ["E"]]


@pytest.mark.parametrize(
    ("states", "done"),
    [
        ([], False),
        (["KILLED", "TIMED_OUT"], True),
        (["KILLED", "NO_COVERAGE"], False),
        (["SURVIVED"], True),
        (["SURVIVED", "SURVIVED"], False),
    ],
)
def test_a_class_of_java_is_done_when_each_mutant_was_noticed_or_may_live(states: list[str], *, done: bool) -> None:
    explained = {"judge.Gap.length Math 1"}
    assert java.is_done([java_mutant("Gap", state) for state in states], explained) == done


def test_a_room_of_java_keeps_what_was_done_when_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And `again` goes on with what is left, or has changed since."""
    tried: list[list[str]] = []
    until_it_is_up = iter([True, False, True, True])

    def run(room: java.Room, classes: Iterable[str], *more: str) -> list[Element] | None:
        if more:
            return [java_mutant(name, "NOT_STARTED") for name in ("Gap", "Phase") for _ in range(java.AT_ONCE)]
        if not next(until_it_is_up):
            return None
        tried.append(list(classes))
        return [java_mutant(tried[-1][0], "KILLED") for _ in range(java.AT_ONCE)]

    monkeypatch.setattr(java, "BUILD", tmp_path)
    monkeypatch.setattr(java.Room, "run", run)
    found = java.try_mutants("java:judge", 1, 1, again=False)
    assert (found.noticed, found.counts["not tried"]) == (java.AT_ONCE, java.AT_ONCE)
    assert capsys.readouterr().out == "java:judge: not tried: Phase\n"
    os.utime(tmp_path / "java-judge" / "Gap.xml", (0, 0))
    found = java.try_mutants("java:judge", 1, 1, again=True)
    assert (found.noticed, found.counts["not tried"]) == (2 * java.AT_ONCE, 0)
    assert tried == [["Gap", "Gap$*"], ["Gap", "Gap$*"], ["Phase", "Phase$*"]]
    java.try_mutants("java:judge", 1, 1, again=True)
    assert len(tried) == 3


def test_the_share_is_of_those_that_were_tried() -> None:
    row = {
        "module": "m.py", "day": "2026-01-01", "mutants": 11, "noticed": 9, "survivors": ["x"], "without_tests": 0,
        "not_tried": 1,
    }  # fmt: skip
    made = table([row], {"x": "why"})
    assert "| 11 | 9 | 90% | 1, 1 | 0 | 1 |" in made
    assert "| `m.py` | 1 | why |" in made


def test_work_that_never_ends_or_breaks_is_told_from_work_that_is_done() -> None:
    def spin() -> int:
        while True:
            pass

    codes: dict[str, int] = {}
    forks = Forks(2)
    forks.begin(lambda: 0, lambda code: codes.update(done=code), AMPLE)
    forks.begin(lambda: 1 // 0, lambda code: codes.update(broken=code), AMPLE)
    forks.begin(spin, lambda code: codes.update(spun=code), Limits(cpu_s=1, time_s=60))
    forks.begin(lambda: subprocess.call(["sleep", "60"]), lambda code: codes.update(waited=code), Limits(60, 1))
    forks.wait()
    forks.close()
    assert codes == {"done": 0, "broken": BROKEN, "spun": -24, "waited": -14}


def test_what_work_leaves_behind_is_ended(tmp_path: Path) -> None:
    """A mutant may leave running what its tests are to end."""
    pid = tmp_path / "pid"

    def leave() -> int:
        with tempfile.TemporaryDirectory() as place:
            left = subprocess.Popen(["sleep", "60"], cwd=place, start_new_session=True)
            pid.write_text(str(left.pid))
        return 0

    forks = Forks(1)
    forks.begin(leave, lambda code: None, AMPLE)
    forks.wait()
    forks.close()
    wait_for(lambda: not Path("/proc", pid.read_text()).exists())
