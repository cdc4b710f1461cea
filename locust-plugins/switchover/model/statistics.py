"""Goodness-of-fit tests and confidence bounds, with the standard library only."""

import math
from collections.abc import Callable, Sequence


def proportion_bounds(number: int, total: int, confidence: float) -> tuple[float, float]:
    """Return the exact lower and upper bound of the proportion `number` / `total` (Clopper and Pearson, 1934).

    Each bound is one-sided and has the given confidence.
    """
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
    """Return the number in [0, 1] for which the increasing function has the value `probability`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < probability else (low, middle)
    return (low + high) / 2


def chi_square_p(statistic: float, degrees: int) -> float:
    """Return the probability that chance alone gives at least this chi-square statistic.

    For integer degrees of freedom, the probability is a sum of `degrees` / 2 terms (Abramowitz and Stegun, 26.4.4
    and 26.4.5).
    """
    if degrees < 1:
        raise ValueError("a chi-square test needs at least one degree of freedom")
    if statistic <= 0:
        return 1.0
    half, odd = statistic / 2, degrees % 2
    powers = [number + odd / 2 for number in range(degrees // 2)]
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return min(1.0, (math.erfc(math.sqrt(half)) if odd else 0.0) + math.fsum(terms))


def kolmogorov_uniform(values: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """Return Kolmogorov's D of the values against the uniform distribution over [low, high], and the p value.

    A value outside of [low, high] is moved to the nearer end, which increases D.
    """
    if not values or not high > low:
        raise ValueError("a test of fit needs values and a window")
    n = len(values)
    ranked = sorted(min(1.0, max(0.0, (value - low) / (high - low))) for value in values)
    distance = max(max((i + 1) / n - value, value - i / n) for i, value in enumerate(ranked))
    return distance, max(0.0, min(1.0, 1 - _kolmogorov_cdf(n, distance)))


def _kolmogorov_cdf(n: int, d: float) -> float:
    """Return P(D_n < d), exactly (Marsaglia, Tsang and Wang, Journal of Statistical Software 8(18), 2003).

    The far tail uses the approximation of the same authors, which is accurate to 7 digits.
    """
    s = d * d * n
    if s > 7.24 or (s > 3.76 and n > 99):
        return 1 - 2 * math.exp(-(2.000071 + 0.331 / math.sqrt(n) + 1.409 / n) * s)
    k = int(n * d) + 1
    size, h = 2 * k - 1, k - n * d
    matrix = [[1.0 if i - j + 1 >= 0 else 0.0 for j in range(size)] for i in range(size)]
    for i in range(size):
        matrix[i][0] -= h ** (i + 1)
        matrix[size - 1][i] -= h ** (size - i)
    matrix[size - 1][0] += max(0.0, 2 * h - 1) ** size
    for i in range(size):
        for j in range(size):
            if i - j + 1 > 0:
                matrix[i][j] /= math.factorial(i - j + 1)
    # The result is the middle element of matrix^n, times n! / n^n. Each step multiplies by the n-th root of that
    # factor, so that no number overflows.
    columns, share = list(zip(*matrix, strict=True)), math.exp(math.lgamma(n + 1) / n) / n
    row = [float(j == k - 1) for j in range(size)]
    for _ in range(n):
        row = [share * sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
    return row[k - 1]
