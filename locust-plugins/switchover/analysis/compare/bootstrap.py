"""How far chance may have moved a difference: intervals by resampling, the same for the same input.

Seconds are resampled in blocks that are as long as they depend on one another (the circular block bootstrap of
Politis and Romano, 1992); drills, which do not, one by one.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

LEVEL = 0.95
RESAMPLES = 1000
FEWEST_BLOCKS = 8
"""Fewer of them say too little of what chance can do."""
FEWEST_DRILLS = 5
"""With fewer drills a resampled mean is too rarely as far off as the real one may be."""

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""From weights (a row per resample, a column per second) to a value per resample; NaN where it has none."""


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def widened(self, by: float) -> "ConfidenceInterval":
        return ConfidenceInterval(self.low - by, self.high + by)


def generator(name: str) -> np.random.Generator:
    """A random source for each figure, so that no figure moves another."""
    return np.random.default_rng(crc32(name.encode()))


def block_length(values: Sequence[float] | Floats) -> int:
    """How many seconds in a row must be kept together: 1 where none depends on the one before.

    By the correlation r of neighbours, (2r / (1 - r²))^(2/3) n^(1/3) (Carlstein, 1986), if r is more than chance
    makes of independent values in one of twenty cases.
    """
    series = np.asarray(values)
    n: int = len(series)
    centred = series - series.mean() if n else series
    power = float(centred @ centred)
    if power <= 0:
        return 1
    r = float(centred[1:] @ centred[:-1]) / power
    if r * math.sqrt(n) <= 1.96:
        return 1
    r = min(r, 0.99)
    seconds = math.pow(2 * r / (1 - r * r), 2 / 3) * math.pow(n, 1 / 3)
    return min(n, math.ceil(seconds))


def weights(n: int, length: int, rng: np.random.Generator, resamples: int = RESAMPLES) -> Floats:
    """How often each of n seconds is in each resample; every row adds up to n."""
    starts = rng.integers(n, size=(resamples, -(-n // length)))
    places = ((starts[:, :, None] + np.arange(length)) % n).reshape(resamples, -1)[:, :n]
    places += np.arange(resamples)[:, None] * n
    return np.bincount(places.ravel(), minlength=resamples * n).reshape(resamples, n).astype(float)


def over_seconds(
    name: str, first: tuple[Statistic, Floats], other: tuple[Statistic, Floats], difference: float
) -> ConfidenceInterval | None:
    """Of `difference`, other less first. Each side: its statistic, and the series that tells how its seconds depend
    on one another. None where there are too few seconds."""
    rng = generator(name)
    moved = []
    for statistic, series in (first, other):
        n, length = len(series), block_length(series)
        if n < FEWEST_BLOCKS * length:
            return None
        (measured,) = statistic(np.ones((1, n)))
        moved.append(statistic(weights(n, length, rng)) - measured)
    return _around(difference, moved[1] - moved[0])


def over_drills(name: str, first: Sequence[float], other: Sequence[float]) -> ConfidenceInterval | None:
    """The interval of the difference of two means; None where there are too few drills."""
    if min(len(first), len(other)) < FEWEST_DRILLS:
        return None
    rng = generator(name)
    means = [weights(len(side), 1, rng) @ np.asarray(side) / len(side) for side in (first, other)]
    difference = sum(other) / len(other) - sum(first) / len(first)
    # As spread as the mean of n values whose variance is divided by n - 1.
    grown = math.sqrt(max(n / (n - 1) for n in (len(first), len(other))))
    return _around(difference, (means[1] - means[0] - difference) * grown)


def _around(difference: float, moved: Floats) -> ConfidenceInterval | None:
    known = moved[~np.isnan(moved)]
    if len(known) < RESAMPLES // 2:
        return None
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # What is the same in every resample shall not differ from itself by the last digit of a sum.
    near = 1e-12 * max(abs(difference), 1.0)
    return ConfidenceInterval(difference + float(low), difference + float(high)).widened(near)
