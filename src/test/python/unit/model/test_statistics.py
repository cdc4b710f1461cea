"""The tests of fit against published tables."""

import math

import pytest

from switchover.figures.distribution import compare_with_weights
from switchover.model.statistics import (
    binomial_at_most,
    chi_square_p,
    kolmogorov_uniform,
    proportion_bounds,
)


@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (5.991465, 2, 0.05),
        (7.814728, 3, 0.05),
        (15.086272, 5, 0.01),
        (18.307038, 10, 0.05),
        (124.342113, 100, 0.05),
        (0.000157, 1, 0.99),
        (0.0, 5, 1.0),
    ],
)
def test_chi_square_is_as_tabulated(statistic: float, degrees: int, p: float) -> None:
    assert chi_square_p(statistic, degrees) == pytest.approx(p, abs=1e-4)


@pytest.mark.parametrize(
    ("counts", "weights", "expected"),
    [
        ({"a": 6, "b": 4}, {}, (0.4, 1, 0.527089)),
        ({"a": 15, "b": 10, "c": 5}, {}, (5.0, 2, math.exp(-2.5))),
        ({"a": 20, "b": 10}, {"a": 2.0}, (0.0, 1, 1.0)),
        ({"a": 10, "b": 10}, {"a": 0.2, "b": 0.2}, (0.0, 1, 1.0)),
        ({"a": 6, "b": 3}, {}, None),
        ({"a": 30}, {}, None),
        ({"a": 30, "b": 30}, {"a": 0.0, "b": 0.0}, None),
        ({}, {}, None),
    ],
)
def test_counts_are_held_against_their_weights_where_at_least_five_are_expected_of_each(
    counts: dict[str, int], weights: dict[str, float], expected: tuple[float, int, float] | None
) -> None:
    found = compare_with_weights(counts, weights)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.statistic == pytest.approx(expected[0]) and found.degrees == expected[1]
        assert found.p == pytest.approx(expected[2], abs=1e-6)


@pytest.mark.parametrize(
    ("number", "total", "p", "expected"),
    [
        (2, 5, 0.5, 0.5),
        (0, 10, 0.1, 0.9**10),
        (9, 10, 0.1, 1 - 0.1**10),
        (0, 3, 0.0, 1.0),
        (2, 3, 1.0, 0.0),
        (3, 3, 1.0, 1.0),
    ],
)
def test_at_most_so_many_come_with_the_probability_of_the_binomial_distribution(
    number: int, total: int, p: float, expected: float
) -> None:
    assert binomial_at_most(number, total, p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("number", "total", "low", "high"), [(0, 20, 0.0, 0.139108), (3, 12, 0.07187, 0.527327), (12, 12, 0.779078, 1.0)]
)
def test_a_proportion_is_bounded_as_clopper_and_pearson_say(number: int, total: int, low: float, high: float) -> None:
    assert proportion_bounds(number, total, 0.95) == pytest.approx((low, high), abs=1e-5)


@pytest.mark.parametrize(("number", "total"), [(-1, 3), (4, 3), (0, 0)])
def test_a_proportion_is_of_something(number: int, total: int) -> None:
    with pytest.raises(ValueError, match=r"^a proportion needs a total above 0"):
        proportion_bounds(number, total, 0.95)


def spread(n: int, distance: float) -> list[float]:
    """n values whose Kolmogorov distance from the uniform distribution is `distance`, all on one side."""
    return [max(0.0, (i + 1) / n - distance) for i in range(n)]


@pytest.mark.parametrize(
    ("n", "distance", "p"),
    [
        (10, 0.274, 1 - 0.6284796154565043),  # Marsaglia, Tsang and Wang, section 3
        (10, 0.40925, 0.05),
        (10, 0.48893, 0.01),
        (20, 0.29408, 0.05),
        (20, 0.35241, 0.01),
        (40, 0.21012, 0.05),
    ],
)
def test_kolmogorov_is_as_tabulated(n: int, distance: float, p: float) -> None:
    found, probability = kolmogorov_uniform(spread(n, distance), 0, 1)
    assert found == pytest.approx(distance)
    assert probability == pytest.approx(p, abs=2e-4)


@pytest.mark.parametrize(
    ("values", "distance", "p"),
    [
        ([2.0], 0.5, 1.0),
        ([2.8], 0.9, 0.2),
        ([1.2], 0.9, 0.2),
        ([1.4, 2.4], 0.3, 0.98),
        ([2.6, 1.6], 0.3, 0.98),
        ([1.0, 1.8], 0.6, 0.32),
        ([3.0, 2.2], 0.6, 0.32),
        ([1.0, 1.4], 0.8, 0.08),
    ],
)
def test_of_one_value_or_two_kolmogorov_is_known_by_hand(values: list[float], distance: float, p: float) -> None:
    """P(D < d) is 2d - 1 of one value; of two it is 2(2d - 1/2)^2 up to a half, and from there on 1 - 2(1 - d)^2."""
    assert kolmogorov_uniform(values, 1, 3) == pytest.approx((distance, p))
