"""Intervals by resampling: the same for the same input, as wide as chance, and never of less than they need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.analysis.compare.bootstrap import (
    FEWEST_BLOCKS,
    FEWEST_DRILLS,
    Floats,
    Statistic,
    block_length,
    over_drills,
    over_seconds,
    weights,
)

numbers = st.floats(-1e6, 1e6, allow_nan=False)


def mean_of(series: Floats) -> tuple[Statistic, Floats]:
    return lambda weighted: weighted @ series / len(series), series


@given(n=st.integers(1, 60), length=st.integers(1, 70), seed=st.integers(0, 99))
def test_every_resample_has_as_many_seconds_as_there_are(n: int, length: int, seed: int) -> None:
    found = weights(n, min(n, length), np.random.default_rng(seed), resamples=7)
    assert found.shape == (7, n) and (found >= 0).all() and (found.sum(axis=1) == n).all()


def test_a_block_keeps_its_seconds_together() -> None:
    found = weights(12, 12, np.random.default_rng(1), resamples=5)
    assert (found == 1).all()


def test_independent_seconds_stand_alone_and_a_drift_is_kept_together() -> None:
    rng = np.random.default_rng(5)
    assert block_length(rng.normal(size=400)) == 1
    walk = np.cumsum(rng.normal(size=400))
    assert 10 < block_length(walk) <= 400
    assert block_length([]) == block_length([1.0]) == block_length([3.0] * 50) == 1


@given(st.lists(numbers, min_size=5, max_size=30), st.lists(numbers, min_size=5, max_size=30))
def test_the_same_drills_give_the_same_interval_around_their_difference(a: list[float], b: list[float]) -> None:
    found = over_drills("outage", a, b)
    assert found is not None and found == over_drills("outage", a, b)
    assert found.low <= found.high


@given(st.lists(numbers, min_size=5, max_size=30), numbers)
def test_drills_do_not_differ_from_themselves_and_do_from_what_is_far_away(a: list[float], far: float) -> None:
    same = over_drills("x", a, list(reversed(a)))
    assert same is not None and same.holds(0)
    gap = (max(a) - min(a) + 1) * 10
    away = over_drills("x", a, [value + gap for value in a])
    assert away is not None and away.low > 0


def test_too_few_drills_and_too_few_independent_seconds_have_no_interval() -> None:
    few = [1.0] * (FEWEST_DRILLS - 1)
    assert over_drills("x", few, [1.0] * 50) is None
    short = np.arange(float(FEWEST_BLOCKS - 1))
    assert over_seconds("x", mean_of(short), mean_of(short), 0.0) is None
    drift = np.arange(40.0)
    assert over_seconds("x", mean_of(drift), mean_of(drift), 0.0) is None


def test_what_never_changes_has_an_interval_of_itself() -> None:
    flat = np.full(20, 7.0)
    found = over_seconds("x", mean_of(flat), mean_of(flat + 1), 1.0)
    assert found is not None and found.low == pytest.approx(1) and found.high == pytest.approx(1)


def test_intervals_hold_the_truth_about_as_often_as_they_promise() -> None:
    """95 of 100 by definition; a binomial count of 200 is below 176 (or the drills' below 170) only by a defect."""
    rng = np.random.default_rng(11)
    seconds = drills = 0
    for _ in range(200):
        first, other = rng.normal(5, 2, 40), rng.normal(6, 2, 60)
        found = over_seconds("x", mean_of(first), mean_of(other), float(other.mean() - first.mean()))
        seconds += found is None or found.holds(1)
        interval = over_drills("y", list(rng.uniform(0, 1, 8)), list(rng.uniform(1, 2, 8)))
        drills += interval is not None and interval.holds(1)
    assert seconds >= 176 and drills >= 170
