"""Panels with the load by label and by backend, for any number of labels and backends."""

from dashboards.colors import NONE_IS_NEUTRAL, SERIES, Steps
from dashboards.influxql import EVERY, FAILED, GOOD, LOAD, PER_SECOND, Query
from dashboards.panels import Panel, column, heat, hide, lines, paint, rows


def table_panels() -> list[Panel]:
    labels = rows(
        "By label",
        "Every label of the load: requests, failures, and the highest median, p95 and p99 of any second. The "
        "report has the percentiles of the complete run.",
        "locale",
        Query(_counted("label"), as_table=True),
        size=(12, 9),
        sort="count",
    )
    backends = rows(
        "The ten busiest backends",
        "Responses by backend. If the counts are equal, the algorithm is fair.",
        "locale",
        Query(
            f'SELECT top("answered", "backend", 10) AS "count" FROM (SELECT sum("count") AS "answered" '
            f'FROM "switchover_requests" WHERE "backend" != \'\' AND {LOAD} GROUP BY "backend")',
            as_table=True,
        ),
        size=(6, 9),
        sort="count",
    )
    slowest = rows(
        "The ten slowest backends",
        "The highest p99 of any second and label of a backend.",
        "ms",
        Query(
            f'SELECT top("slow", "backend", 10) AS "p99" FROM (SELECT max("p99") AS "slow" '
            f'FROM "switchover_requests" WHERE "backend" != \'\' AND {LOAD} GROUP BY "backend")',
            as_table=True,
        ),
        size=(6, 9),
        sort="p99",
    )
    for panel in (labels, backends, slowest):
        hide(panel, "Time")
    for name, width in (("label", 190), ("count", 85), ("errors", 80), ("error share", 100)):
        column(labels, name, **{"custom.width": width})
    for name in ("p50", "p95", "p99"):
        column(labels, name, unit="ms", **{"custom.width": 85})
    column(labels, "errors", thresholds=_absolute(NONE_IS_NEUTRAL), **{"custom.cellOptions": {"type": "color-text"}})
    column(labels, "error share", unit="percent", decimals=1)
    spread = lines(
        "Spread of requests by backend",
        "The requests of the least busy, the median and the busiest backend in each interval. A large difference "
        "shows an unfair algorithm, or a server that is down.",
        "reqps",
        Query(
            'SELECT min("share") AS "quietest", median("share") AS "median", max("share") AS "busiest" FROM '
            f'(SELECT sum("count") {PER_SECOND} AS "share" FROM "switchover_requests" '
            f'WHERE "backend" != \'\' AND {GOOD} AND {LOAD} {EVERY}, "backend" fill(none)) '
            f"WHERE $timeFilter {EVERY} fill(none)",
            "$col",
        ),
        size=(12, 12),
    )
    return [
        labels,
        backends,
        slowest,
        paint(spread, SERIES, "quietest", "median", "busiest"),
        heat(
            "Requests by backend",
            "Good responses per second, one line per server: the brighter, the more. Dark means no response.",
            "reqps",
            Query(
                f'SELECT sum("count") {PER_SECOND} FROM "switchover_requests" WHERE {GOOD} AND {LOAD} '
                f'{EVERY}, "backend" fill(0)',
                "$tag_backend",
            ),
            size=(12, 12),
        ),
    ]


def _counted(tag: str) -> str:
    return (
        'SELECT sum("all") AS "count", sum("failed") AS "errors", 100 * sum("failed") / sum("all") AS "error share", '
        'max("p50") AS "p50", max("p95") AS "p95", max("p99") AS "p99" FROM '
        f'(SELECT "count" AS "all", "count" * 0 AS "failed" FROM "switchover_requests" WHERE {LOAD}), '
        f'(SELECT "count" AS "failed" FROM "switchover_requests" WHERE {FAILED} AND {LOAD}), '
        f'(SELECT "p50", "p95", "p99" FROM "switchover_requests" WHERE "outcome" != \'failed\' AND {LOAD}) '
        f'WHERE $timeFilter GROUP BY "{tag}"'
    )


def _absolute(steps: Steps) -> dict[str, object]:
    return {"mode": "absolute", "steps": [{"value": value, "color": color} for value, color in steps]}
