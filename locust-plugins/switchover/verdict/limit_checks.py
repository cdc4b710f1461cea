"""Compare the figures of a run with its limits. The result is inconclusive if the limit is inside the interval of the
figure."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from switchover.evidence.flaws import JOURNAL_STEM, PROBES_STEM, SAMPLES_STEM, why_flawed
from switchover.evidence.nodes import nodes_with
from switchover.evidence.run_data import RunData
from switchover.faults.mechanisms.faults import NODE_DOWN
from switchover.figures.changes.changes import ChangeFigures
from switchover.figures.changes.cost import CONFIDENCE
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.figures.outage import Outage
from switchover.figures.probes import tolerated_us, why_unprobed
from switchover.figures.silences import figure_of
from switchover.model.interval import Interval, longest_of
from switchover.verdict.limit import USUAL, Limit, with_defaults
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import (
    Accounting,
    Counts,
    LimitName,
    OutageKind,
    PhaseName,
    State,
    Unit,
)
from switchover.verdict.record import Limit as Result

NAMED = 3
"""The maximum number of file names that a message lists."""
_LIMIT_OF_PHASE = {"hold": LimitName.OUTAGE, "recover": LimitName.FAILBACK}
"""For each phase that may be cut short, the limit of the figure that is measured in this phase."""
NO_HISTORY = "'switchover report' computes the usual outage from the other runs in the folder"
NO_SOURCE = "a balancer had no VIP ownership source for a part of the run"
NO_CLOCKS = "in the order of arrival: the clocks of the balancers are unknown"


def compare_with_limit(limit: Limit, figure: Interval, note: str = "") -> Result:
    """Compare the interval of a figure with a limit. The result is inconclusive if the limit is unknown, if the limit
    is inside the interval, or if the figure exceeds a usual value."""
    within = None if limit.limit is None else figure.is_within(limit.limit)
    state = {
        True: State.KEPT,
        False: State.INCONCLUSIVE if limit.usual else State.EXCEEDED,
        None: State.INCONCLUSIVE,
    }[within]
    why_unknown = NO_HISTORY if limit.limit is None else ""
    return result_of(limit, figure, state, "; ".join(filter(None, (note, limit.note or why_unknown))))


def result_of(limit: Limit, figure: Interval | None, state: State, note: str = "") -> Result:
    """Make the record of the result. `figure`: in the unit of the limit; None: not measured."""
    decimals = 3 if limit.unit is Unit.MILLISECONDS else 9
    return Result(
        name=limit.name,
        limit=limit.limit,
        unit=limit.unit,
        confidence=limit.confidence,
        low=None if figure is None else round(figure.low, decimals),
        high=None if figure is None or figure.high is None else round(figure.high, decimals),
        state=state,
        default=limit.default,
        note=note,
    )


def leave_unmeasured(limit: Limit, why: str) -> Result:
    return result_of(limit, None, State.UNMEASURED, why)


def judge_outage(limit: Limit, outage: Outage, truncated: str) -> Result:
    """Compare the outage with the limit. If a later gap or the detection limit is longer than the outage, compare the
    longer value. An outage without a recovery exceeds every limit. `truncated`: why the phase was cut short. An
    outage may have begun after the early end of the phase."""
    longest = longest_of([outage.length, *(gap.length for gap in outage.later_gaps)])
    if not outage.recovered:
        how = "at least this long" if outage.censored else "down again at the end of the phase"
        return result_of(limit, Interval(longest.low / 1000, None), State.EXCEEDED, f"not recovered: {how}")
    unseen = outage.detection_limit_us / 1000
    is_fine = outage.detection_limit_us <= tolerated_us(outage.interval_us)
    if outage.kind is not OutageKind.NONE:
        high_ms = (longest.high or 0) / 1000  # the service recovered, so each gap has an end
        return compare_with_limit(limit, Interval(longest.low / 1000, high_ms if is_fine else max(high_ms, unseen)))
    if truncated:
        note = f"no probe was impaired, but {truncated}: an outage may have begun later"
        return result_of(limit, Interval(0, None), State.INCONCLUSIVE, note)
    if is_fine and limit.limit is not None:
        return result_of(limit, Interval(0, unseen), State.KEPT, limit.note)
    return compare_with_limit(limit, Interval(0, unseen))


def judge_count(limit: Limit, number: int, total: int, unread: int, none: str) -> Result:
    """Compare `number` of `total` requests with a limit. Each of the `unread` rows may also be such a request."""
    every = total + unread
    if not total:
        return leave_unmeasured(limit, f"the run has {none}")
    lost = f"; {unread:,} more could not be read" if unread else ""
    low, high = float(number), float(number + unread)
    figure = Interval(low / every, high / every) if limit.unit is Unit.SHARE else Interval(low, high)
    return compare_with_limit(limit, figure, f"{number:,} of {total:,}{lost}")


def judge_changes(limit: Limit, changes: ChangeFigures | None) -> Result:
    """Compare the losses or delays of a series of changes with a limit. Each unreadable row may be a loss."""
    if changes is None:
        return leave_unmeasured(limit, "no change was made, or no connection and no request was open during a change")
    if limit.name is LimitName.LOST:
        return compare_with_limit(limit, Interval(changes.record.lost, changes.record.lost + changes.unread))
    if limit.name is LimitName.LOSSY:
        low, high = changes.lossy_bounds(limit.confidence or CONFIDENCE)
        note = f"{changes.record.lossy} of {changes.record.made} changes"
        return compare_with_limit(limit, Interval(low, 1.0 if changes.unread else high), note)
    if changes.record.delay_low_ms is None:
        return leave_unmeasured(limit, "no kind of request was answered both during and between changes")
    return compare_with_limit(limit, Interval(changes.record.delay_low_ms, changes.record.delay_high_ms))


def figure_text(result: Result) -> str:
    """Format a figure, for example as `3,757 to 3,784 ms`, `at least 3,757 ms` or `1.2%`. Bounds are rounded
    outwards, with more digits if rounding would move a bound to the other side of the limit."""
    if result.low is None:
        return "unknown"
    if result.high is None:
        return f"at least {_outwards(result.low, result, math.floor)}{_SUFFIX[result.unit]}"
    if result.low == result.high:
        return f"{_outwards(result.low, result, round)}{_SUFFIX[result.unit]}"
    low, high = _outwards(result.low, result, math.floor), _outwards(result.high, result, math.ceil)
    return f"{low} to {high}{_SUFFIX[result.unit]}"


def limit_text(result: Result) -> str:
    """Format a limit, for example as `3,770 ms`, `1%` or `20`. An unknown limit is printed as `usual`."""
    if result.limit is None:
        return USUAL
    return f"{_trimmed(result.limit * _SCALE.get(result.unit, 1))}{_SUFFIX[result.unit]}"


def named_limit(result: Result) -> str:
    """Format a limit in the form that users write, for example `outage=5s`."""
    return str(Limit(result.name, result.limit, result.unit, result.confidence))


_SUFFIX = {Unit.MILLISECONDS: " ms", Unit.SHARE: "%", Unit.REQUESTS: ""}
_SCALE = {Unit.SHARE: 100}
TENTHS_BELOW_MS = 100
"""Durations below this number of milliseconds are printed with tenths of a millisecond."""
MOST_DECIMALS = 6
"""The maximum number of decimals of a figure. A limit has the same maximum."""


def _outwards(value: float, limit: Result, rounded: Callable[[float], int]) -> str:
    """Round a bound outwards. The added `nudge` compensates for floating-point errors, and is smaller than one unit
    of the last printed digit."""
    scale, maximum = _SCALE.get(limit.unit, 1), math.inf if limit.limit is None else limit.limit
    nudge = 1e-9 if rounded is math.floor else -1e-9 if rounded is math.ceil else 0.0
    decimals = 2 if limit.unit is Unit.SHARE else int(limit.unit is Unit.MILLISECONDS and value < TENTHS_BELOW_MS)
    shown = rounded(value * scale * 10**decimals + nudge) / 10**decimals
    while (shown > maximum * scale) is not (value > maximum) and decimals < MOST_DECIMALS:
        decimals += 1
        shown = rounded(value * scale * 10**decimals + nudge) / 10**decimals
    return _trimmed(shown)


def _trimmed(value: float) -> str:
    """Format a number with up to six decimals, without trailing zeros."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Measured:
    events: Events
    figures: Figures
    unread: int
    """The number of unreadable rows in the log of the load. Without a load: in the log of the probes."""
    truncated: Mapping[LimitName, str]
    """For each limit whose phase was cut short, the reason. Absent: the phase was not cut short."""
    lost: Mapping[LimitName, str] = field(default_factory=dict)
    """The reason why a figure cannot be measured, by limit: a file that the figure needs is damaged."""

    def judge(self, limit: Limit) -> Result:
        if limit.name in self.lost:
            return leave_unmeasured(limit, self.lost[limit.name])
        match limit.name:
            case LimitName.OUTAGE:
                if self.figures.whole_silences:
                    figure = longest_of(map(figure_of, self.figures.whole_silences))
                    if figure.high is None:
                        return result_of(limit, figure, State.EXCEEDED, "not recovered: at least this long")
                    return compare_with_limit(limit, figure, "by the load's own responses")
                return self._outage(limit, self.events.outage, "")
            case LimitName.FAILBACK:
                reason = "the fault was not healed while the load ran, so there is no failback"
                return self._outage(limit, self.events.failback, reason if self.events.outage else "")
            case LimitName.FAILED | LimitName.LATE:
                by_phase = self.figures.requests.by_phase if self.figures.requests else {}
                return self._count(limit, by_phase.get(PhaseName.SWITCHOVER), "no switchover phase")
            case LimitName.FAILED_TOTAL:
                return self._count(limit, self.figures.requests, "no request")
            case LimitName.SPLIT_BRAIN:
                held = self.figures.split_brain
                if held is None:
                    return leave_unmeasured(limit, NO_SOURCE)
                note = NO_CLOCKS if held.high_ms is None else ""
                return compare_with_limit(limit, Interval(held.low_ms, held.high_ms), note)
            case LimitName.UNACCOUNTED:
                return self._unaccounted(limit)
            case LimitName.LOST | LimitName.LOSSY | LimitName.DELAY:
                return judge_changes(limit, self.figures.changes)

    def _outage(self, limit: Limit, outage: Outage | None, none: str) -> Result:
        if outage is None:
            return leave_unmeasured(limit, none or why_unprobed(self.events.run))
        return judge_outage(limit, outage, self.truncated.get(limit.name, ""))

    def _count(self, limit: Limit, counts: Counts | None, none: str) -> Result:
        if counts is None:
            return leave_unmeasured(limit, f"the run has {none}")
        number = counts.late if limit.name is LimitName.LATE else counts.failed
        return judge_count(limit, number, counts.total, self.unread, none)

    def _unaccounted(self, limit: Limit) -> Result:
        accounting = self.figures.accounting
        if accounting.uncounted and accounting.dedicated:
            return leave_unmeasured(
                limit, f"the counters of {', '.join(accounting.uncounted)} were not read before the load"
            )
        if accounting.unaccounted is None:
            return leave_unmeasured(limit, "the target is not dedicated, or no balancer and no backend counted")
        return compare_with_limit(limit, Interval(accounting.unaccounted, accounting.unaccounted))


def hold_limits(asked: Sequence[Limit], data: RunData, events: Events, figures: Figures) -> list[Result]:
    measured = Measured(
        events=events,
        figures=figures,
        unread=data.lost_rows.get("samples" if figures.samples else "probes", 0),
        truncated={_LIMIT_OF_PHASE[cut.phase]: cut.text for cut in data.run.truncated},
        lost=_lost_figures(data, figures),
    )
    balancers, accounting = events.balancers, figures.accounting
    # This fault may also disconnect the sources on the node of the victim.
    is_cut_off = data.run.fault is not None and data.run.fault.name == NODE_DOWN
    has_source = {
        LimitName.SPLIT_BRAIN: figures.split_brain is not None
        or (len(balancers) > 1 and set(balancers) <= set(nodes_with(data.run, "vip_owner")) and not is_cut_off),
        LimitName.UNACCOUNTED: accounting.unaccounted is not None
        or (accounting.dedicated and bool(nodes_with(data.run, "haproxy")) and not data.run.keeps_connections),
    }
    return [measured.judge(limit) for limit in with_defaults(asked, has_source)]


def _lost_figures(data: RunData, figures: Figures) -> dict[LimitName, str]:
    """Return the reason why a figure cannot be measured, by limit: a file that the figure needs is damaged."""
    stems = {
        LimitName.OUTAGE: (PROBES_STEM,),
        LimitName.FAILBACK: (PROBES_STEM,),
        LimitName.SPLIT_BRAIN: (JOURNAL_STEM,),
        **dict.fromkeys((LimitName.UNACCOUNTED, LimitName.LOST, LimitName.LOSSY, LimitName.DELAY), ("",)),
    }
    request_logs = (SAMPLES_STEM if figures.samples or data.run.workers else PROBES_STEM,)
    lost = {name: why for name in LimitName if (why := why_flawed(data.flaws, *stems.get(name, request_logs)))}
    if data.missing:  # the balancers also counted the requests that are missing in the damaged file
        lost.setdefault(LimitName.UNACCOUNTED, make_reason("part_missing", name=data.missing[0]).text)
    if why := why_unsealed(data.unsealed, figures.accounting):
        lost.setdefault(LimitName.UNACCOUNTED, why)
    return lost


def why_unsealed(unsealed: Sequence[str], accounting: Accounting) -> str:
    """Return a text if damaged files without a seal may be the cause of unaccounted requests; otherwise, an empty
    text."""
    if not accounting.unaccounted or not unsealed:
        return ""
    names = ", ".join(unsealed[:NAMED]) + (f" and {len(unsealed) - NAMED} more" if len(unsealed) > NAMED else "")
    return (
        f"unaccounted {accounting.unaccounted:,}, and these files have no seal: {names}. The cause may be the "
        "pair or a damaged file"
    )
