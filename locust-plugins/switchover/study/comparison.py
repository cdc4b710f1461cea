"""A figure over the repeats of a cell, and the means that these repeats allow.

No interval is zero by construction. Where the repeats are equal, what they are decides how sure that is: counts have
a Poisson's spread, shares a binomial one (both with an even prior), and measured values that of their last digit.
"""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

DRAWS = 2000
LEVEL = 0.95
COUNTS = frozenset({"requests", "good", "failed", "unsent", "logged", "unaccounted"})
FLAGS = frozenset({"aborted"})
"""0 or 1 in a repeat: over the repeats, a share of them."""
FINEST = 0.001
"""The last digit that a measured value is taken to have; where all repeats are whole, as with ab's times, it is 1."""


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """A figure over the repeats: the mean, and the standard deviation of a sample (None: one repeat)."""

    mean: float
    sd: float | None
    n: int
    digit: float = FINEST
    """What the last digit of its values stands for."""


def spread_of(values: Sequence[float]) -> RepeatSpread | None:
    if not values:
        return None
    sd = statistics.stdev(values) if len(values) > 1 else None
    digit = 1.0 if all(value == round(value) for value in values) else FINEST
    return RepeatSpread(statistics.fmean(values), sd, len(values), digit)


def draw_mean(name: str, spread: RepeatSpread, requests: float | None, chance: random.Random) -> float:
    """A mean that the repeats allow. `requests`: of one repeat, which a share is a share of; None: not known."""
    mean, n, sd = spread.mean, spread.n, spread.sd or 0.0
    if name in FLAGS:
        return chance.betavariate(mean * n + 1, (1 - mean) * n + 1)
    if name in COUNTS and sd**2 < mean + 1 / n:
        return chance.gammavariate(mean * n + 1, 1) / n
    if is_share(name) and requests:
        part, whole = mean / 100, requests * n
        if (sd / 100) ** 2 < part * (1 - part) / requests + 1 / whole**2:
            return 100 * chance.betavariate(part * whole + 1, (1 - part) * whole + 1)
    degrees = n - 1
    t = chance.gauss() / math.sqrt(chance.gammavariate(degrees / 2, 2) / degrees)
    return mean + max(sd, spread.digit / math.sqrt(12)) / math.sqrt(n) * t


def is_share(name: str) -> bool:
    """In percent of the requests."""
    return name == "failed_share" or name.startswith("share_")


def interval_of(draw: Callable[[], float], draws: int = DRAWS) -> tuple[float, float]:
    """The 95 % interval of what is drawn. Any number that cannot be told (nan) makes both ends so."""
    values = [draw() for _ in range(draws)]
    if any(math.isnan(value) for value in values):
        return math.nan, math.nan
    values.sort()
    cut = int((1 - LEVEL) / 2 * draws)
    return values[cut], values[-1 - cut]
