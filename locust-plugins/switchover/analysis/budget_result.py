"""A budget against what the run measured: kept, broken, or undecided where the limit lies within the interval."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.analysis.budget import USUAL, Budget, BudgetName, Unit
from switchover.analysis.change_cost import CONFIDENCE
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.events import Events
from switchover.analysis.figures import Figures
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts
from switchover.analysis.probes import tolerated_us, why_unprobed
from switchover.analysis.silences import Silences
from switchover.analysis.split_brain import SplitBrain
from switchover.model.interval import Interval, longest_of
from switchover.verdict.record import State as State

NO_HISTORY = "what is usual is told by 'switchover report', from the runs beside this one"
NO_WITNESS = "no ownership witness of one VRRP instance on every balancer, all the time"
NO_CLOCKS = "by lines as they arrived: the balancers' clocks are not known"


@dataclass(frozen=True, slots=True)
class BudgetResult:
    """A budget against the figure that the run measured, in the budget's unit."""

    budget: Budget
    figure: Interval | None
    """None: the run could not measure it. Without an upper end: nothing says how far it went."""
    state: State
    note: str = ""


def compare_with_limit(budget: Budget, figure: Interval, note: str = "") -> BudgetResult:
    """Kept by an interval that is wholly within the limit, broken by one that is wholly above it; undecided where the
    limit is not known, or is what was usual, which one run above it does not refute."""
    within = None if budget.limit is None else figure.is_within(budget.limit)
    state = {True: State.KEPT, False: State.UNDECIDED if budget.usual else State.BROKEN, None: State.UNDECIDED}[
        within
    ]
    why_unknown = NO_HISTORY if budget.limit is None else ""
    return BudgetResult(budget, figure, state, "; ".join(filter(None, (note, budget.note or why_unknown))))


def leave_unmeasured(budget: Budget, why: str) -> BudgetResult:
    return BudgetResult(budget, None, State.UNMEASURED, why)


def _judge_split_brain(budget: Budget, found: SplitBrain) -> BudgetResult:
    length = found.length
    figure = Interval(length.low / 1000, None if length.high is None else length.high / 1000)
    return compare_with_limit(budget, figure, NO_CLOCKS if length.high is None else "")


def _judge_silences(budget: Budget, files: Sequence[Silences]) -> BudgetResult:
    """A limit is kept if each file keeps it, and exceeded if one file exceeds it."""
    found = longest_of(one.figure for one in files)
    figure = Interval(found.low / 1000, None if found.high is None else found.high / 1000)
    if found.high is None:
        return BudgetResult(budget, figure, State.BROKEN, "not recovered: at least this long")
    return compare_with_limit(budget, figure, "by the load's own responses")


def judge_outage(budget: Budget, outage: Outage, truncated: str) -> BudgetResult:
    """The longest of the outage, of its later gaps, and of a resolution that is too coarse for "none".

    An outage that was not seen to recover is over any limit. `truncated`: how its phase was cut short, if it was:
    then an outage that was not seen may have come later.
    """
    if not outage.recovered:
        how = "at least this long" if outage.censored else "away again at the end of the phase"
        figure = Interval(longest_of([outage.length, *(gap.length for gap in outage.strays)]).low / 1000, None)
        return BudgetResult(budget, figure, State.BROKEN, f"not recovered: {how}")
    fine = outage.resolution_us <= tolerated_us(outage.interval_us)
    hidden = [] if fine else [Interval(0, outage.resolution_us)]
    if outage.kind is not OutageKind.NONE:
        found = longest_of([outage.length, *(gap.length for gap in outage.strays), *hidden])
        high_us = found.high or 0  # each of them has an end, for the outage recovered
        return compare_with_limit(budget, Interval(found.low / 1000, high_us / 1000))
    if truncated:
        note = f"no probe was impaired, but {truncated}: it may have come later"
        return BudgetResult(budget, Interval(0, None), State.UNDECIDED, note)
    seen = Interval(0, outage.resolution_us / 1000)
    known = budget.limit is not None
    return BudgetResult(budget, seen, State.KEPT, budget.note) if fine and known else compare_with_limit(budget, seen)


def judge_count(budget: Budget, number: int, total: int, unread: int, none: str) -> BudgetResult:
    """`number` of `total` requests; `unread` rows of their log could not be read and may be any of either."""
    every = total + unread
    if not total:
        return leave_unmeasured(budget, f"{none} to count in")
    lost = f"; {unread:,} more could not be read" if unread else ""
    low, high = float(number), float(number + unread)
    figure = Interval(low / every, high / every) if budget.unit is Unit.SHARE else Interval(low, high)
    return compare_with_limit(budget, figure, f"{number:,} of {total:,}{lost}")


def judge_changes(budget: Budget, changes: ChangeFigures | None) -> BudgetResult:
    """What a series of changes cost. An unreadable row of a load may be a loss."""
    if changes is None:
        return leave_unmeasured(budget, "no change was made, or nothing was open or asked meanwhile")
    if budget.name is BudgetName.LOST:
        return compare_with_limit(budget, Interval(changes.lost, changes.lost + changes.unread))
    if budget.name is BudgetName.LOSSY:
        low, high = changes.lossy_bounds(budget.confidence or CONFIDENCE)
        note = f"{changes.lossy} of {len(changes.made)} changes"
        return compare_with_limit(budget, Interval(low, 1.0 if changes.unread else high), note)
    if changes.delay is None:
        return leave_unmeasured(budget, "nothing was answered both within a change and between changes")
    high_us = changes.delay.high
    return compare_with_limit(budget, Interval(changes.delay.low / 1000, None if high_us is None else high_us / 1000))


def figure_text(result: BudgetResult) -> str:
    """`3,757 to 3,784 ms`, `at least 3,757 ms`, `1.2%`: rounded outwards, so that no interval looks narrower; with
    more digits where it would be rounded to the other side of its limit."""
    figure, budget = result.figure, result.budget
    if figure is None:
        return "unknown"
    if figure.high is None:
        return f"at least {_outwards(figure.low, budget, math.floor)}{_SUFFIX[budget.unit]}"
    if figure.low == figure.high:
        return f"{_outwards(figure.low, budget, round)}{_SUFFIX[budget.unit]}"
    low, high = _outwards(figure.low, budget, math.floor), _outwards(figure.high, budget, math.ceil)
    return f"{low} to {high}{_SUFFIX[budget.unit]}"


def limit_text(budget: Budget) -> str:
    """`3,770 ms`, `1%`, `20`; `usual` where it is not known"""
    if budget.limit is None:
        return USUAL
    return f"{_trimmed(budget.limit * _SCALE[budget.unit])}{_SUFFIX[budget.unit]}"


_SUFFIX = {Unit.MILLISECONDS: " ms", Unit.SHARE: "%", Unit.REQUESTS: ""}
_SCALE = {Unit.MILLISECONDS: 1, Unit.SHARE: 100, Unit.REQUESTS: 1}
TENTHS_BELOW_MS = 100
"""Shorter durations are printed with tenths."""
MOST_DECIMALS = 6
"""As many as a limit may have."""


def _outwards(value: float, budget: Budget, rounded: Callable[[float], int]) -> str:
    """Shares as hundredths of a percent, or finer; 1e-9 is less than any figure, and more than what binary fractions
    add."""
    scale, most = _SCALE[budget.unit], math.inf if budget.limit is None else budget.limit
    nudge = 1e-9 if rounded is math.floor else -1e-9 if rounded is math.ceil else 0.0
    decimals = 2 if budget.unit is Unit.SHARE else int(budget.unit is Unit.MILLISECONDS and value < TENTHS_BELOW_MS)
    shown = rounded(value * scale * 10**decimals + nudge) / 10**decimals
    while (shown > most * scale) is not (value > most) and decimals < MOST_DECIMALS:
        decimals += 1
        shown = rounded(value * scale * 10**decimals + nudge) / 10**decimals
    return _trimmed(shown)


def _trimmed(value: float) -> str:
    """Up to six decimals, as many as a limit may have, without zeros at the end."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures that budgets are about."""

    events: Events
    figures: Figures
    unread: int
    """Rows of the load's log that could not be read; of the probes' where there is no load."""
    truncated: Mapping[BudgetName, str]
    """How the phase that a budget looks at was cut short, if it was."""
    lost: Mapping[BudgetName, str] = field(default_factory=dict)
    """Why a figure cannot be measured, because a file of its witness is not whole."""

    def judge(self, budget: Budget) -> BudgetResult:
        if budget.name in self.lost:
            return leave_unmeasured(budget, self.lost[budget.name])
        match budget.name:
            case BudgetName.OUTAGE:
                if self.figures.silences:
                    return _judge_silences(budget, self.figures.whole_silences)
                if self.events.outage is None:
                    return leave_unmeasured(budget, why_unprobed(self.events.run))
                return judge_outage(budget, self.events.outage, self.truncated.get(budget.name, ""))
            case BudgetName.FAILBACK:
                if self.events.failback is None:
                    none = "nothing was healed while the load ran, so no failback was seen"
                    return leave_unmeasured(budget, none if self.events.outage else why_unprobed(self.events.run))
                return judge_outage(budget, self.events.failback, self.truncated.get(budget.name, ""))
            case BudgetName.FAILED | BudgetName.LATE:
                by_phase = self.figures.requests.by_phase if self.figures.requests else {}
                return self._count(budget, by_phase.get(PhaseName.SWITCHOVER), "no switchover phase")
            case BudgetName.FAILED_TOTAL:
                whole = self.figures.requests.whole if self.figures.requests else None
                return self._count(budget, whole, "no request")
            case BudgetName.SPLIT_BRAIN:
                if self.figures.split_brain is None:
                    return leave_unmeasured(budget, NO_WITNESS)
                return _judge_split_brain(budget, self.figures.split_brain)
            case BudgetName.UNEXPLAINED:
                return self._unexplained(budget)
            case BudgetName.LOST | BudgetName.LOSSY | BudgetName.DELAY:
                return judge_changes(budget, self.figures.changes)

    def _count(self, budget: Budget, counts: Counts | None, none: str) -> BudgetResult:
        found = counts or Counts()
        number = found.late if budget.name is BudgetName.LATE else found.failed
        return judge_count(budget, number, found.total, self.unread, none)

    def _unexplained(self, budget: Budget) -> BudgetResult:
        unexplained = self.figures.reconciliation.unexplained
        if self.figures.reconciliation.uncounted and self.figures.reconciliation.exclusive:
            missing = ", ".join(self.figures.reconciliation.uncounted)
            return leave_unmeasured(budget, f"no counters of {missing} from before the load on")
        if unexplained is None:
            return leave_unmeasured(budget, "the target is not exclusive, or nothing but us counted")
        return compare_with_limit(budget, Interval(unexplained, unexplained))
