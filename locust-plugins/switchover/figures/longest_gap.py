"""The longest stretch of a load without a good answer between a fault and its heal: what users felt of an outage."""

import numpy as np

from switchover.evidence.requests.table import Requests
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
