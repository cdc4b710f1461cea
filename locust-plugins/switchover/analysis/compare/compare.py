"""Runs side by side: every figure of each, and what of the differences is more than chance or a bound can make."""

from collections.abc import Iterator, Sequence

from switchover.analysis.compare.bootstrap import ConfidenceInterval
from switchover.analysis.compare.comparison import (
    ONE_EVENT,
    Difference,
    Figure,
    FigureUnit,
    Finding,
    Side,
    Value,
    are_drills,
    by_drill,
    drills_differ,
)
from switchover.analysis.compare.requests import compare_requests
from switchover.analysis.outage import Outage
from switchover.analysis.verdict import Verdict


def compare_events(sides: Sequence[Side]) -> Iterator[Figure]:
    """What a fault and its heal cost, side by side.

    A switchover is one event. What differs between two of them is compared by the bounds of both, and with how much
    chance lets one drill differ from the next, where theory knows that. Of folders of repeats each drill is one
    value, and the means are compared.
    """
    for name in ("outage", "failback"):
        found = [[_outage(verdict, name) for verdict in side.verdicts] for side in sides]
        values = tuple(_mean([one for one in outages if one is not None]) for outages in found)
        spread = _spread(sides) if name == "outage" else None
        differences = [_event(name, sides, values, found, other, spread) for other in range(1, len(sides))]
        yield Figure(name, "", FigureUnit.MILLISECONDS, values, tuple(differences))
    yield by_drill("split brain", "", FigureUnit.MILLISECONDS, sides, lambda verdict: verdict.figures.split_brain_ms)


def _outage(verdict: Verdict, name: str) -> Value | None:
    outage: Outage | None = getattr(verdict.events, name)
    if outage is None or not outage.recovered:
        return None
    length = outage.length
    return Value(outage.duration_us / 1000, length.low / 1000, (length.high or 0) / 1000)


def _mean(values: Sequence[Value]) -> Value:
    if not values:
        return Value(None)
    sums = [sum(getattr(value, name) or 0.0 for value in values) / len(values) for name in ("value", "low", "high")]
    return Value(*sums)


def _spread(sides: Sequence[Side]) -> float | None:
    """By how much chance alone lets one drill differ from the next, as theory has it; None: unknown."""
    fits = [verdict.figures.prediction for side in sides for verdict in side.verdicts]
    widths = [fit.high_ms - fit.low_ms for fit in fits if fit and fit.high_ms is not None and fit.low_ms is not None]
    return max(widths) if len(widths) == len(fits) and widths else None


def _event(
    name: str,
    sides: Sequence[Side],
    values: Sequence[Value],
    found: Sequence[Sequence[Value | None]],
    other: int,
    spread: float | None,
) -> Difference:
    if are_drills(sides):
        known = [[value.value for value in side if value is not None and value.value is not None] for side in found]
        missing = any(len(known[place]) < len(found[place]) for place in (0, other))
        note = "without drills that did not recover" if missing else ""
        return drills_differ(name, known[0], known[other], note)
    first, second = values[0], values[other]
    if None in (first.value, first.low, first.high, second.value, second.low, second.high):
        return Difference(Finding.UNKNOWN, note="not measured, or not recovered, in one of them")
    assert first.value is not None and first.low is not None and first.high is not None
    assert second.value is not None and second.low is not None and second.high is not None
    interval = ConfidenceInterval(second.low - first.high, second.high - first.low)
    value = second.value - first.value
    if interval.holds(0):
        return Difference(Finding.UNKNOWN, value, interval, f"{ONE_EVENT}: the bounds of both overlap")
    if spread is None:
        return Difference(Finding.UNKNOWN, value, interval, f"{ONE_EVENT}: what chance can do is not known")
    if min(abs(interval.low), abs(interval.high)) <= spread:
        note = f"{ONE_EVENT}: by theory chance lets two differ by up to {spread:,.0f} ms"
        return Difference(Finding.UNKNOWN, value, interval, note)
    return Difference(Finding.DIFFERS, value, interval, "by more than theory leaves to chance")


def compare(sides: Sequence[Side]) -> list[Figure]:
    """Every figure that at least two sides have, against the first."""
    figures = [
        *compare_events(sides),
        *compare_requests(sides, "probes", "probes"),
        *compare_requests(sides, "load", "samples"),
    ]
    return [figure for figure in figures if sum(value.value is not None for value in figure.values) > 1]
