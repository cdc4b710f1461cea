"""A seed names one case; each misfortune has its turn; and a false accusation does not pass."""

import json
from pathlib import Path

import pytest

from torture.case import RUN_S, case_of
from torture.catalogue import MISFORTUNES
from torture.checks import accused


def test_a_seed_names_the_same_case_each_time() -> None:
    assert case_of(17) == case_of(17)


def test_each_misfortune_has_its_turn_under_a_load_that_it_can_come_under() -> None:
    cases = [case_of(seed) for seed in range(len(MISFORTUNES))]
    assert {case.misfortunes[0] for case in cases} == set(MISFORTUNES)
    for case in cases:
        assert all(case.generator in MISFORTUNES[name].generators for name in case.misfortunes)
        assert all(0 <= moment_s <= RUN_S for moment_s in case.moments_s)


@pytest.mark.parametrize(
    ("unexplained", "exit_code", "is_problem"),
    [(294, 1, True), (294, 2, False), (0, 0, False), (None, 0, False)],
)
def test_a_trusted_difference_that_nobody_made_is_a_problem(
    tmp_path: Path, unexplained: int | None, exit_code: int, is_problem: bool
) -> None:
    lines = [{"name": "web1", "unexplained": unexplained}]
    verdict = {"exit_code": exit_code, "reconciliation": {"unexplained": unexplained, "lines": lines}}
    (tmp_path / "verdict.json").write_text(json.dumps(verdict), encoding="utf-8")
    assert bool(list(accused(tmp_path))) is is_problem
