"""Stretches of a load without a good answer that its spacing does not explain: the outages of a load without probes.

By the timestamp method (RFC 6201 section 1.3): from one good answer to the next. A stretch counts where it is several
times as long as nearly all others, and requests failed or waited in it; where nothing was sent, nothing is known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from switchover.analysis.clock_jumps import Jump, missing_us
from switchover.analysis.requests.columns import SENT
from switchover.analysis.requests.store import Integers
from switchover.analysis.requests.table import Requests, sql_list
from switchover.analysis.resolution import resolution_of
from switchover.analysis.silence import STAMP_US, WindowEdges, least_outage_us
from switchover.analysis.stretch_evidence import Answers, Failures, failures_in, find_hung, shown_by_waiting
from switchover.model.interval import Interval, Span

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
KEPT = 100
"""The longest stretches of each that are looked at closely."""
NONE_OPEN = -1
"""A good answer is known behind the last stretch."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one good answer to the next, in microseconds since the epoch as the log has them."""

    from_us: int
    to_us: int
    """Where no good answer came any more: when the last request was sent."""
    length: Interval
    """For how long the service was away, in microseconds. Low: from the first failure to the send of the last request
    that failed; where requests waited, to the last time that one was sent again in vain. High: from the last good
    answer to the next, and what the log's clock hides; None where none came any more."""
    failed: int
    """Failures that ended within the stretch."""
    by_kind: Mapping[str, int]
    silent: bool = False
    """No request was logged in it."""

    @property
    def span(self) -> Span:
        return Span(self.from_us, self.to_us)

    @property
    def bound_us(self) -> int:
        """By how much the service may have been away for less than the high end."""
        high = self.span.duration_us if self.length.high is None else self.length.high
        return int(high - self.length.low)


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of all requests, or of those of one label or backend."""

    column: str
    """`label` or `backend`; empty for all requests."""
    name: str
    usual_us: int
    """Nearly all good answers came this soon after another."""
    limit_us: int
    """What is no longer may be chance, or hidden: by the times of the log, or where its clock was set back."""
    found: tuple[Stretch, ...]
    """The stretches in order of time."""

    @property
    def longest(self) -> Stretch | None:
        return max(self.found, key=lambda one: one.length.high or one.span.duration_us, default=None)


@dataclass(frozen=True, slots=True)
class _Log:
    """What is asked of, and what holds for all its requests."""

    samples: Requests
    jumps: Sequence[Jump]
    window: WindowEdges | None
    begun_us: int
    ended_us: int
    resolution_us: int


def find_stretches(
    samples: Requests,
    jumps: Sequence[Jump] = (),
    window: WindowEdges | None = None,
) -> list[Stretches]:
    """Of all requests; then of each label and backend that had one. None where fewer than `FEWEST` were good.

    `jumps`: where the log's clock was set back. `window`: they are a window of balancers' own logs.
    """
    begun_us, ended_us, sent_us = samples.row("SELECT min(start_us), max(end_us), max(start_us) FROM {requests}")
    if window is not None and window.before_us is not None:
        begun_us = min(begun_us, window.before_us)
    asked = _Log(samples, jumps, window, begun_us, ended_us, resolution_of(samples))
    return [*_find(asked, {"": sent_us}), *_of_parts(asked, "label"), *_of_parts(asked, "backend")]


def _of_parts(asked: _Log, column: str) -> Iterator[Stretches]:
    """Of the values of a column where it has several."""
    sent_us = dict(
        asked.samples.rows(
            f"SELECT {column}, max(start_us) FROM {{requests}} WHERE {column} <> '' GROUP BY ALL "
            f"ORDER BY count(*) DESC, {column} LIMIT {NAMES + 1}"
        )
    )
    if len(sent_us) > 1:
        # To look for each row's name in a list takes as long as to group by it.
        only = f"{column} <> ''" if len(sent_us) <= NAMES else f"{column} IN {sql_list(list(sent_us)[:NAMES])}"
        yield from (one for one in _find(asked, sent_us, column, only) if one.found)


def _find(asked: _Log, sent_us: Mapping[str, int], column: str = "", only: str = "true") -> Iterator[Stretches]:
    """`sent_us`: by name, when the last request was sent. `only`: SQL, which requests have one of the names."""
    samples = asked.samples
    span_us = max(1000, (asked.ended_us - asked.begun_us) // (SPANS_OF_PARTS if column else SPANS))
    by = column or "''"
    rows = samples.arrays(
        "SELECT CAST(name AS VARCHAR) AS name, first, last, answers, longest FROM ("
        f"SELECT {by} AS name, end_us // {span_us} AS span, min(end_us) AS first, max(end_us) AS last, "
        "count(*) AS answers, max(end_us - start_us) AS longest "
        f"FROM {{requests}} WHERE success AND {only} GROUP BY ALL) ORDER BY name, span"
    )

    of_row = np.asarray(rows["name"], dtype=object)
    for name in dict.fromkeys(of_row.tolist()):
        mine = of_row == name
        first, last, held, longest = (
            np.asarray(rows[key][mine], np.int64) for key in ("first", "last", "answers", "longest")
        )
        answers = Answers(int(held.sum()), int(longest.max()))
        if answers.number < FEWEST:
            continue
        condition = f"{column} = '{str(name).replace(chr(39), chr(39) * 2)}'" if column else "true"
        part = _Part(asked, column, condition, answers, span_us)
        yield part.measure(str(name), _Edges(first, last, held), sent_us[name])


@dataclass(frozen=True, slots=True)
class _Edges:
    """The good answers of one name at the edges of spans of time."""

    first: Integers
    last: Integers
    held: Integers
    """How many there are in each span."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The requests of one name, or all."""

    asked: _Log
    column: str
    """`label` or `backend`; empty for all."""
    condition: str
    """SQL: they have the name."""
    answers: Answers
    span_us: int

    def measure(self, name: str, edges: _Edges, sent_us: int) -> Stretches:
        """`sent_us`: when the last request was sent; of the time after it nothing is known."""
        first, last = edges.first, edges.last
        froms = last if self.column else np.concatenate([[self.asked.begun_us], last])
        closed_us = self._closed_us
        end_us = max(sent_us, int(last[-1])) if closed_us is None else closed_us
        tos = np.concatenate([first[1:] if self.column else first, [end_us]])
        resolution_us = self.asked.resolution_us
        answers = self.answers.number
        usual_us = _usual_us(tos - froms, answers, self.span_us)
        if resolution_us and usual_us <= resolution_us:
            usual_us = min(resolution_us, _usual_of_coarse_us(edges, resolution_us))
        limit_us = round(usual_us * max(TIMES_USUAL, (log(float(answers)) + 9) / log(USUAL))) + resolution_us
        longest = np.argsort(froms - tos)[:KEPT].tolist()
        places = sorted(place for place in longest if tos[place] - froms[place] > limit_us)
        chosen = {place: Span(int(froms[place]), int(tos[place])) for place in places}
        open_place = len(froms) - 1 if closed_us is None else NONE_OPEN
        waited = None
        if not self.column and closed_us is None:
            waited = self._waited_out(int(froms[-1]), int(tos[-1]), limit_us)
        if waited is not None:
            chosen[open_place] = waited
        found = list(self._look_closely(chosen, open_place, usual_us, limit_us, waits_at_end=waited is not None))
        hidden_us = resolution_us + max((one.back_us + usual_us for one in self.asked.jumps), default=0)
        return Stretches(self.column, name, usual_us, limit_us + hidden_us, tuple(found))

    @property
    def _closed_us(self) -> int | None:
        """The good answer behind the last one of these requests; None: it is not known."""
        return None if self.column or self.asked.window is None else self.asked.window.after_us

    def _says_silence(self, place: int, open_place: int, span: Span) -> bool:
        """Whether silence is more than that nothing was sent: between two good answers of balancers' own logs."""
        window = self.asked.window
        known_before = window is not None and (span.from_us != self.asked.begun_us or window.before_us is not None)
        return known_before and not self.column and place != open_place

    def _waited_out(self, from_us: int, to_us: int, limit_us: int) -> Span | None:
        """The stretch behind the last good answer, where those who had asked waited on until their requests failed:
        nothing was sent then, and the service was away all the same. Until half of them had failed: a straggler
        says nothing."""
        (until_us,) = self.asked.samples.row(
            f"SELECT quantile_disc(end_us, 0.5) FROM {{requests}} WHERE NOT success AND {SENT} AND end_us > {from_us}"
        )
        if until_us is None or until_us <= to_us or until_us - from_us <= limit_us:
            return None
        waited = Span(from_us, until_us)
        samples, resolution_us = self.asked.samples, self.asked.resolution_us
        hung = find_hung(samples, self.condition, self.answers, {0: waited}, whole=True, resolution_us=resolution_us)
        return waited if hung else None

    def _look_closely(
        self,
        chosen: Mapping[int, Span],
        open_place: int,
        usual_us: int,
        limit_us: int,
        *,
        waits_at_end: bool,
    ) -> Iterator[Stretch]:
        """Those in which requests failed or waited, or in which silence says something. `open_place`: that of the
        stretch that no good answer ended; `waits_at_end`: that requests waited in it is known."""
        if not chosen:
            return
        samples, resolution_us = self.asked.samples, self.asked.resolution_us
        failures = {
            place: one
            for place, one in failures_in(samples, self.condition, chosen, open_place).items()
            if one.shown_of(chosen[place], limit_us) > limit_us
            or self._says_silence(place, open_place, chosen[place])
        }
        vague = {
            place: span
            for place, span in chosen.items()
            if place != open_place
            and span.from_us > self.asked.begun_us
            and (place not in failures or failures[place].unseen_of(span) > 2 * usual_us)
        }
        hung = find_hung(
            samples, self.condition, self.answers, vague, whole=not self.column, resolution_us=resolution_us
        )
        if waits_at_end:
            hung |= {open_place}
        waited = shown_by_waiting(samples, self.condition, {place: chosen[place] for place in hung}) if hung else {}
        for place, span in chosen.items():
            is_seen = place in failures or place in hung
            says_silence = self._says_silence(place, open_place, span)
            if not is_seen and not says_silence:
                continue
            one = failures.get(place, Failures())
            unseen_us = one.unseen_of(span) if place in failures else span.duration_us
            if place in waited:
                unseen_us = min(unseen_us, span.duration_us - waited[place].duration_us + 2 * usual_us)
            low_us = max(0, span.duration_us - unseen_us - resolution_us) if is_seen else 0
            if says_silence:
                low_us = max(low_us, least_outage_us(span.duration_us, usual_us, resolution_us))
            stamp_us = STAMP_US + usual_us if says_silence else 0
            missing = missing_us(self.asked.jumps, span, usual_us)
            high_us = None if place == open_place else span.duration_us + resolution_us + stamp_us + missing
            by_kind = one.by_kind
            yield Stretch(
                span.from_us,
                span.to_us,
                Interval(low_us, high_us),
                by_kind.total(),
                dict(by_kind.most_common()),
                silent=not is_seen,
            )


def _usual_of_coarse_us(edges: _Edges, resolution_us: int) -> int:
    """The same where all answers of a second, say, have one time: as if so many came in it at random."""
    _, second = np.unique(edges.first // resolution_us, return_inverse=True)
    in_each = np.bincount(second, weights=edges.held)
    return round(resolution_us * log(USUAL) / float(np.median(in_each)))


def _usual_us(lengths: Integers, answers: int, span_us: int) -> int:
    """The length that one stretch in a hundred exceeds. What lies within a span is shorter than it."""
    place = max(1, answers // USUAL)
    longest_first = np.sort(lengths)[::-1]
    return int(longest_first[place]) if place < len(longest_first) else span_us
