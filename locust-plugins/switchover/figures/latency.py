"""The latency of good responses: from the scheduled time of the request, and from the time of sending.

The two latencies differ if the client was delayed. A client that waits for a response sends no requests in this time
(coordinated omission). Only the latency from the scheduled time shows this effect.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT
from switchover.evidence.requests.store import Integers
from switchover.evidence.requests.table import Requests
from switchover.verdict.record import Label, Latency, Percentiles, milliseconds

LABELS = 100
"""The maximum number of labels that are listed, because a log may have millions of labels. The most common labels are
listed."""
SHARES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Spread:
    """A list of values, in any order, and how often each value occurred. A value may be listed more than once."""

    values: Integers
    counts: Integers

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @classmethod
    def joined(cls, spreads: Iterable["Spread"]) -> "Spread":
        nothing = np.empty(0, np.int64)
        parts = [cls(nothing, nothing), *spreads]
        return cls(np.concatenate([part.values for part in parts]), np.concatenate([part.counts for part in parts]))


def spread_of(requests: Requests, value: str, condition: str) -> Spread:
    """Count how often each value of a column or expression occurs in the requests that meet a condition."""
    columns = requests.arrays(
        f"SELECT {value} AS value, count(*) AS n FROM {{requests}} WHERE {condition} GROUP BY value"
    )
    return Spread(columns["value"], columns["n"])


def latency_of(sent: Spread, scheduled: Spread) -> Latency | None:
    """Compute the percentiles of the latency; None without a response.

    `sent`: latencies from the time of sending. `scheduled`: latencies from the due time; only requests with a due
    time are included.
    """
    if not sent.total:
        return None
    return Latency(
        from_schedule=percentiles(scheduled) if scheduled.total == sent.total else None,
        from_send=percentiles(sent),
    )


def ranks_sql(spread: str, name: str, percents: Iterable[int]) -> str:
    """Return SQL that computes percentiles by the nearest-rank method. `spread`: the relation with rows of `value`
    and its count `n`."""
    ranks = ", ".join(f"min(value) FILTER (upto * 100 >= held * {percent})" for percent in percents)
    return (
        f"SELECT {name}, {ranks} FROM (SELECT {name}, value, "
        f"sum(n) OVER (PARTITION BY {name} ORDER BY value) AS upto, sum(n) OVER (PARTITION BY {name}) AS held "
        f"FROM {spread}) GROUP BY {name}"
    )


def percentiles(spread: Spread) -> Percentiles:
    """Convert a spread in microseconds to percentiles in milliseconds. The spread must have at least one value."""
    p50, p90, p99, longest = map(milliseconds, nearest_ranks(spread, (50, 90, 99, 100)))
    return Percentiles(p50=p50, p90=p90, p99=p99, max=longest)


def nearest_ranks(spread: Spread, percents: Iterable[int]) -> list[int]:
    """Return the percentile of the values for each percentage, by the nearest-rank method."""
    order = np.argsort(spread.values)
    upto = np.cumsum(spread.counts[order])
    total = spread.total
    ranks = [max(1, -(-total * percent // 100)) for percent in percents]
    return [int(spread.values[order[place]]) for place in np.searchsorted(upto, ranks)]


def measure_labels(requests: Requests) -> tuple[list[Label], int]:
    """Return the figures of the most common labels, and the number of all remaining labels. Unsent requests are not
    counted."""
    answers = "spread WHERE value IS NOT NULL AND label IN (SELECT label FROM counted)"
    rows = requests.rows(
        f"WITH spread AS (SELECT label, CASE WHEN {GOOD_OR_LATE} THEN end_us - start_us END AS value, count(*) AS n "
        f"FROM {{requests}} WHERE {SENT} GROUP BY ALL), "
        "counted AS (SELECT label, sum(n) AS total, coalesce(sum(n) FILTER (value IS NULL), 0) AS failed, "
        f"count(*) OVER () AS labels FROM spread GROUP BY label ORDER BY total DESC, label LIMIT {LABELS}), "
        f"percentiles AS ({ranks_sql(answers, 'label', SHARES)}) "
        "SELECT counted.*, percentiles.* EXCLUDE (label) FROM counted LEFT JOIN percentiles USING (label) "
        "ORDER BY total DESC, label"
    )
    labels = [
        Label(
            label=name,
            total=int(total),
            failed=int(failed),
            **{
                f"p{share}_ms": None if us is None else milliseconds(us)
                for share, us in zip(SHARES, times, strict=True)
            },
        )
        for name, total, failed, _, *times in rows
    ]
    return labels, rows[0][3] - len(rows) if rows else 0
