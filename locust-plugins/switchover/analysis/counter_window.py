"""A change window by counters that were scraped: for how long no good answer may have come.

Of a count that rose between two scrapes it is only known that a good answer came somewhere between them. So the
longest outage that the counters allow is the longest stretch of time that holds no such pair of scrapes whole.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from switchover.model.interval import Interval, Span, merge_spans
from switchover.telemetry.stored_counters import StoredCounter

GOOD, INTERIM = ("2xx", "3xx"), "1xx"
STOPPED_SCRAPES = 3
"""The window goes on for more than so many scrapes behind the last good answer: it was not seen to come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedWindow:
    span: Span
    nodes: Sequence[str]
    scrape_us: int
    """Between two scrapes of a node, the median."""
    good: int
    failed: Mapping[str, int]
    """By class of status code."""
    outage: Interval
    """The longest time without a good answer that is certain, and the longest that is possible; without an end where
    it was not seen to end, or the counters do not reach back to its begin."""
    within: Span
    """Where the longest possible one lies."""
    usual_us: int
    """As long a one is possible in a quiet time."""


@dataclass(frozen=True, slots=True)
class _Rise:
    """Between two scrapes of one series."""

    span: Span
    number: int
    restarted: bool
    """The count began again: what was counted since the scrape before is lost."""


def measure_counters(counters: Sequence[StoredCounter], span: Span) -> CountedWindow | None:
    """None where no good answer was counted in the window. The counters should reach beyond it."""
    good = [rise for one in counters if one.code in GOOD for rise in _rises(one)]
    came = [rise.span for rise in good if rise.number]
    if not any(one.overlaps(span) for one in came):
        return None
    gaps = [gap for gap in _possible_gaps(came) if gap.overlaps(span)]
    scrape_us = round(statistics.median(one.span.duration_us for one in good))
    last = max(came)
    is_back = span.to_us <= last.to_us + STOPPED_SCRAPES * scrape_us
    within = max(gaps, key=lambda gap: gap.duration_us, default=last) if is_back else Span(last.from_us, span.to_us)
    opening = Span(min(rise.span.from_us for rise in good), min(one.to_us for one in came))
    is_opening = is_back and opening.overlaps(span) and opening.duration_us > within.duration_us
    certain = [one for one in _certain_silence(counters) if one.overlaps(span)]
    return CountedWindow(
        span=span,
        nodes=sorted({one.node for one in counters}),
        scrape_us=scrape_us,
        good=sum(rise.number for rise in good if _is_in(rise.span, span)),
        failed=_failed(counters, span),
        outage=Interval(
            max((one.duration_us for one in certain), default=0),
            within.duration_us if is_back and not is_opening else None,
        ),
        within=opening if is_opening else within,
        usual_us=round(statistics.median(gap.duration_us for gap in gaps)) if gaps else within.duration_us,
    )


def _rises(counter: StoredCounter) -> Iterator[_Rise]:
    for (from_us, before), (to_us, after) in pairwise(counter.samples):
        restarted = after < before
        yield _Rise(Span(from_us, to_us), round(after if restarted else after - before), restarted)


def _possible_gaps(came: Iterable[Span]) -> Iterator[Span]:
    """From each pair of scrapes with a good answer, which may have come at once, to where the next must have."""
    earliest_us = None
    found = []
    ordered = sorted(set(came))
    for place in range(len(ordered) - 2, -1, -1):
        later = ordered[place + 1]
        earliest_us = later.to_us if earliest_us is None else min(earliest_us, later.to_us)
        if ordered[place].from_us < later.from_us:
            found.append(Span(ordered[place].from_us, earliest_us))
    yield from reversed(found)


def _certain_silence(counters: Sequence[StoredCounter]) -> list[Span]:
    """In which every node was scraped before and after, and counted no good answer."""
    nodes = {one.node for one in counters}
    silent = None
    for node in nodes:
        rises = [rise for one in counters if one.node == node and one.code in GOOD for rise in _rises(one)]
        loud = [rise.span for rise in rises if rise.number or rise.restarted]
        mine = [left for span in merge_spans(rise.span for rise in rises) for left in span.without(loud)]
        silent = mine if silent is None else list(_common(silent, mine))
    return silent or []


def _common(some: Iterable[Span], others: Sequence[Span]) -> Iterator[Span]:
    for one in some:
        for other in others:
            if one.overlaps(other):
                yield Span(max(one.from_us, other.from_us), min(one.to_us, other.to_us))


def _failed(counters: Iterable[StoredCounter], span: Span) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in counters:
        if one.code not in (*GOOD, INTERIM):
            found[one.code] += sum(rise.number for rise in _rises(one) if _is_in(rise.span, span))
    return {code: number for code, number in sorted(found.items()) if number}


def _is_in(rise: Span, window: Span) -> bool:
    return window.from_us <= rise.from_us and rise.to_us <= window.to_us
