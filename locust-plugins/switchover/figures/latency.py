"""The latency of good responses, measured both from the scheduled time and from the sending of each request. A client
sends no requests while it waits for a response (coordinated omission). Only the latency from the scheduled time
includes the wait of the requests that were due while the client waited."""

from collections.abc import Iterable

from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT
from switchover.evidence.requests.table import Requests
from switchover.verdict.record import Label, Latency, Percentiles, milliseconds, milliseconds_if_known

LABELS = 100
"""The maximum number of labels in the list of labels, which begins with the most common label. A log may have
millions of labels."""
SHARES = (50, 95, 99)


def measure_latencies(requests: Requests, phase: str) -> dict[str | None, Latency]:
    """Compute the latency for each phase. The key None stands for the whole run. `phase`: SQL for the name of a
    request's phase. The latency from the scheduled time is known if each request has a scheduled time."""
    sent = _percentiles(requests, phase, "end_us - start_us")
    scheduled = _percentiles(requests, phase, "end_us - intended_us")
    latencies = {}
    for name, (number, from_send) in sent.items():
        number_scheduled, from_schedule = scheduled.get(name, (0, None))
        latencies[name] = Latency(
            from_schedule=from_schedule if number_scheduled == number else None, from_send=from_send
        )
    return latencies


def _percentiles(requests: Requests, phase: str, value: str) -> dict[str | None, tuple[int, Percentiles]]:
    """Return, for each phase, the number of good and late responses with a known `value` (SQL), and the percentiles
    of these values."""
    spread = (
        f"(SELECT phase, value, count(*) AS n FROM (SELECT {phase} AS phase, {value} AS value FROM {{requests}} "
        f"WHERE {GOOD_OR_LATE}) WHERE value IS NOT NULL GROUP BY GROUPING SETS ((phase, value), (value)))"
    )
    names = ("p50", "p90", "p99", "max")
    return {
        name: (int(number), Percentiles(**dict(zip(names, map(milliseconds, ranks), strict=True))))
        for name, number, *ranks in requests.rows(ranks_sql(spread, "phase", (50, 90, 99, 100)))
    }


def ranks_sql(spread: str, name: str, percents: Iterable[int]) -> str:
    """Return SQL that counts the values of each group and computes their percentiles (nearest rank). `spread`: a
    relation with the columns `name` (of the group), `value` and `n` (how often the value occurs)."""
    ranks = ", ".join(f"min(value) FILTER (upto * 100 >= held * {percent})" for percent in percents)
    return (
        f"SELECT {name}, max(held) AS held, {ranks} FROM (SELECT {name}, value, "
        f"sum(n) OVER (PARTITION BY {name} ORDER BY value) AS upto, sum(n) OVER (PARTITION BY {name}) AS held "
        f"FROM {spread}) GROUP BY {name}"
    )


def measure_labels(requests: Requests) -> tuple[list[Label], int]:
    """Return the figures of the most common labels, and the number of all remaining labels."""
    answers = "spread WHERE value IS NOT NULL AND label IN (SELECT label FROM counted)"
    rows = requests.rows(
        f"WITH spread AS (SELECT label, CASE WHEN {GOOD_OR_LATE} THEN end_us - start_us END AS value, count(*) AS n "
        f"FROM {{requests}} WHERE {SENT} GROUP BY ALL), "
        "counted AS (SELECT label, sum(n) AS total, coalesce(sum(n) FILTER (value IS NULL), 0) AS failed, "
        f"count(*) OVER () AS labels FROM spread GROUP BY label ORDER BY total DESC, label LIMIT {LABELS}), "
        f"percentiles AS ({ranks_sql(answers, 'label', SHARES)}) "
        "SELECT counted.*, percentiles.* EXCLUDE (label, held) FROM counted LEFT JOIN percentiles USING (label) "
        "ORDER BY total DESC, label"
    )
    labels = [
        Label(
            label=name,
            total=int(total),
            failed=int(failed),
            **{f"p{share}_ms": milliseconds_if_known(us) for share, us in zip(SHARES, times, strict=True)},
        )
        for name, total, failed, _, *times in rows
    ]
    return labels, rows[0][3] - len(rows) if rows else 0
