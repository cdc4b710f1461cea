"""The tests of fit against published tables."""

import random

import pytest

from switchover.analysis.statistics import chi_square_p, kolmogorov_uniform


@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (5.991465, 2, 0.05),
        (18.307038, 10, 0.05),
        (124.342113, 100, 0.05),
        (0.000157, 1, 0.99),
        (0.0, 5, 1.0),
    ],
)
def test_chi_square_is_as_tabulated(statistic: float, degrees: int, p: float) -> None:
    assert chi_square_p(statistic, degrees) == pytest.approx(p, abs=1e-4)


def test_chi_square_falls_from_one_to_nothing() -> None:
    values = [chi_square_p(statistic / 4, 7) for statistic in range(400)]
    assert values == sorted(values, reverse=True) and values[0] == 1.0 and values[-1] < 1e-12


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


def test_uniform_values_are_seldom_refuted_and_crowded_ones_always() -> None:
    chance = random.Random(7)
    p_values = [kolmogorov_uniform([chance.uniform(2.6, 3.6) for _ in range(20)], 2.6, 3.6)[1] for _ in range(300)]
    assert sum(p < 0.05 for p in p_values) < 30
    assert sum(p < 0.5 for p in p_values) == pytest.approx(150, abs=40)
    assert kolmogorov_uniform([3.59] * 20, 2.6, 3.6)[1] < 1e-6


def test_values_outside_the_window_widen_the_distance() -> None:
    assert kolmogorov_uniform([10.0], 0, 1)[0] == 1.0


def test_a_large_series_uses_the_tail_formula() -> None:
    assert kolmogorov_uniform(spread(1000, 0.065), 0, 1)[1] == pytest.approx(4.07e-4, rel=0.01)
