"""A seed names one case; each misfortune has its turn; and a false accusation does not pass."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from chaos import __main__ as chaos
from chaos.case import RUN_S, Case, case_of
from chaos.catalogue import MISFORTUNES
from chaos.checks import accused, refuted, unseen
from chaos.play import Outcome
from chaos.rows import table
from support.capture import Answer


def test_a_seed_names_the_same_case_each_time() -> None:
    assert case_of(17) == case_of(17)


def test_each_misfortune_has_its_turn_under_a_load_that_it_can_come_under() -> None:
    cases = [case_of(seed) for seed in range(len(MISFORTUNES))]
    assert {case.misfortunes[0] for case in cases} == set(MISFORTUNES)
    for case in cases:
        assert all(case.generator in MISFORTUNES[name].generators for name in case.misfortunes)
        assert all(0 <= moment_s <= RUN_S for moment_s in case.moments_s)


class FakeLab:
    started: list["FakeLab"]

    def __init__(self, spec: object) -> None: ...

    def __enter__(self) -> "FakeLab":
        return self.start()

    def __exit__(self, *_: object) -> None: ...

    def start(self) -> "FakeLab":
        self.started.append(self)
        return self

    def stop(self) -> None: ...


def test_each_case_is_told_and_one_that_broke_off_does_not_hold_and_costs_its_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(lab: FakeLab, case: Case, folder: Path) -> Outcome:
        if case.seed == 3:
            raise AssertionError("what it needs is not there")
        return Outcome(case, ("MEASURED",), (0,), "", ())

    FakeLab.started = []
    monkeypatch.setattr(chaos, "Lab", FakeLab)
    monkeypatch.setattr(chaos, "play", play)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    outcomes = {outcome.case.seed: outcome.problems for outcome in chaos._try([1, 2, 3, 4, 5], at_once=2)}
    assert outcomes.pop(3) == ("could not be played: AssertionError: what it needs is not there",)
    assert outcomes == {1: (), 2: (), 4: (), 5: ()}
    assert len(FakeLab.started) == 3 and len(set(FakeLab.started)) == 2
    (kept,) = tmp_path.iterdir()
    assert "in play" in (kept / "broke-off.txt").read_text(encoding="utf-8")


def test_the_next_cases_are_the_seeds_that_have_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos, "read_rows", lambda: [{"seed": seed} for seed in (1, 2, 4, 2002)])
    assert chaos._next_seeds(1, None)[:3] == [3, 5, 6] and len(chaos._next_seeds(1, None)) == chaos.CASES
    assert chaos._next_seeds(2001, 4) == [2001, 2003, 2004]


def test_the_table_tells_of_each_series_how_many_held() -> None:
    rows = [
        {"seed": seed, "misfortunes": ["disk-is-full"], "statuses": ["MEASURED"], "problems": ["a"] * (seed == 2002)}
        for seed in (1, 2, 2001, 2002)
    ]
    assert table(rows).splitlines()[-1] == "4 cases, 3 held: seeds 1 to 2, 2 of 2; seeds 2001 to 2002, 1 of 2."


@pytest.mark.parametrize(
    ("unaccounted", "exit_code", "is_problem"),
    [(294, 1, True), (294, 2, False), (0, 0, False), (None, 0, False)],
)
def test_a_trusted_difference_that_nobody_made_is_a_problem(
    tmp_path: Path, unaccounted: int | None, exit_code: int, is_problem: bool
) -> None:
    lines = [{"name": "web1", "unaccounted": unaccounted}]
    verdict = {"exit_code": exit_code, "accounting": {"unaccounted": unaccounted, "lines": lines}}
    (tmp_path / "verdict.json").write_text(json.dumps(verdict), encoding="utf-8")
    assert bool(list(accused(tmp_path))) is is_problem


def answers(*gaps_us: tuple[int, int], bad_us: range = range(0)) -> list[Answer]:
    """A good one every 10 ms of 10 s, but within the gaps."""
    good = (at for at in range(0, 10_000_001, 10_000) if not any(a < at < b for a, b in gaps_us))
    return sorted(
        [*(Answer(at, "lb1", True) for at in good), *(Answer(at, "lb1", False) for at in bad_us)],
        key=lambda answer: answer.at_us,
    )


def outage(*gaps_us: tuple[int, int], width_ms: float = 15.0) -> dict[str, Any]:
    gaps = [{"from_us": a, "to_us": b, "duration_ms": (b - a) / 1000, "late": 0} for a, b in gaps_us]
    from_us, to_us = gaps_us[0][0], gaps_us[-1][1]
    high_ms = (to_us - from_us) / 1000
    return {
        "low_ms": high_ms - width_ms,
        "high_ms": high_ms,
        "from_us": from_us,
        "to_us": to_us,
        "gaps": gaps,
        "later_gaps": [],
        "detection_limit_ms": 5.0,
    }


def test_each_gap_is_held_against_the_silence_in_its_own_time() -> None:
    """Errors of the balancer are no good answers; a misfortune may make a gap longer than that of the fault."""
    first, second = (1_000_000, 1_600_000), (3_000_000, 6_000_000)
    seen = answers(first, second, bad_us=range(3_000_500, 6_000_000, 10_000))
    assert not list(refuted(outage(first, second), seen))
    assert len(list(refuted(outage(first, (3_000_000, 5_900_000)), seen))) == 1
    assert len(list(refuted(outage((900_000, 1_600_000), second), seen))) == 1


def test_only_the_last_gap_of_an_outage_without_an_end_may_have_been_longer() -> None:
    gaps = (1_000_000, 1_010_000), (1_010_000, 5_000_000)
    for ends_at_us, problems in ((5_000_000, 0), (6_000_000, 0), (4_000_000, 1)):
        seen = answers((1_000_000, 1_010_000), (1_010_000, ends_at_us))
        assert len(list(refuted(outage(*gaps) | {"high_ms": None}, seen))) == problems
    first_was_longer = answers((990_000, 1_100_000), (1_100_000, 5_000_000))
    assert len(list(refuted(outage(*gaps, width_ms=200.0) | {"high_ms": None}, first_was_longer))) == 1


def test_silence_that_is_no_gap_is_a_problem() -> None:
    first, second = (1_000_000, 1_600_000), (3_000_000, 6_000_000)
    seen = answers(first, second)
    assert not list(unseen(outage(first, second), seen, 0, 10_000_000))
    assert len(list(unseen(outage(first), seen, 0, 10_000_000))) == 1
    assert not list(unseen(outage(first), seen, 0, 2_000_000))


def test_capture_that_ends_within_a_gap_says_nothing_of_it() -> None:
    assert not list(refuted(outage((9_000_000, 12_000_000)), answers((9_000_000, 10_000_001))))
