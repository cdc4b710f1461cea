"""What each label of a load was asked for: how often, how often it failed, and how long its answers took."""

from dataclasses import dataclass

from switchover.analysis.latency import ranks_sql
from switchover.analysis.requests.columns import GOOD_OR_LATE, SENT
from switchover.analysis.requests.table import Requests

LABELS = 100
"""Labels that are told one by one: the most common. A log whose labels are addresses with numbers has millions."""
SHARES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """The requests of one label. Percentiles are nearest ranks, in microseconds from the send to the end of good and
    late answers; None where there was none."""

    name: str
    total: int
    """Those that the client could send."""
    failed: int
    p50_us: int | None
    p95_us: int | None
    p99_us: int | None


@dataclass(frozen=True, slots=True)
class Labels:
    """The most common first."""

    found: tuple[LabelFigures, ...] = ()
    more: int = 0
    """Labels that are not told one by one."""


def measure_labels(requests: Requests) -> Labels:
    """What the client could not send does not count."""
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
    found = tuple(
        LabelFigures(name, int(total), int(failed), *percentiles) for name, total, failed, _, *percentiles in rows
    )
    return Labels(found, rows[0][3] - len(rows) if rows else 0)
