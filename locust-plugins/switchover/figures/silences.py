"""The silences of a log (times without a good response), and the outage that is inside a silence. A good response
proves that the service was up, so an outage cannot extend over two silences. Failed requests prove a part of the
outage. Requests that only wait are no proof of an outage."""

from collections.abc import Iterator
from math import log
from typing import NamedTuple

import numpy as np

from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT
from switchover.evidence.requests.stamps import time_step_of
from switchover.evidence.requests.store import Integers, sql_text
from switchover.evidence.requests.table import Requests
from switchover.evidence.run_data import LogScope
from switchover.model.interval import Interval, Span
from switchover.verdict.record import Silence, Silences, milliseconds, milliseconds_if_known
from switchover.verdict.record import Span as SpanRecord

BY_CHANCE = 0.001
"""A series of failures is no outage if chance alone would cause at least this number of equally long series in the
log."""
CUT_US = 2_000
"""The error, in microseconds, of a log that truncates times and durations to milliseconds."""
LABELS = 20
"""The maximum number of labels that are measured separately. The most common labels are chosen."""


def figure_of(silences: Silences) -> Interval:
    """Return the interval that is compared with the limit of the outage: from the proven to the longest possible
    outage, in milliseconds."""
    low_ms = 0.0 if silences.outage is None else silences.outage.low_ms
    return Interval(low_ms, silences.longest.high_ms if silences.recovered else None)


def find_silences(samples: Requests, scope: LogScope) -> list[Silences]:
    """Measure the silences of each log file. With `scope.by_label`, also measure the silences of each file's most
    common labels."""
    width_us = time_step_of(samples) + CUT_US + scope.bound_us
    conditions = {name: f"part IN ({', '.join(map(str, parts))})" for name, parts in scope.files.items()}
    measured = []
    for name, condition in (conditions or {"": "true"}).items():
        begun_us, ended_us = samples.row(f"SELECT min(start_us), max(end_us) FROM {{requests}} WHERE {condition}")
        if begun_us is None:
            continue
        if scope.window is not None:
            begun_us, ended_us = min(begun_us, scope.window.from_us), max(ended_us, scope.window.to_us)
        log = _Log(samples, name, Span(begun_us, ended_us), width_us)
        measured.append(log.measure("", condition))
        if scope.by_label:
            labels = samples.rows(
                f"SELECT label FROM {{requests}} WHERE {condition} GROUP BY label ORDER BY count(*) DESC, label "
                f"LIMIT {LABELS}"
            )
            measured += [log.measure(label, f"{condition} AND label = {sql_text(label)}") for (label,) in labels]
    return measured


def longest_gap(requests: Requests, since_us: int, until_us: int) -> SpanRecord | None:
    """Return the longest time without a good response that ends between `since_us` and `until_us`. None: no good
    response until `until_us`."""
    if until_us <= since_us:
        return None
    (before_us,) = requests.row(f"SELECT max(end_us) FROM {{requests}} WHERE success AND end_us <= {since_us}")
    good = requests.arrays(
        f"SELECT DISTINCT end_us FROM {{requests}} WHERE success AND end_us > {since_us} AND end_us <= {until_us} "
        "ORDER BY end_us"
    )["end_us"]
    edges = np.concatenate([[] if before_us is None else [before_us], good, [until_us]]).astype(np.int64)
    if len(edges) < 2:
        return None
    place = int(np.argmax(np.diff(edges)))
    return SpanRecord.of(int(edges[place]), int(edges[place + 1]))


class _Log(NamedTuple):
    samples: Requests
    file: str
    span: Span
    width_us: int

    def measure(self, label: str, condition: str) -> Silences:
        edges = self.samples.arrays(f"SELECT end_us FROM {{requests}} WHERE {condition} AND {GOOD_OR_LATE}")["end_us"]
        edges = np.append(edges, [self.span.from_us, self.span.to_us]).astype(np.int64, copy=False)
        edges.sort()
        failed = self.samples.arrays(
            f"SELECT start_us, end_us FROM {{requests}} WHERE {condition} AND NOT success AND {SENT} ORDER BY end_us"
        )
        low_ends = _low_ends(edges, failed["start_us"], failed["end_us"])
        proven = {place: low - self.width_us for place, low in low_ends if low > self.width_us}
        last, longest = len(edges) - 2, int(np.argmax(np.diff(edges)))

        def silence(place: int) -> Silence:
            span = Span(int(edges[place]), int(edges[place + 1]))
            low_us = proven.get(place, 0)
            high_us = None if place == last and low_us else span.duration_us + self.width_us
            middle_us = (span.from_us + span.to_us) // 2
            (in_progress,) = self.samples.row(
                f"SELECT count(*) FROM {{requests}} WHERE {condition} AND start_us <= {middle_us} "
                f"AND end_us > {middle_us}"
            )
            after = ">=" if place == 0 else ">"
            by_kind = self.samples.rows(
                "SELECT CASE error WHEN '' THEN 'unknown' ELSE error END AS kind, count(*) AS times FROM {requests} "
                f"WHERE {condition} AND NOT success AND {SENT} AND end_us {after} {span.from_us} "
                f"AND end_us <= {span.to_us} GROUP BY kind ORDER BY times DESC, kind"
            )
            return Silence.of(
                span.from_us,
                span.to_us,
                low_ms=milliseconds(low_us),
                high_ms=milliseconds_if_known(high_us),
                failed=sum(times for _, times in by_kind),
                by_kind=dict(by_kind),
                in_progress=in_progress,
            )

        return Silences(
            file=self.file or None,
            label=label or None,
            longest=silence(longest),
            outage=silence(max(proven, key=lambda place: proven[place])) if proven else None,
            more=max(0, len(proven) - 1),
            recovered=last not in proven,
        )


def _low_ends(edges: Integers, starts: Integers, ends: Integers) -> Iterator[tuple[int, int]]:
    """For each silence with more consecutive failures than chance explains, yield its index and its proven outage in
    microseconds. The proven outage lasts from the end of the first failure to the start of the last failure. At each
    end of the silence, as many failures are ignored as chance explains. Requests that started before the silence are
    ignored, because an earlier outage may have failed them. `edges` and `ends` are sorted."""
    good = len(edges) - 2
    places = np.maximum(0, np.searchsorted(edges, ends) - 1)
    within = starts >= edges[places]
    failed, requests = len(ends), good + len(ends)
    places, starts, ends = places[within], starts[within], ends[within]
    firsts = np.flatnonzero(np.diff(places, prepend=-1))
    lasts = np.append(firsts[1:], len(ends))
    expected = (failed / max(1, requests)) ** (lasts - firsts) * requests
    for run in np.flatnonzero((expected < BY_CHANCE) | (good == 0)).tolist():
        first, last = int(firsts[run]), int(lasts[run])
        chance = _by_chance(failed - (last - first), requests - (last - first))
        if last - first > 2 * chance:
            sent = np.sort(starts[first:last])
            yield int(places[first]), int(sent[-1 - chance] - ends[first + chance])


def _by_chance(failed: int, requests: int) -> int:
    """Return the number of random failures that may directly precede or follow an outage. Both arguments exclude the
    failures of the outage."""
    if not failed:
        return 0
    return int(log(BY_CHANCE) / log(failed / (requests + 1)))
