"""What each label of a load was asked for: how often, how often it failed, and how long its answers took."""

from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT
from switchover.evidence.requests.table import Requests
from switchover.figures.latency import ranks_sql
from switchover.verdict.record import Label, milliseconds

LABELS = 100
"""Labels that are told one by one: the most common. A log whose labels are addresses with numbers has millions."""
SHARES = (50, 95, 99)


def measure_labels(requests: Requests) -> tuple[list[Label], int]:
    """Return the most common labels and the number of others, without requests that the client could not send."""
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
    found = [
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
    return found, rows[0][3] - len(rows) if rows else 0
