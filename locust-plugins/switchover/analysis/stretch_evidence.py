"""What says that the service was away in a stretch without a good answer: requests that failed, or that waited.

What the client could not send says nothing of the service.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from switchover.analysis.requests.columns import SENT
from switchover.analysis.requests.table import Requests
from switchover.model.interval import Span

WAITING_SHARE = 3
"""More than one in so many of those who had asked before were waiting: else some answers were slow, and nothing else
was sent. Of one label or backend it is not asked, for who had asked for it may be waiting for another."""
SLOW_SHARE = 100
"""One good answer in so many may take longer than a stretch, and waiting in it is unusual all the same."""
EARLY_SHARE = 10
"""An answer that waited because of a stretch was sent in it, or at most this part of its length before: what had been
waiting for longer when it began says nothing of it."""
FIRST_RETRY_US = 1_000_000
"""After so long a kernel sends a SYN again that was not answered (RFC 6298, section 2), and what it sends on an open
connection sooner (Linux: 200 ms); the next wait is twice as long, and so on."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The good answers among all requests, or among those of one label or backend."""

    number: int
    longest_us: int
    """How long the slowest of them took."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Of one stretch, in microseconds since the epoch."""

    by_kind: Counter[str] = field(default_factory=Counter)
    begun_us: int = 0
    """The first request that failed was sent."""
    seen_us: int = 0
    """The service was away by then: the first request had failed."""
    sent_us: int = 0
    """The service was away still: the last request that failed was sent."""
    ended_us: int = 0
    """The last request had failed."""

    def unseen_of(self, stretch: Span) -> int:
        """For how much of a stretch the failures leave open whether the service was away."""
        return min(stretch.duration_us, (self.seen_us - stretch.from_us) + max(0, stretch.to_us - self.sent_us))

    def shown_of(self, stretch: Span, limit_us: int) -> int:
        """A stretch without the silence before the first and behind the last request that failed, where it is longer
        than the spacing explains: where nothing was sent, silence says nothing."""
        silences = (self.begun_us - stretch.from_us, stretch.to_us - self.ended_us)
        return stretch.duration_us - sum(silence for silence in silences if silence > limit_us)


def failures_in(
    samples: Requests, condition: str, stretches: Mapping[int, Span], open_place: int
) -> dict[int, Failures]:
    """By the places of the stretches that have any. `open_place`: that of the stretch that no good answer ended: what
    was sent in it may have failed later."""
    found: dict[int, Failures] = {}
    for place, error, number, begun_us, seen_us, sent_us, ended_us in samples.rows(
        "SELECT place, error, count(*), min(start_us), min(end_us), max(start_us), max(end_us) "
        f"FROM (SELECT start_us, end_us, error FROM {{requests}} WHERE NOT success AND {SENT} AND {condition}) "
        "AS failure "
        f"JOIN {_table_of(stretches)} ON end_us >= from_us AND (end_us <= to_us OR place = {open_place}) GROUP BY ALL"
    ):
        before = found.get(place, Failures(Counter(), begun_us, seen_us, sent_us, ended_us))
        before.by_kind[error or "unknown"] += number
        found[place] = Failures(
            before.by_kind,
            min(before.begun_us, begun_us),
            min(before.seen_us, seen_us),
            max(before.sent_us, sent_us),
            max(before.ended_us, ended_us),
        )
    return found


def find_hung(
    samples: Requests,
    condition: str,
    answers: Answers,
    stretches: Mapping[int, Span],
    *,
    whole: bool,
    resolution_us: int,
) -> frozenset[int]:
    """Those in which requests waited longer than is usual, by their places: of many who ask, not of one alone of
    several. `whole`: all requests of the log are asked, not those of a label or a backend. `resolution_us`: where its
    times are whole seconds, say, requests seem to be under way together that were not."""
    unusual = _longer_than_answers(samples, condition, answers, stretches, resolution_us)
    if not unusual:
        return frozenset()
    waited = samples.rows(
        "SELECT place, count(*), count(DISTINCT thread) FILTER (thread <> '') "
        f"FROM (SELECT start_us, end_us, thread FROM {{requests}} WHERE {condition} AND {SENT} "
        f"AND {_half_as_long(unusual)}) AS request "
        f"JOIN {_table_of(unusual)} ON start_us <= (from_us + to_us) // 2 AND end_us >= (from_us + to_us) // 2 "
        "AND 2 * (end_us - start_us) >= to_us - from_us GROUP BY place"
    )
    return frozenset(
        place
        for place, requests, threads in waited
        if _are_many(
            threads or requests,
            _asking_before(samples, condition, unusual[place], named=threads > 0),
            by_share=whole and (threads > 0 or resolution_us == 0),
        )
    )


def _longer_than_answers(
    samples: Requests, condition: str, answers: Answers, stretches: Mapping[int, Span], resolution_us: int
) -> Mapping[int, Span]:
    """Those that nearly all good answers are shorter than: where many take as long, to wait is nothing unusual. The
    answers that waited because of one of the stretches are left out, for they are what is asked about; where they are
    more than the others, it is not known how long an answer takes."""
    # Most often no answer took even half as long as any of them: then there is nothing to count.
    if all(2 * answers.longest_us < span.duration_us for span in stretches.values()):
        return stretches
    stretches = _longer_than_half(samples, condition, answers, stretches)
    if not stretches:
        return {}
    long = (
        "(SELECT start_us, end_us, end_us - start_us AS took_us FROM {requests} "
        f"WHERE success AND {condition} AND {_half_as_long(stretches)}) AS answer"
    )
    table = _table_of(stretches)
    because = (
        f"start_us >= from_us - (to_us - from_us) // {EARLY_SHARE} - {resolution_us} AND start_us < to_us "
        "AND end_us >= to_us AND 2 * took_us >= to_us - from_us"
    )
    (waited,) = samples.row(f"SELECT count(*) FROM {long} SEMI JOIN {table} ON {because}")
    others = answers.number - waited
    if waited > others:
        return {}
    as_long = dict(
        samples.rows(
            f"SELECT place, count(*) FROM (SELECT took_us FROM {long} ANTI JOIN {table} ON {because}) AS other "
            f"JOIN {table} ON took_us >= to_us - from_us GROUP BY place"
        )
    )
    return {place: span for place, span in stretches.items() if as_long.get(place, 0) <= others // SLOW_SHARE}


def _longer_than_half(
    samples: Requests, condition: str, answers: Answers, stretches: Mapping[int, Span]
) -> dict[int, Span]:
    """The stretches that at most half of the good answers take as long as. By one look at all answers: to join them
    with short stretches takes seconds."""
    as_long_as_each = ", ".join(
        f"count(*) FILTER (end_us - start_us >= {stretch.duration_us})" for stretch in stretches.values()
    )
    as_long = samples.row(f"SELECT {as_long_as_each} FROM {{requests}} WHERE success AND {condition}")
    return {
        place: span
        for (place, span), number in zip(stretches.items(), as_long, strict=True)
        if 2 * number <= answers.number
    }


def shown_by_waiting(samples: Requests, condition: str, stretches: Mapping[int, Span]) -> dict[int, Span]:
    """From when to when the requests that waited to the end of a stretch show that the service was away, by its
    place: until the last time that a kernel sent one of them again in vain. From then to its next try the service may
    have been back without a request that met it."""
    tried_us = f"start_us + greatest(0, (end_us - start_us - {FIRST_RETRY_US}) // 2)"
    return {
        place: Span(from_us, max(from_us, to_us))
        for place, from_us, to_us in samples.rows(
            f"SELECT place, greatest(from_us, min(start_us)), max(least(to_us, {tried_us})) "
            f"FROM (SELECT start_us, end_us FROM {{requests}} WHERE {condition} AND {SENT}) AS request "
            f"JOIN {_table_of(stretches)} ON start_us <= to_us AND end_us >= to_us "
            f"AND end_us - start_us >= least({FIRST_RETRY_US}, (to_us - from_us) // 2) GROUP BY place, from_us, to_us"
        )
    }


def _are_many(waiting: int, asking: int, *, by_share: bool) -> bool:
    return asking <= 1 or (waiting > 1 and (not by_share or WAITING_SHARE * waiting > asking))


def _asking_before(samples: Requests, condition: str, stretch: Span, *, named: bool) -> int:
    """How many asked at the same time, in as long a time before a stretch as it is long: by their threads, or else by
    the most requests that were under way together."""
    since_us = stretch.from_us - stretch.duration_us
    before = (
        f"{{requests}} WHERE {condition} AND end_us > {since_us} AND start_us <= {stretch.from_us} "
        f"AND end_us - start_us < {stretch.duration_us}"
    )
    if named:
        (found,) = samples.row(f"SELECT count(DISTINCT thread) FROM {before}")
    else:
        # One that begins when another ends is not under way together with it.
        edges = f"SELECT start_us AS edge_us, 1 AS change FROM {before} UNION ALL SELECT end_us, -1 FROM {before}"
        (found,) = samples.row(
            "SELECT max(held) FROM (SELECT sum(change) OVER (ORDER BY edge_us, change ROWS UNBOUNDED PRECEDING) "
            f"AS held FROM ({edges}))"
        )
    return int(found or 0)


def _half_as_long(stretches: Mapping[int, Span]) -> str:
    """SQL that leaves out most requests before they are looked at one by one."""
    return f"2 * (end_us - start_us) >= {min(span.duration_us for span in stretches.values())}"


def _table_of(stretches: Mapping[int, Span]) -> str:
    rows = ", ".join(f"({place}, {span.from_us}, {span.to_us})" for place, span in stretches.items())
    return f"(VALUES {rows}) AS stretch (place, from_us, to_us)"
