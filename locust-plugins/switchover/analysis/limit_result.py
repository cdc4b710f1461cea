"""A limit against what the run measured: kept, broken, or inconclusive where the limit lies within the interval."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.analysis.change_cost import CONFIDENCE
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.events import Events
from switchover.analysis.figures import Figures
from switchover.analysis.limit import USUAL, Limit, LimitName, Unit
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts
from switchover.analysis.probes import tolerated_us, why_unprobed
from switchover.analysis.silences import Silences
from switchover.analysis.split_brain import SplitBrain
from switchover.model.interval import Interval, longest_of
from switchover.verdict.record import State as State

NO_HISTORY = "what is usual is told by 'switchover report', from the runs beside this one"
NO_SOURCE = "no ownership source of one VRRP instance on every balancer, all the time"
NO_CLOCKS = "by lines as they arrived: the balancers' clocks are not known"


@dataclass(frozen=True, slots=True)
class LimitResult:
    """A limit against the figure that the run measured, in the limit's unit."""

    limit: Limit
    figure: Interval | None
    """None: the run could not measure it. Without an upper end: nothing says how far it went."""
    state: State
    note: str = ""


def compare_with_limit(limit: Limit, figure: Interval, note: str = "") -> LimitResult:
    """Kept by an interval that is wholly within the limit, broken by one that is wholly above it; inconclusive where
    the limit is not known, or is what was usual, which one run above it does not refute."""
    within = None if limit.limit is None else figure.is_within(limit.limit)
    state = {
        True: State.KEPT,
        False: State.INCONCLUSIVE if limit.usual else State.EXCEEDED,
        None: State.INCONCLUSIVE,
    }[within]
    why_unknown = NO_HISTORY if limit.limit is None else ""
    return LimitResult(limit, figure, state, "; ".join(filter(None, (note, limit.note or why_unknown))))


def leave_unmeasured(limit: Limit, why: str) -> LimitResult:
    return LimitResult(limit, None, State.UNMEASURED, why)


def _judge_split_brain(limit: Limit, found: SplitBrain) -> LimitResult:
    length = found.length
    figure = Interval(length.low / 1000, None if length.high is None else length.high / 1000)
    return compare_with_limit(limit, figure, NO_CLOCKS if length.high is None else "")


def _judge_silences(limit: Limit, files: Sequence[Silences]) -> LimitResult:
    """A limit is kept if each file keeps it, and exceeded if one file exceeds it."""
    found = longest_of(one.figure for one in files)
    figure = Interval(found.low / 1000, None if found.high is None else found.high / 1000)
    if found.high is None:
        return LimitResult(limit, figure, State.EXCEEDED, "not recovered: at least this long")
    return compare_with_limit(limit, figure, "by the load's own responses")


def judge_outage(limit: Limit, outage: Outage, truncated: str) -> LimitResult:
    """The longest of the outage, of its later gaps, and of a resolution that is too coarse for "none".

    An outage that was not seen to recover is over any limit. `truncated`: how its phase was cut short, if it was:
    then an outage that was not seen may have come later.
    """
    if not outage.recovered:
        how = "at least this long" if outage.censored else "away again at the end of the phase"
        figure = Interval(longest_of([outage.length, *(gap.length for gap in outage.later_gaps)]).low / 1000, None)
        return LimitResult(limit, figure, State.EXCEEDED, f"not recovered: {how}")
    fine = outage.detection_limit_us <= tolerated_us(outage.interval_us)
    hidden = [] if fine else [Interval(0, outage.detection_limit_us)]
    if outage.kind is not OutageKind.NONE:
        found = longest_of([outage.length, *(gap.length for gap in outage.later_gaps), *hidden])
        high_us = found.high or 0  # each of them has an end, for the outage recovered
        return compare_with_limit(limit, Interval(found.low / 1000, high_us / 1000))
    if truncated:
        note = f"no probe was impaired, but {truncated}: it may have come later"
        return LimitResult(limit, Interval(0, None), State.INCONCLUSIVE, note)
    seen = Interval(0, outage.detection_limit_us / 1000)
    known = limit.limit is not None
    return LimitResult(limit, seen, State.KEPT, limit.note) if fine and known else compare_with_limit(limit, seen)


def judge_count(limit: Limit, number: int, total: int, unread: int, none: str) -> LimitResult:
    """`number` of `total` requests; `unread` rows of their log could not be read and may be any of either."""
    every = total + unread
    if not total:
        return leave_unmeasured(limit, f"{none} to count in")
    lost = f"; {unread:,} more could not be read" if unread else ""
    low, high = float(number), float(number + unread)
    figure = Interval(low / every, high / every) if limit.unit is Unit.SHARE else Interval(low, high)
    return compare_with_limit(limit, figure, f"{number:,} of {total:,}{lost}")


def judge_changes(limit: Limit, changes: ChangeFigures | None) -> LimitResult:
    """What a series of changes cost. An unreadable row of a load may be a loss."""
    if changes is None:
        return leave_unmeasured(limit, "no change was made, or nothing was open or asked meanwhile")
    if limit.name is LimitName.LOST:
        return compare_with_limit(limit, Interval(changes.lost, changes.lost + changes.unread))
    if limit.name is LimitName.LOSSY:
        low, high = changes.lossy_bounds(limit.confidence or CONFIDENCE)
        note = f"{changes.lossy} of {len(changes.made)} changes"
        return compare_with_limit(limit, Interval(low, 1.0 if changes.unread else high), note)
    if changes.delay is None:
        return leave_unmeasured(limit, "nothing was answered both within a change and between changes")
    high_us = changes.delay.high
    return compare_with_limit(limit, Interval(changes.delay.low / 1000, None if high_us is None else high_us / 1000))


def figure_text(result: LimitResult) -> str:
    """`3,757 to 3,784 ms`, `at least 3,757 ms`, `1.2%`: rounded outwards, so that no interval looks narrower; with
    more digits where it would be rounded to the other side of its limit."""
    figure, limit = result.figure, result.limit
    if figure is None:
        return "unknown"
    if figure.high is None:
        return f"at least {_outwards(figure.low, limit, math.floor)}{_SUFFIX[limit.unit]}"
    if figure.low == figure.high:
        return f"{_outwards(figure.low, limit, round)}{_SUFFIX[limit.unit]}"
    low, high = _outwards(figure.low, limit, math.floor), _outwards(figure.high, limit, math.ceil)
    return f"{low} to {high}{_SUFFIX[limit.unit]}"


def limit_text(limit: Limit) -> str:
    """`3,770 ms`, `1%`, `20`; `usual` where it is not known"""
    if limit.limit is None:
        return USUAL
    return f"{_trimmed(limit.limit * _SCALE[limit.unit])}{_SUFFIX[limit.unit]}"


_SUFFIX = {Unit.MILLISECONDS: " ms", Unit.SHARE: "%", Unit.REQUESTS: ""}
_SCALE = {Unit.MILLISECONDS: 1, Unit.SHARE: 100, Unit.REQUESTS: 1}
TENTHS_BELOW_MS = 100
"""Shorter durations are printed with tenths."""
MOST_DECIMALS = 6
"""As many as a limit may have."""


def _outwards(value: float, limit: Limit, rounded: Callable[[float], int]) -> str:
    """Shares as hundredths of a percent, or finer; 1e-9 is less than any figure, and more than what binary fractions
    add."""
    scale, most = _SCALE[limit.unit], math.inf if limit.limit is None else limit.limit
    nudge = 1e-9 if rounded is math.floor else -1e-9 if rounded is math.ceil else 0.0
    decimals = 2 if limit.unit is Unit.SHARE else int(limit.unit is Unit.MILLISECONDS and value < TENTHS_BELOW_MS)
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
    """The figures that limits are about."""

    events: Events
    figures: Figures
    unread: int
    """Rows of the load's log that could not be read; of the probes' where there is no load."""
    truncated: Mapping[LimitName, str]
    """How the phase that a limit looks at was cut short, if it was."""
    lost: Mapping[LimitName, str] = field(default_factory=dict)
    """Why a figure cannot be measured, because a file of its source is not whole."""

    def judge(self, limit: Limit) -> LimitResult:
        if limit.name in self.lost:
            return leave_unmeasured(limit, self.lost[limit.name])
        match limit.name:
            case LimitName.OUTAGE:
                if self.figures.silences:
                    return _judge_silences(limit, self.figures.whole_silences)
                if self.events.outage is None:
                    return leave_unmeasured(limit, why_unprobed(self.events.run))
                return judge_outage(limit, self.events.outage, self.truncated.get(limit.name, ""))
            case LimitName.FAILBACK:
                if self.events.failback is None:
                    none = "nothing was healed while the load ran, so no failback was seen"
                    return leave_unmeasured(limit, none if self.events.outage else why_unprobed(self.events.run))
                return judge_outage(limit, self.events.failback, self.truncated.get(limit.name, ""))
            case LimitName.FAILED | LimitName.LATE:
                by_phase = self.figures.requests.by_phase if self.figures.requests else {}
                return self._count(limit, by_phase.get(PhaseName.SWITCHOVER), "no switchover phase")
            case LimitName.FAILED_TOTAL:
                whole = self.figures.requests.whole if self.figures.requests else None
                return self._count(limit, whole, "no request")
            case LimitName.SPLIT_BRAIN:
                if self.figures.split_brain is None:
                    return leave_unmeasured(limit, NO_SOURCE)
                return _judge_split_brain(limit, self.figures.split_brain)
            case LimitName.UNACCOUNTED:
                return self._unaccounted(limit)
            case LimitName.LOST | LimitName.LOSSY | LimitName.DELAY:
                return judge_changes(limit, self.figures.changes)

    def _count(self, limit: Limit, counts: Counts | None, none: str) -> LimitResult:
        found = counts or Counts()
        number = found.late if limit.name is LimitName.LATE else found.failed
        return judge_count(limit, number, found.total, self.unread, none)

    def _unaccounted(self, limit: Limit) -> LimitResult:
        unaccounted = self.figures.accounting.unaccounted
        if self.figures.accounting.uncounted and self.figures.accounting.dedicated:
            missing = ", ".join(self.figures.accounting.uncounted)
            return leave_unmeasured(limit, f"no counters of {missing} from before the load on")
        if unaccounted is None:
            return leave_unmeasured(limit, "the target is not exclusive, or nothing but us counted")
        return compare_with_limit(limit, Interval(unaccounted, unaccounted))
