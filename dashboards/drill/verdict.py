"""Panels with the figures of the verdict. Most of the panels are in Drill's first row, the rest in Drill's last
row."""

from grafana_foundation_sdk.builders import stat
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig

from dashboards.colors import KEPT, NEUTRAL, NONE_IS_GOOD, NONE_IS_NEUTRAL, RECOVERED, VERDICT, Steps, Words
from dashboards.influxql import FAILED, RUN, Query, Shared
from dashboards.panels import BACKGROUND, Panel, column, figure, hide, mappings, rows

FIGURES = {
    "recovered": "recovered",
    "outage_low_ms": "outage at least",
    "outage_high_ms": "outage at most",
    "predicted_low_ms": "predicted at least",
    "predicted_high_ms": "predicted at most",
    "failback_low_ms": "failback at least",
    "failback_high_ms": "failback at most",
    "failed_percent": "failed",
    "split_brain_ms": "split brain",
    "unaccounted": "unaccounted",
}
"""The fields of the points, and the names under which the panels select and show these fields."""
RUNNING: Words = {**VERDICT, "/.+/": ("running", "blue")}


def verdict_panels() -> list[Panel]:
    figures = ", ".join(f'"{name}" AS "{shown}"' for name, shown in FIGURES.items())
    # The first traffic shows that a run is running, because a load without a drill writes no start event.
    verdict = verdict_word(
        Query(
            f'SELECT first("hdr") AS "state" FROM "switchover_requests", "switchover_probes" WHERE {RUN}',
            as_table=True,
        ),
        Query(
            f'SELECT "verdict" AS "state", {figures} FROM "switchover_verdict" WHERE {RUN} '
            "ORDER BY time DESC LIMIT 1",
            as_table=True,
        ),
    ).transformations(
        [
            DataTransformerConfig("merge", options={}),
            DataTransformerConfig("sortBy", options={"fields": {}, "sort": [{"field": "Time"}]}),
        ]
    )
    return [verdict, *judged_panels()]


def verdict_word(*queries: Query) -> stat.Panel:
    """Return the panel with the verdict. Its queries return the column `state`, and the columns in `FIGURES` for the
    other panels of the row."""
    return figure(
        "Verdict",
        "The verdict of the run. Green: proved to be good. Red: danger. Orange: no conclusion, see the reasons. "
        "Running: there is no verdict yet.",
        "string",
        *queries,
        size=(4, 4),
        statuses=RUNNING,
        empty="no run",
        fields="/^state$/",
    )


def judged_panels() -> list[Panel]:
    """Return the panels with figures, which are shown next to the verdict."""
    return [
        _judged(
            "Recovered",
            "Green: the service was up at the end of the run.",
            "string",
            3,
            "recovered",
            statuses=RECOVERED,
        ),
        _judged(
            "Outage",
            "The interval of the outage, from the probes. If there is no high end, the service did not recover, "
            "and the low end is a lower bound. The colour does not depend on the limit.",
            "ms",
            5,
            "outage at (least|most)",
        ),
        _judged(
            "Predicted outage",
            "The window that Keepalived's settings and the fault allow. An outage outside of this window also has "
            "another cause.",
            "ms",
            5,
            "predicted at (least|most)",
        ),
        _judged(
            "Failed in the switchover",
            "The share of requests that failed between fault and recovery. If there was no load, the share of "
            "probes.",
            "percent",
            4,
            "failed",
        ),
        _judged(
            "Split brain",
            "The time in which two nodes held the address, as each node reports it. Only 0 is good. Unknown: a "
            "balancer has no ownership source.",
            "ms",
            3,
            "split brain",
            steps=NONE_IS_GOOD,
        ),
    ]


def limit_table() -> Panel:
    limits = rows(
        "Limits",
        "Each limit of the run, with its figure and state.",
        "none",
        Query(
            f'SELECT "state", "limit", "low", "high", "unit" FROM "switchover_limit" WHERE {RUN} GROUP BY "name"',
            as_table=True,
        ),
        size=(12, 8),
        sort="name",
        falling=False,
    )
    hide(limits, "Time")
    for name, width in (("name", 130), ("state", 110), ("limit", 90), ("low", 90), ("high", 90), ("unit", 70)):
        column(limits, name, **{"custom.width": width})
    column(limits, "state", mappings=mappings(KEPT), **BACKGROUND)
    return limits


def other_figures() -> list[Panel]:
    return [
        _judged(
            "Failback",
            "The interval of the outage during the failback to the healed node.",
            "ms",
            4,
            "failback at (least|most)",
            height=8,
        ),
        _judged(
            "Unaccounted",
            "Differences between the request counts of client and balancer for which no cause is known. Unknown: "
            "other clients use the target.",
            "locale",
            4,
            "unaccounted",
            steps=NONE_IS_GOOD,
            height=8,
        ),
        failed_probes(
            Query(f'SELECT sum("count") FROM "switchover_probes" WHERE {FAILED} AND {RUN}', "failed"), height=8
        ),
    ]


def failed_probes(query: Query, *, height: int) -> Panel:
    return figure(
        "Failed probes",
        "Failed probes of the run in the time range. At 1,000 probes per second, each failed probe means one "
        "millisecond without service.",
        "locale",
        query,
        size=(4, height),
        steps=NONE_IS_NEUTRAL,
        empty="none",
    )


def _judged(
    title: str,
    description: str,
    unit: str,
    width: int,
    fields: str,
    *,
    steps: Steps = NEUTRAL,
    statuses: Words | None = None,
    height: int = 4,
) -> Panel:
    """Return a panel with figures of the verdict. The query of the panel "Verdict" provides these figures."""
    return figure(
        title,
        description,
        unit,
        Shared("Verdict"),
        size=(width, height),
        steps=steps,
        statuses=statuses,
        empty="unknown",
        fields=f"/^{fields}$/",
    )
