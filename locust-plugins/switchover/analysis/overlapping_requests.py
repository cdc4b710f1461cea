"""A clock that was set back while requests waited, as in an outage: then no row goes back, for none was written.

Durations are measured by a clock that never goes back. So the next request of a user seems to begin before the last
one has ended, by as much as the clock was set back, less what the user waited between the two.
"""

from switchover.analysis.requests.table import Requests
from switchover.model.interval import Span, merge_spans

LOOKED_AT = 200
"""Of the requests that took longest: those that waited through an outage are among them."""
SAMPLED = 5000
"""Rows by which it is seen whether a thread does one thing after the other."""
SHARE = 0.05
"""Of these, rows that begin before the one before them has ended: from this share on a thread is no single user."""
CUT_OFF_US = 1000
"""A log in milliseconds cuts off less."""


def doubled_times(samples: Requests, part: int, least_us: int) -> list[Span]:
    """Where users of one log seem to have done two things at the same time, for at least so long."""
    mine = f"part = {part} AND thread <> ''"
    longest = (
        f"SELECT rowid AS place, thread, end_us FROM {{requests}} WHERE {mine} AND end_us - start_us >= {least_us} "
        f"ORDER BY end_us - start_us DESC, rowid LIMIT {LOOKED_AT}"
    )
    found = samples.rows(
        f"WITH longest AS MATERIALIZED ({longest}) SELECT min(following.start_us), longest.end_us FROM longest "
        f"JOIN (SELECT rowid AS place, thread, start_us FROM {{requests}} WHERE {mine}) AS following "
        "ON following.thread = longest.thread AND following.place > longest.place "
        f"AND following.start_us <= longest.end_us - {least_us} GROUP BY longest.place, longest.end_us"
    )
    if not found or not _is_one_after_the_other(samples, mine):
        return []
    return merge_spans(Span(from_us, to_us) for from_us, to_us in found)


def _is_one_after_the_other(samples: Requests, mine: str) -> bool:
    """Whether each thread is one user; k6, say, gives all users the name of their scenario."""
    first = f"SELECT rowid AS place, thread, start_us, end_us FROM {{requests}} WHERE {mine} LIMIT {SAMPLED}"
    rows, overlapping = samples.row(
        f"SELECT count(*), count(*) FILTER (start_us < before_us - {CUT_OFF_US}) FROM (SELECT start_us, "
        f"lag(end_us) OVER (PARTITION BY thread ORDER BY place) AS before_us FROM ({first}))"
    )
    return bool(overlapping < SHARE * rows)
