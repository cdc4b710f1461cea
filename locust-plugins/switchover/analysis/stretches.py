"""Stretches of a load without a good answer: the longest after a fault, and all that its spacing does not explain.

The longest is what users felt of an outage. The others are the outages of a load that was not probed.

By the timestamp method (RFC 6201 section 1.3): from one good answer to the next. A stretch counts where it is several
times as long as nearly all others, and requests failed or waited in it; where nothing was sent, nothing is known.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import log

import numpy as np

from switchover.analysis.latency import ranks_sql
from switchover.analysis.requests.store import Integers
from switchover.analysis.requests.table import Requests, sql_list
from switchover.model.interval import Span

GAP_SPANS = 100_000
"""Into how many equal spans the time is divided at first: of each, only the first and last answer are looked at."""


def longest_gap(requests: Requests, since_us: int, until_us: int) -> Span | None:
    """The longest stretch without a good answer that ends after `since_us`, up to `until_us`.

    None where no good answer came before: then nothing says that there ever was a service. With few users the usual
    time between two answers is such a gap, too.
    """
    if until_us <= since_us:
        return None
    (before_us,) = requests.row(f"SELECT max(end_us) FROM {{requests}} WHERE success AND end_us <= {since_us}")
    span_us = max(1, (until_us - since_us) // GAP_SPANS)
    gap = _longest_between(requests, before_us, since_us, until_us, span_us)
    # What lies within one span is shorter than the span.
    if gap is not None and gap.duration_us < span_us:
        gap = _longest_between(requests, before_us, since_us, until_us, max(1, gap.duration_us))
    return gap


def _longest_between(
    requests: Requests, before_us: int | None, since_us: int, until_us: int, span_us: int
) -> Span | None:
    """The longest gap, and the first of that length, between the answers of two spans."""
    found = requests.arrays(
        "SELECT min(end_us) AS first, max(end_us) AS last FROM {requests} "
        f"WHERE success AND end_us > {since_us} AND end_us <= {until_us} "
        f"GROUP BY (end_us - {since_us}) // {span_us} ORDER BY first"
    )
    before = [] if before_us is None else [before_us]
    froms = np.concatenate([np.asarray(before, np.int64), found["last"]])
    tos = np.concatenate([found["first"], np.asarray([until_us], np.int64)])[-len(froms) :]
    if not len(froms):
        return None
    place = np.argmax(tos - froms)
    return Span(int(froms[place]), int(tos[place]))


SPANS = 50_000
"""Into how many equal spans the time is divided: of each, only the first and last answer are looked at."""
SPANS_OF_PARTS = 20_000
"""The same for a label or a backend."""
USUAL = 100
"""One stretch in this many is longer than the usual length."""
TIMES_USUAL = 3
"""A longer one counts from so many times the usual length on; of many stretches one more often is as long by chance,
where answers come at random: `(ln n + 9) / ln 100` times holds that chance under 0.02 % for each log."""
NAMES = 20
"""Labels and backends that are looked at one by one: the most common."""
FEWEST = 20
"""Good answers without which there is no spacing to speak of."""
WHOLE_SECOND_US = 1_000_000
"""Where all times are multiples of it, the log has whole seconds."""
KEPT = 100
"""The longest stretches of each that are looked at closely."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one good answer to the next, in microseconds since the epoch."""

    from_us: int
    to_us: int
    bound_us: int
    """By how much the service may have been away for less: from the last good answer to the first failure, and from
    the last failed request's send to the first good answer. Where requests waited, the usual spacing twice."""
    failed: int
    """Failures that ended within the stretch."""
    by_kind: Mapping[str, int]
    closed: bool
    """True: a good answer ended the stretch; False: the log ended in it."""

    @property
    def duration_us(self) -> int:
        return self.to_us - self.from_us


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of all requests, or of those of one label or backend."""

    column: str
    """`label` or `backend`; empty for all requests."""
    name: str
    usual_us: int
    """Nearly all good answers came this soon after another."""
    limit_us: int
    """A stretch that is no longer may be chance."""
    found: tuple[Stretch, ...]
    """The stretches in order of time."""

    @property
    def longest(self) -> Stretch | None:
        return max(self.found, key=lambda one: one.duration_us, default=None)


@dataclass(frozen=True, slots=True)
class _Usual:
    apart_us: int
    """Nearly all good answers came this soon after another."""
    took_us: Callable[[], int]
    """Nearly all took no longer; asked for where it is needed, for to count it takes long."""
    stamp_us: int
    """A time in the log may stand for any of so many microseconds from it on."""


def find_stretches(samples: Requests, known_us: Mapping[tuple[str, str], int] | None = None) -> list[Stretches]:
    """Of all requests; then of each label and backend that had one. None where fewer than `FEWEST` were good.

    `known_us`: how long 99 of 100 good answers took, by column and name, where that is known already.
    """
    known_us = known_us or {}
    return [
        *_find(samples, known_us),
        *_of_parts(samples, known_us, "label"),
        *_of_parts(samples, known_us, "backend"),
    ]


def _of_parts(samples: Requests, known_us: Mapping[tuple[str, str], int], column: str) -> Iterator[Stretches]:
    """Of the values of a column where it has several."""
    names = [
        name
        for (name,) in samples.rows(
            f"SELECT {column} FROM {{requests}} WHERE {column} <> '' GROUP BY ALL ORDER BY count(*) DESC, {column} "
            f"LIMIT {NAMES + 1}"
        )
    ]
    if len(names) > 1:
        # To look for each row's name in a list takes as long as to group by it.
        only = f"{column} <> ''" if len(names) <= NAMES else f"{column} IN {sql_list(names[:NAMES])}"
        yield from (one for one in _find(samples, known_us, column, only) if one.found)


def _find(
    samples: Requests, known_us: Mapping[tuple[str, str], int], column: str = "", only: str = "true"
) -> Iterator[Stretches]:
    """`only`: SQL, which requests have one of the names."""
    begun_us, ended_us = samples.row("SELECT min(start_us), max(end_us) FROM {requests}")
    span_us = max(1000, (ended_us - begun_us) // (SPANS_OF_PARTS if column else SPANS))
    by = column or "''"
    rows = samples.arrays(
        "SELECT CAST(name AS VARCHAR) AS name, first, last, answers FROM ("
        f"SELECT {by} AS name, end_us // {span_us} AS span, min(end_us) AS first, max(end_us) AS last, "
        f"count(*) AS answers FROM {{requests}} WHERE success AND {only} GROUP BY ALL) ORDER BY name, span"
    )

    @cache
    def took_by_name() -> Mapping[str, int]:
        spread = (
            f"(SELECT {by} AS name, end_us - start_us AS value, count(*) AS n FROM {{requests}} "
            f"WHERE success AND {only} GROUP BY ALL)"
        )
        return dict(samples.rows(ranks_sql(spread, "name", (99,))))

    def took_us(name: str) -> int:
        return known_us[column, name] if (column, name) in known_us else took_by_name()[name]

    of_row = np.asarray(rows["name"], dtype=object)
    for name in dict.fromkeys(of_row.tolist()):
        mine = of_row == name
        first, last, answers = (np.asarray(rows[key][mine], np.int64) for key in ("first", "last", "answers"))
        if answers.sum() < FEWEST:
            continue
        froms = np.concatenate([[begun_us], last]) if not column else last
        tos = np.concatenate([first, [ended_us]]) if not column else np.concatenate([first[1:], [ended_us]])
        usual_us = _usual_us(tos - froms, int(answers.sum()), span_us)
        limit_us = usual_us * max(TIMES_USUAL, (log(float(answers.sum())) + 9) / log(USUAL))
        places = [place for place in np.argsort(froms - tos)[:KEPT].tolist() if tos[place] - froms[place] > limit_us]
        chosen = [(int(froms[place]), int(tos[place])) for place in sorted(places)]
        condition = f"{column} = '{str(name).replace(chr(39), chr(39) * 2)}'" if column else "true"
        stamp_us = WHOLE_SECOND_US if not np.any((first % WHOLE_SECOND_US) | (last % WHOLE_SECOND_US)) else 0
        usual = _Usual(usual_us, partial(took_us, str(name)), stamp_us)
        found = _look_closely(samples, condition, chosen, usual, (begun_us, ended_us))
        yield Stretches(column, str(name), usual_us, round(limit_us), tuple(found))


def _usual_us(lengths: Integers, answers: int, span_us: int) -> int:
    """The length that one stretch in a hundred exceeds. What lies within a span is shorter than it."""
    place = max(1, min(answers // USUAL, answers // 4))
    longest_first = np.sort(lengths)[::-1]
    return int(longest_first[place]) if place < len(longest_first) else span_us


@dataclass(frozen=True, slots=True)
class _Failures:
    """Of one stretch."""

    by_kind: Counter[str]
    seen_us: int
    """The service was away by then: the first request had failed."""
    sent_us: int
    """The service was away still: the last request that failed was sent."""


def _look_closely(
    samples: Requests, condition: str, chosen: Sequence[tuple[int, int]], usual: "_Usual", log_us: tuple[int, int]
) -> Iterator[Stretch]:
    """Those in which requests failed or waited."""
    begun_us, ended_us = log_us
    if not chosen:
        return
    stretches = dict(enumerate(chosen))
    failures = _failures_in(samples, condition, stretches)
    vague = {}
    for place, (from_us, to_us) in stretches.items():
        one = failures.get(place)
        if one is None or (one.seen_us - from_us) + (to_us - one.sent_us) > 2 * usual.apart_us:
            vague[place] = (from_us, to_us)
    hung = _find_hung(samples, condition, vague, begun_us, usual)
    for place, (from_us, to_us) in stretches.items():
        one = failures.get(place)
        if one is None and place not in hung:
            continue
        unseen_us = 2 * usual.apart_us
        if one is not None and place not in hung:
            unseen_us = (one.seen_us - from_us) + (to_us - one.sent_us)
        by_kind = Counter[str]() if one is None else one.by_kind
        closed = to_us < ended_us
        latest_us = to_us + usual.stamp_us if closed else to_us
        yield Stretch(
            from_us=from_us,
            to_us=latest_us,
            bound_us=min(unseen_us + 2 * usual.stamp_us, latest_us - from_us),
            failed=by_kind.total(),
            by_kind=dict(by_kind.most_common()),
            closed=closed,
        )


def _failures_in(samples: Requests, condition: str, stretches: Mapping[int, tuple[int, int]]) -> dict[int, _Failures]:
    """By the places of the stretches that have any."""
    found: dict[int, _Failures] = {}
    for place, error, number, seen_us, sent_us in samples.rows(
        "SELECT place, error, count(*), min(end_us), max(start_us) FROM (SELECT start_us, end_us, error "
        f"FROM {{requests}} WHERE NOT success AND {condition}) AS failure JOIN {_table_of(stretches)} "
        "ON end_us >= from_us AND end_us <= to_us GROUP BY ALL"
    ):
        before = found.get(place, _Failures(Counter(), seen_us, sent_us))
        before.by_kind[error or "unknown"] += number
        found[place] = _Failures(before.by_kind, min(before.seen_us, seen_us), max(before.sent_us, sent_us))
    return found


def _find_hung(
    samples: Requests, condition: str, stretches: Mapping[int, tuple[int, int]], begun_us: int, usual: _Usual
) -> frozenset[int]:
    """Those in which requests waited longer than is usual, by their places. Before the first good answer, and where
    nearly all requests take longer than the stretch, waiting in it is nothing unusual."""
    later = {
        place: (from_us, to_us)
        for place, (from_us, to_us) in stretches.items()
        if from_us > begun_us and to_us - from_us > usual.took_us()
    }
    if not later:
        return frozenset()
    shortest_us = min(to_us - from_us for from_us, to_us in later.values())
    waited = samples.rows(
        f"SELECT DISTINCT place FROM (SELECT start_us, end_us FROM {{requests}} WHERE {condition} "
        f"AND end_us - start_us >= {shortest_us // 2}) AS request "
        f"JOIN {_table_of(later)} ON start_us <= (from_us + to_us) // 2 AND end_us >= (from_us + to_us) // 2 "
        "AND 2 * (end_us - start_us) >= to_us - from_us"
    )
    return frozenset(place for (place,) in waited)


def _table_of(stretches: Mapping[int, tuple[int, int]]) -> str:
    rows = ", ".join(f"({place}, {from_us}, {to_us})" for place, (from_us, to_us) in stretches.items())
    return f"(VALUES {rows}) AS stretch (place, from_us, to_us)"
