"""Intervals by resampling: the same for the same input, as wide as chance, and never of less than they need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.analysis.compare.bootstrap import (
    FEWEST_BLOCKS,
    FEWEST_DRILLS,
    ConfidenceInterval,
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


@pytest.mark.parametrize("unit", [1.0, 1e-3])
@pytest.mark.parametrize(
    ("series", "length"),
    [
        ([0.0] * 4 + [1.0] * 4, 1),  # r = 1.25 / 2, which chance makes of eight
        ([0.0] * 5 + [1.0] * 5, 5),  # r = 1.75 / 2.5: (1.4 / 0.51)^(2/3) 10^(1/3) = 4.22
        ([0.0] * 8 + [1.0] * 8, 8),  # r = 3.25 / 4: (1.625 / 0.3398)^(2/3) 16^(1/3) = 7.15
        (np.sin(2 * np.pi * np.arange(1, 41) / 41), 40),  # 66 would be more than there are
        (np.arange(8000.0), 430),  # r is taken as 0.99: (1.98 / 0.0199)^(2/3) 20 = 429.4
    ],
)
def test_seconds_are_kept_together_for_as_long_as_carlstein_says(
    series: list[float], length: int, unit: float
) -> None:
    assert block_length(np.asarray(series) * unit) == length


def test_every_second_is_drawn_as_often_as_any_other() -> None:
    assert weights(4, 1, np.random.default_rng(1), resamples=4000).mean(axis=0) == pytest.approx(1, abs=0.05)


def ranks(missing: int = 0) -> tuple[Statistic, Floats]:
    """0 of the seconds as they were, and 0, 1, 2 … of the resamples, of which the first have no value."""

    def found(weighted: Floats) -> Floats:
        values = np.arange(float(len(weighted)))
        return values if len(values) == 1 else np.where(values < missing, np.nan, values)

    return found, FLAT


FLAT = np.full(8, 7.0)


def test_an_interval_holds_the_middle_95_of_100_resamples_on_its_side_of_the_difference() -> None:
    """Of 0 to 999 the middle 95 % are those from 24.975 to 974.025."""
    above = over_seconds("x", mean_of(FLAT), ranks(), 5000.0)
    below = over_seconds("x", ranks(), mean_of(FLAT), 5000.0)
    assert above is not None and (above.low, above.high) == pytest.approx((5024.975, 5974.025))
    assert below is not None and (below.low, below.high) == pytest.approx((4025.975, 4975.025))


@pytest.mark.parametrize(("missing", "known"), [(500, True), (501, False)])
def test_there_is_no_interval_where_less_than_half_of_the_resamples_have_a_value(
    missing: int, *, known: bool
) -> None:
    found = over_seconds("x", mean_of(FLAT), ranks(missing), 0.0)
    assert (found is not None) is known
    assert found is None or found.low == pytest.approx(500 + 0.025 * 499)


@pytest.mark.parametrize(("difference", "wide"), [(0.0, 2e-12), (0.5, 2e-12), (2e6, 4e-6), (-2e6, 4e-6)])
def test_an_interval_is_as_wide_as_the_last_digits_of_a_sum_at_least(difference: float, wide: float) -> None:
    found = over_seconds("x", mean_of(FLAT), mean_of(FLAT), difference)
    assert found is not None and found.high - found.low == pytest.approx(wide, rel=1e-3)
    assert (found.low + found.high) / 2 == pytest.approx(difference)


def test_few_drills_are_as_spread_as_their_sample_variance_says() -> None:
    """One of five took 5: a resampled mean is 0 to 3 in 95 of 100, and farther from 1 by the root of 5/4."""
    one, none = [0.0, 0.0, 5.0, 0.0, 0.0], [0.0] * 10
    up, down = over_drills("x", none, one), over_drills("x", one, none)
    assert up is not None and (up.low, up.high) == pytest.approx((1 - 1.25**0.5, 1 + 2 * 1.25**0.5))
    assert down is not None and (down.low, down.high) == pytest.approx((-1 - 2 * 1.25**0.5, -1 + 1.25**0.5))


def test_drills_are_drawn_one_by_one_for_none_depends_on_the_one_before() -> None:
    """Three of six took 10: in 95 of 100 resamples one to five did."""
    found = over_drills("x", [0.0] * 10, [0.0, 10.0] * 3)
    off = 20 / 6 * 1.2**0.5
    assert found is not None and (found.low, found.high) == pytest.approx((5 - off, 5 + off))


def test_an_interval_holds_its_ends() -> None:
    assert [ConfidenceInterval(1, 2).holds(value) for value in (0.9, 1, 2, 2.1)] == [False, True, True, False]


def test_each_figure_has_chances_of_its_own() -> None:
    drills = [3.1, 2.7, 4.4, 3.8, 2.2, 3.3]
    assert over_drills("outage", drills, drills) != over_drills("failback", drills, drills)
    series = np.array([3.1, 2.7, 4.4, 3.8, 2.2, 3.3, 2.9, 3.6])
    one, other = (over_seconds(name, mean_of(series), mean_of(series), 0.0) for name in ("p50", "p90"))
    assert one is not None and other is not None and one != other


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
