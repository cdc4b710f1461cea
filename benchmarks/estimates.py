"""Figures of independent rounds: a mean, and how far it may be off."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""Student's t for 95 % on both sides, by degrees of freedom from 1 on."""


@dataclass(frozen=True, slots=True)
class Estimate:
    mean: float
    margin: float
    """Half of the 95 % confidence interval; infinite for a single value."""

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.margin:.1f}" if math.isfinite(self.margin) else f"{self.mean:.1f}"


def estimate(values: Sequence[float]) -> Estimate:
    """Of independent rounds, by Student's t."""
    if len(values) < 2:
        return Estimate(values[0], math.inf)
    t = _T_975[min(len(values) - 1, len(_T_975)) - 1]
    return Estimate(statistics.fmean(values), t * statistics.stdev(values) / math.sqrt(len(values)))


def paired(values: Sequence[float], references: Sequence[float]) -> Estimate:
    """The difference, round by round, which takes out what changed between the rounds."""
    return estimate([value - reference for value, reference in zip(values, references, strict=True)])
