"""Mean, standard deviation and confidence intervals over the repeats of a cell."""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

DRAWS = 4000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """A figure over the repeats: the mean, and the standard deviation of a sample (None: one repeat)."""

    mean: float
    sd: float | None
    n: int


def spread_of(values: Sequence[float]) -> RepeatSpread | None:
    if not values:
        return None
    return RepeatSpread(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None, len(values))


def draw_mean(spread: RepeatSpread, chance: random.Random) -> float:
    """A mean that the repeats allow: Student's t around theirs."""
    if not spread.sd or spread.n < 2:
        return spread.mean
    degrees = spread.n - 1
    t = chance.gauss() / math.sqrt(chance.gammavariate(degrees / 2, 2) / degrees)
    return spread.mean + spread.sd / math.sqrt(spread.n) * t


def interval_of(draw: Callable[[], float], draws: int = DRAWS) -> tuple[float, float]:
    """The 95 % interval of what is drawn."""
    values = sorted(draw() for _ in range(draws))
    cut = int((1 - LEVEL) / 2 * draws)
    return values[cut], values[-1 - cut]
