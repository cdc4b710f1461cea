"""Goodness-of-fit tests and confidence bounds."""

import math
from collections.abc import Callable, Sequence

import numpy as np


def proportion_bounds(number: int, total: int, confidence: float) -> tuple[float, float]:
    """Return the exact one-sided bounds of the proportion `number` / `total` (Clopper and Pearson, 1934)."""
    if not 0 <= number <= total or not total:
        raise ValueError("a proportion needs a total above 0 and a number from 0 to the total")
    doubt = 1 - confidence
    low = 0.0 if not number else _solve(lambda p: 1 - binomial_at_most(number - 1, total, p), doubt)
    high = 1.0 if number == total else _solve(lambda p: 1 - binomial_at_most(number, total, p), confidence)
    return low, high


def binomial_at_most(number: int, total: int, p: float) -> float:
    """Return the probability of at most `number` successes in `total` trials of probability p."""
    if p <= 0:
        return 1.0
    if p >= 1:
        return float(number >= total)
    ways, log_p, log_q = math.lgamma(total + 1), math.log(p), math.log1p(-p)
    terms = (
        math.exp(ways - math.lgamma(k + 1) - math.lgamma(total - k + 1) + k * log_p + (total - k) * log_q)
        for k in range(number + 1)
    )
    return min(1.0, math.fsum(terms))


def _solve(rising: Callable[[float], float], probability: float) -> float:
    """Return the number in [0, 1] for which the increasing function `rising` has the value `probability`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < probability else (low, middle)
    return (low + high) / 2


def chi_square_p(statistic: float, degrees: int) -> float:
    """Return the probability that chance alone gives at least this statistic (Abramowitz and Stegun, 26.4.4-5)."""
    if degrees < 1:
        raise ValueError("a chi-square test needs at least one degree of freedom")
    if statistic <= 0:
        return 1.0
    half, odd = statistic / 2, degrees % 2
    powers = [number + odd / 2 for number in range(degrees // 2)]
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return min(1.0, (math.erfc(math.sqrt(half)) if odd else 0.0) + math.fsum(terms))


def kolmogorov_uniform(values: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """Return Kolmogorov's D against the uniform distribution over [low, high], and the p value. A value outside of
    [low, high] is moved to the nearer end, which increases D."""
    if not values or not high > low:
        raise ValueError("a test of fit needs values and a window")
    n = len(values)
    ranked = sorted(min(1.0, max(0.0, (value - low) / (high - low))) for value in values)
    distance = max(max((i + 1) / n - value, value - i / n) for i, value in enumerate(ranked))
    return distance, max(0.0, min(1.0, 1 - _kolmogorov_cdf(n, distance)))


def _kolmogorov_cdf(n: int, d: float) -> float:
    """Return P(D_n < d), exactly (Marsaglia, Tsang and Wang, Journal of Statistical Software 8(18), 2003). For large
    d² n, the authors' approximation is used, which is accurate to 7 digits."""
    s = d * d * n
    if s > 7.24 or (s > 3.76 and n > 99):
        return 1 - 2 * math.exp(-(2.000071 + 0.331 / math.sqrt(n) + 1.409 / n) * s)
    k = int(n * d) + 1
    size, h = 2 * k - 1, k - n * d
    matrix = np.tri(size, k=1)
    matrix[:, 0] -= h ** np.arange(1, size + 1)
    matrix[-1] -= h ** np.arange(size, 0, -1)
    matrix[-1, 0] += max(0.0, 2 * h - 1) ** size
    matrix /= [[math.factorial(max(i - j + 1, 0)) for j in range(size)] for i in range(size)]
    # The result is the middle element of matrix^n, times n! / n^n. The matrix is multiplied by the n-th root of that
    # factor, so that no number overflows.
    share = math.exp(math.lgamma(n + 1) / n) / n
    return float(np.linalg.matrix_power(share * matrix, n)[k - 1, k - 1])
