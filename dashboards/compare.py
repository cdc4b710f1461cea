"""The dashboard Compare: the figures of two or more runs, and their curves with the fault at time 0."""

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue, MatcherConfig

from dashboards.board import board, row, runs
from dashboards.colors import RECOVERED, VERDICT
from dashboards.influxql import RUN, Query
from dashboards.panels import BACKGROUND, Panel, column, curves, hide, mappings, order, rows

SINCE = "since the fault"
SHOWN = {"verdict": "verdict", "failback_high_ms": "failback", "failed_percent": "failed %"}
"""The names of the columns. A column must not temporarily have the name of another column, because it would keep the
width of this column."""


def compare() -> dashboard.Dashboard:
    made = board(
        "compare",
        "Switchover: Compare",
        "Compares runs. Choose two or more runs, and a time range that contains them.",
        [runs()],
        since="now-24h",
        refresh="",
        marked=(),
    )
    row(made, "The verdicts", *_verdicts())
    row(made, "Time since the fault of each run", *_aligned())
    return made


def _verdicts() -> list[Panel]:
    widths = {
        "verdict": 130,
        "recovered": 130,
        "outage_low_ms": 95,
        "outage_high_ms": 99,
        "failback_high_ms": 78,
        "failed_percent": 80,
        "samples": 70,
        "failed": 62,
        "probes": 62,
        "probes_failed": 112,
        "split_brain_ms": 98,
        "unaccounted": 98,
    }
    selected = ", ".join(f'"{name}"' for name in widths)
    panel = rows(
        "Figures",
        "The verdict of each run. The outage lies between low and high. If there is no high end, the service did "
        "not recover.",
        "locale",
        Query(
            f'SELECT {selected} FROM "switchover_verdict" WHERE {RUN} GROUP BY "run", "fault", "generator"',
            as_table=True,
        ),
        size=(24, 8),
        sort="run",
    )
    for name, width in widths.items():
        unit = {"ms": "ms", "percent": "percent"}.get(name.rpartition("_")[2], "locale")
        shown = SHOWN.get(name, name.removesuffix("_ms").replace("_", " "))
        column(panel, name, unit=unit, displayName=shown, **{"custom.width": width})
    for name, width in (("run", 250), ("fault", 116), ("generator", 70)):
        column(panel, name, **{"custom.width": width})
    column(panel, "generator", displayName="load")
    order(panel, "run", "fault", "generator", *widths)
    hide(panel, "Time")
    column(panel, "failed_percent", decimals=1)
    column(panel, "verdict", mappings=mappings(VERDICT), **BACKGROUND)
    column(panel, "recovered", mappings=mappings(RECOVERED), **BACKGROUND)
    return [panel]


def _aligned() -> list[Panel]:
    requests = f'FROM "switchover_requests" WHERE {RUN} AND "outcome"'
    probes = f'FROM "switchover_probes" WHERE {RUN} AND "outcome"'
    return [
        _curves(
            "Good probes per second",
            "Good probes of each run. The rate of the probes is constant, so the width of the gap is the outage.",
            "reqps",
            f'SELECT sum("count") AS "good" {probes} =~ /^(good|ok)$/',
        ),
        _curves(
            "Failed probes per second",
            "Failed probes of each run. The rate of the probes is constant, so the width is the outage.",
            "reqps",
            f'SELECT sum("count") AS "failed" {probes} = \'failed\'',
        ),
        _curves(
            "Good requests per second",
            "Good responses to users. The height depends on the number of users, so compare the gaps.",
            "reqps",
            f'SELECT sum("count") AS "good" {requests} =~ /^(good|ok|late)$/',
        ),
        _curves(
            "Highest p99 of the load",
            "Response times of good requests before, during and after the switchover.",
            "ms",
            f'SELECT max("p99") AS "p99" {requests} =~ /^(good|ok|late)$/',
        ),
    ]


def _curves(title: str, description: str, unit: str, select: str) -> Panel:
    """Return a panel with one point per second for every time range. The runs are far apart, but only seconds with
    data return points."""
    panel = curves(
        title,
        description,
        unit,
        Query(f'{select} GROUP BY time(1s), "run" fill(none)', as_table=True),
        Query(
            f'SELECT "text" FROM "switchover_event" WHERE "kind" = \'fault\' AND {RUN} GROUP BY "run"', as_table=True
        ),
        size=(12, 10),
    )
    panel.override_by_name(SINCE, [DynamicConfigValue("unit", "ms"), DynamicConfigValue("custom.axisLabel", SINCE)])
    return panel.transformations(_since_the_fault())


def _since_the_fault() -> list[DataTransformerConfig]:
    """Compute the time of each point since the fault of the same run, and draw one curve per run.

    InfluxQL has no joins. So Grafana joins the seconds (query A) with the faults (query B) by run.
    """
    return [
        _rename("A", "Time", "second"),
        _rename("B", "Time", "fault"),
        DataTransformerConfig(
            "convertFieldType",
            options={
                "fields": {},
                "conversions": [
                    {"targetField": "second", "destinationType": "number"},
                    {"targetField": "fault", "destinationType": "number"},
                ],
            },
        ),
        DataTransformerConfig("joinByField", options={"byField": "run", "mode": "inner"}),
        DataTransformerConfig(
            "calculateField",
            options={
                "mode": "binary",
                "alias": SINCE,
                "binary": {"left": "second", "operator": "-", "right": "fault"},
            },
        ),
        DataTransformerConfig(
            "organize",
            options={
                "excludeByName": {"second": True, "fault": True, "text": True},
                "indexByName": {SINCE: 0},
                "renameByName": {},
            },
        ),
        DataTransformerConfig(
            "partitionByValues",
            options={"fields": ["run"], "keepFields": False, "naming": {"asLabels": False}},
        ),
    ]


def _rename(query: str, old: str, new: str) -> DataTransformerConfig:
    return DataTransformerConfig(
        "organize",
        filter_val=MatcherConfig("byRefId", query),
        options={"excludeByName": {}, "indexByName": {}, "renameByName": {old: new}},
    )
