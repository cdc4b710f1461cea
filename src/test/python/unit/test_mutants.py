"""Modules that are mutated are there, and their tests; a reason is of a mutant that lives."""

import json
import subprocess
import tempfile
from pathlib import Path

from mutants import java
from mutants.forks import BROKEN, Forks, Limits
from mutants.modules import MODULES, PACKAGE, files_of
from mutants.rows import read_reasons, read_rows, table
from mutants.run import outcome_of
from mutants.tree import ROOT
from support.waiting import wait_for

TESTS = Path(__file__).parents[1]
AMPLE = Limits(60, 60)


def test_each_module_and_its_tests_are_there() -> None:
    for module, tests in MODULES.items():
        assert files_of(module)
        assert all((TESTS / path).exists() for path in tests)
    packages = ROOT.joinpath("jmeter-plugins", "src", "main", "java", *java.PACKAGE.split("."))
    assert all((packages / room).is_dir() for room in java.ROOMS.values())


def test_a_folder_is_what_stands_in_it_less_what_is_a_module_of_its_own() -> None:
    assert PACKAGE / "analysis" / "verdict.py" in files_of("analysis")
    assert not set(files_of("analysis")) & set(files_of("analysis/outage.py"))


def test_a_reason_is_said_of_a_survivor() -> None:
    assert set(read_reasons()) <= {name for row in read_rows() for name in row["survivors"]}


def test_mutants_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    codes = {"a": 1, "b": 0, "c": None, "d": -24, "e": 33, "f": -9, "g": -14}
    kept = tmp_path / "one.py.meta"
    kept.write_text(json.dumps({"exit_code_by_key": codes}))
    found = outcome_of([kept])
    assert (found.total, found.noticed, found.survivors) == (7, 4, ("b",))
    assert (found.counts["not tried"], found.counts["no tests"]) == (1, 1)


def test_mutants_of_java_are_named_by_method_and_change(tmp_path: Path) -> None:
    report = tmp_path / "mutations.xml"
    mutation = (
        "<mutation status='{}'><mutatedClass>io.github.switchover.jmeter.judge.Gap</mutatedClass>"
        "<mutatedMethod>length</mutatedMethod><mutator>org.pitest.mutators.MathMutator</mutator></mutation>"
    )
    states = ("KILLED", "SURVIVED", "TIMED_OUT", "NO_COVERAGE", "RUN_ERROR")
    report.write_text(f"<mutations>{''.join(map(mutation.format, states))}</mutations>")
    found = java.outcome_of(report)
    assert (found.total, found.noticed, found.counts["no tests"]) == (5, 3, 1)
    assert found.survivors == ("judge.Gap.length Math 2",)


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
