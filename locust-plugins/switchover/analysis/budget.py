"""Budgets: what a switchover may cost at most, as a user writes them and as a run keeps them."""

import re
from dataclasses import dataclass
from enum import StrEnum

from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s


class BudgetName(StrEnum):
    OUTAGE = "outage"
    FAILBACK = "failback"
    FAILED = "failed"
    FAILED_TOTAL = "failed-total"
    LATE = "late"
    SPLIT_BRAIN = "split-brain"
    UNEXPLAINED = "unexplained"
    LOST = "lost"
    LOSSY = "lossy"
    DELAY = "delay"


class Unit(StrEnum):
    MILLISECONDS = "ms"
    SHARE = "share"
    """0 to 1."""
    REQUESTS = "requests"


_DURATIONS = frozenset({BudgetName.OUTAGE, BudgetName.FAILBACK, BudgetName.SPLIT_BRAIN, BudgetName.DELAY})
OF_CHANGES = frozenset({BudgetName.LOST, BudgetName.LOSSY, BudgetName.DELAY})
"""Budgets that only a series of changes has figures for."""
USUAL_CONFIDENCE = 0.95
_CONFIDENCE = re.compile(r"(.*)@\s*(\d{1,2}(?:\.\d{1,3})?)\s*%?")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s*%")
_COUNT = re.compile(r"\d{1,12}")


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit that is kept by anything up to it."""

    name: BudgetName
    limit: float
    unit: Unit
    confidence: float | None = None
    """Of the bound that must be within the limit, where the figure is a share that was estimated."""
    default: bool = False
    """Not asked for by the user: it holds wherever the run has, or was to have, a witness for it."""

    def __str__(self) -> str:
        confidence = "" if self.confidence is None else f"@{self.confidence * 100:.4g}"
        return f"{self.name}={format_value(self.limit, self.unit)}{confidence}"


def parse_budget(text: str) -> Budget:
    """`outage=5s`, `failed=1%`, `failed=20`, `split-brain=0s`, `unexplained=0`, `lost=0`, `lossy=1%@95`."""
    name_text, equals, limit_text = text.partition("=")
    known = ", ".join(BudgetName)
    try:
        name = BudgetName(name_text.strip())
    except ValueError as error:
        raise UsageError(f"budget {text!r}: {name_text.strip()!r} is unknown; known: {known}") from error
    limit = limit_text.strip()
    if not equals or not limit:
        raise UsageError(f"budget {text!r} has no limit: write for example {_example(name)}")
    if name in _DURATIONS:
        try:
            return Budget(name, round(parse_duration_s(limit) * 1000, 6), Unit.MILLISECONDS)
        except UsageError as error:
            raise UsageError(f"budget {text!r}: {error}") from error
    confidence = USUAL_CONFIDENCE if name is BudgetName.LOSSY else None
    if confidence is not None and (match := _CONFIDENCE.fullmatch(limit)):
        limit, confidence = match[1].strip(), float(match[2]) / 100
        if not 0 < confidence < 1:
            raise UsageError(f"budget {text!r}: a confidence is above 0 and below 100, such as 95")
    percent = _PERCENT.fullmatch(limit)
    if percent is not None and name not in (BudgetName.UNEXPLAINED, BudgetName.LOST):
        if float(percent[1]) > 100:
            raise UsageError(f"budget {text!r}: a share cannot exceed 100%")
        return Budget(name, float(percent[1]) / 100, Unit.SHARE, confidence)
    if name is not BudgetName.LOSSY and _COUNT.fullmatch(limit) and limit.isascii():
        return Budget(name, float(limit), Unit.REQUESTS)
    raise UsageError(f"budget {text!r}: {limit!r} is no limit for {name}: write for example {_example(name)}")


def with_defaults(asked: list[Budget], *, split_brain_witnessed: bool, exclusive: bool) -> list[Budget]:
    """The budgets of a run: those asked for, and those that always hold where they were to be measured."""
    names = {budget.name for budget in asked}
    defaults = []
    if split_brain_witnessed and BudgetName.SPLIT_BRAIN not in names:
        defaults.append(Budget(BudgetName.SPLIT_BRAIN, 0.0, Unit.MILLISECONDS, default=True))
    if exclusive and BudgetName.UNEXPLAINED not in names:
        defaults.append(Budget(BudgetName.UNEXPLAINED, 0.0, Unit.REQUESTS, default=True))
    return [*asked, *defaults]


def format_value(value: float, unit: Unit) -> str:
    """A limit or a value for people: `5s`, `1.25%`, `20`."""
    if unit is Unit.SHARE:
        return f"{value * 100:.4f}".rstrip("0").rstrip(".") + "%"
    if unit is Unit.REQUESTS:
        return f"{value:.0f}"
    return f"{value / 1000:.3f}".rstrip("0").rstrip(".") + "s"


def _example(name: BudgetName) -> str:
    if name in _DURATIONS:
        return f"{name}=5s"
    if name is BudgetName.LOSSY:
        return "lossy=1%@95"
    return f"{name}=0" if name in (BudgetName.UNEXPLAINED, BudgetName.LOST) else f"{name}=1% or {name}=20"
