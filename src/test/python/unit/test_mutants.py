"""Modules that are mutated are there, and their tests; a reason is of a mutant that lives."""

import json
from pathlib import Path

from mutants.modules import MODULES
from mutants.rows import read_reasons, read_rows, table
from mutants.run import ROOT, outcome_of

TESTS = Path(__file__).parents[1]


def test_each_module_and_its_tests_are_there() -> None:
    for module, tests in MODULES.items():
        assert (ROOT / "locust-plugins" / "switchover" / module).exists()
        assert all((TESTS / path).exists() for path in tests)


def test_a_reason_is_said_of_a_survivor() -> None:
    assert set(read_reasons()) <= {name for row in read_rows() for name in row["survivors"]}


def test_mutants_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    codes = {"a": 1, "b": 0, "c": None, "d": 36, "e": 33, "f": -9}
    (tmp_path / "mutants").mkdir()
    (tmp_path / "mutants" / "one.py.meta").write_text(json.dumps({"exit_code_by_key": codes}))
    found = outcome_of(tmp_path)
    assert (found.total, found.noticed, found.survivors) == (6, 3, ("b",))
    assert (found.counts["not tried"], found.counts["no tests"]) == (1, 1)


def test_the_share_is_of_those_that_were_tried() -> None:
    row = {
        "module": "m.py", "day": "2026-01-01", "mutants": 11, "noticed": 9, "survivors": ["x"], "without_tests": 0,
        "not_tried": 1,
    }  # fmt: skip
    made = table([row], {"x": "why"})
    assert "| 11 | 9 | 90% | 1, 1 | 0 | 1 |" in made
    assert "| `m.py` | 1 | why |" in made
