"""The dashboard Fleet: all runs of some weeks, to see whether failovers stay within the limits."""

from collections.abc import Iterable

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue, MatcherConfig

from dashboards.board import UIDS, board, generator_of_verdict, report_of, row, tag
from dashboards.colors import FAULTS, KEPT, NEUTRAL, NONE_IS_GOOD, RECOVERED, VERDICT
from dashboards.influxql import Query
from dashboards.panels import (
    BACKGROUND,
    OUT_OF_LEGEND,
    Panel,
    column,
    dots,
    figure,
    hide,
    mappings,
    order,
    paint,
    rows,
)

VERDICTS = '"fault" =~ /^$fault$/ AND "generator" =~ /^$generator$/ AND $timeFilter'
TO_DRILL = (
    f"/d/{UIDS['drill']}?var-run=${{__data.fields.run}}&var-database=${{database}}"
    "&from=${__data.fields.from.numeric}&to=${__data.fields.to.numeric}"
)
"""The link to the dashboard Drill, with a time range that contains the complete run."""
WIDTHS = {
    "end": 170,
    "run": 265,
    "fault": 130,
    "generator": 90,
    "verdict": 135,
    "recovered": 135,
    "outage_low_ms": 100,
    "outage_high_ms": 105,
    "failback_high_ms": 115,
    "failed_percent": 75,
    "split_brain_ms": 98,
    "unaccounted": 105,
}
"""The widths of the columns in pixels. All columns fit on a screen of 1,600 pixels."""
STARTS = 'SELECT first("text") AS "text" FROM "switchover_event" WHERE $timeFilter GROUP BY "run"'
BEFORE_MS, AFTER_MS = 10_000, 1_000
"""The margins of the time range in a link. The owner of the address is reported before the start of a run, and links
round times down to milliseconds."""
LONGEST_MS = 6 * 3_600_000
"""The length of the time range for a run that recorded no event, so that its start is unknown."""


def fleet() -> dashboard.Dashboard:
    made = board(
        "fleet",
        "Switchover: Fleet",
        "All runs over time: outages, failures, and exceeded limits.",
        [tag("fault", "Fault", "Fault or change", "switchover_verdict"), generator_of_verdict()],
        since="now-30d",
        refresh="1m",
        marked=(),
    )
    row(made, "Limits", *_counts())
    row(made, "Trend", *_over_time())
    row(made, "The runs", *_runs())
    return made


def _count(title: str, description: str, query: str, width: int, *, bad: bool = False) -> Panel:
    return figure(
        title,
        description,
        "locale",
        Query(query, title),
        size=(width, 4),
        steps=NONE_IS_GOOD if bad else NEUTRAL,
        empty="no such run",
    )


def _counts() -> list[Panel]:
    runs = f'SELECT count("exit_code") FROM "switchover_verdict" WHERE {VERDICTS}'
    return [
        _count("Runs judged", "Runs with a verdict in this time range.", runs, 4),
        _count("Passed", "Valid runs in which no limit was exceeded.", f"{runs} AND \"verdict\" = 'PASSED'", 4),
        _count(
            "Failed",
            "Runs that exceeded a limit, did not recover, or did not restore the pair.",
            f'{runs} AND "exit_code" = 1',
            4,
            bad=True,
        ),
        _count(
            "No conclusion",
            "Runs without a conclusion about the pair. If there are many, find the cause.",
            f'{runs} AND "exit_code" = 2',
            4,
            bad=True,
        ),
        figure(
            "Longest outage",
            "The longest outage of the valid runs that recovered.",
            "ms",
            Query(
                f'SELECT max("outage_high_ms") FROM "switchover_verdict" WHERE "valid" = true AND {VERDICTS}',
                "longest",
            ),
            size=(4, 4),
            empty="no such run",
        ),
        _count(
            "Runs with a split brain",
            "Runs in which two nodes had the address at the same time.",
            f'{runs} AND "split_brain_ms" > 0',
            4,
            bad=True,
        ),
    ]


def _over_time() -> list[Panel]:
    at = f'FROM "switchover_verdict" WHERE "valid" = true AND {VERDICTS} GROUP BY "fault"'
    panels = [
        dots(
            "Outage by fault, against its limit",
            "One dot per valid run. The stepped line is the limit. A dot above the line exceeds the limit. A "
            "rising trend shows a slower failover.",
            "ms",
            Query(f'SELECT "outage_high_ms" {at}', "$tag_fault"),
            Query('SELECT "limit" FROM "switchover_limit" WHERE "name" = \'outage\' AND $timeFilter', "limit"),
            size=(12, 9),
        ),
        dots(
            "Failback by fault",
            "One dot per run: the outage of the failback. It should be zero.",
            "ms",
            Query(f'SELECT "failback_high_ms" {at}', "$tag_fault"),
            Query('SELECT "limit" FROM "switchover_limit" WHERE "name" = \'failback\' AND $timeFilter', "limit"),
            size=(12, 9),
        ),
        dots(
            "Failed in the switchover",
            "One dot per run: the share of requests that failed between fault and recovery.",
            "percent",
            Query(f'SELECT "failed_percent" {at}', "$tag_fault"),
            size=(12, 9),
        ),
        dots(
            "Outage and prediction",
            "The outage of each run, and its predicted window. If a dot is outside of the window, the outage also "
            "has a cause other than the fault.",
            "ms",
            Query(f'SELECT "outage_high_ms" {at}', "$tag_fault"),
            Query(f'SELECT "predicted_low_ms" {at}', "$tag_fault at least"),
            Query(f'SELECT "predicted_high_ms" {at}', "$tag_fault at most"),
            size=(12, 9),
        ),
    ]
    for panel in panels:
        paint(panel, FAULTS)
        panel.override_by_regexp("/^limit$|at (least|most)$/", _STEPS)
        panel.override_by_regexp("/at (least|most)$/", [OUT_OF_LEGEND])
    return [*panels]


def _runs() -> list[Panel]:
    runs = rows(
        "Runs",
        "All runs, the newest first. The name of a run links to Drill. The verdict links to the report.",
        "locale",
        Query(
            'SELECT "verdict", "recovered", "outage_low_ms", "outage_high_ms", "failback_high_ms", "failed_percent", '
            f'"split_brain_ms", "unaccounted" FROM "switchover_verdict" WHERE {VERDICTS} '
            'GROUP BY "run", "fault", "generator"',
            as_table=True,
        ),
        Query(STARTS, as_table=True),
        size=(24, 11),
        sort="end",
    ).transformations(from_and_to(WIDTHS))
    for name in ("outage_low_ms", "outage_high_ms", "failback_high_ms", "split_brain_ms"):
        column(runs, name, unit="ms", displayName=name.removesuffix("_ms").replace("_", " "))
    column(runs, "failed_percent", unit="percent", decimals=1, displayName="failed")
    verdict_column(runs)
    column(runs, "recovered", mappings=mappings(RECOVERED), **BACKGROUND)
    for name, width in WIDTHS.items():
        column(runs, name, **{"custom.width": width})
    column(runs, "generator", displayName="load")
    column(runs, "end", unit="dateTimeAsIso")
    column(runs, "run", links=[{"title": "Show this run", "url": TO_DRILL}])
    hide(runs, "from", "to")
    limits = rows(
        "Limits",
        "All limits of all runs, the newest first.",
        "none",
        Query(
            'SELECT "state", "limit", "low", "high", "unit" FROM "switchover_limit" WHERE $timeFilter '
            'GROUP BY "run", "name"',
            as_table=True,
        ),
        size=(24, 9),
    )
    column(limits, "state", mappings=mappings(KEPT), **BACKGROUND)
    column(limits, "Time", unit="dateTimeAsIso", **{"custom.width": 170})
    column(limits, "run", **{"custom.width": 280})
    order(limits, "Time", "run", "name")
    return [runs, limits]


def verdict_column(panel: Panel) -> None:
    """Format the column with the verdict of each run, which links to the report."""
    report = {"title": "Open its report", "url": report_of("${__data.fields.run}"), "targetBlank": True}
    column(panel, "verdict", displayName="verdict", mappings=mappings(VERDICT), links=[report], **BACKGROUND)


def from_and_to(columns: Iterable[str]) -> list[DataTransformerConfig]:
    """Return the transformations that add the time range of each run, which its link needs, and that sort the given
    columns.

    InfluxQL has no joins. So Grafana joins verdicts (query A) and starts (query B).
    """
    return [
        _renamed("A", "end"),
        _renamed("B", "start"),
        DataTransformerConfig("joinByField", options={"byField": "run", "mode": "outer"}),
        # A run without a verdict has only a start.
        known("end"),
        _converted("number", "end", "start"),
        _moved("begin", "start", "-", BEFORE_MS),
        _moved("earliest", "end", "-", LONGEST_MS),
        DataTransformerConfig(
            "calculateField",
            options={
                "mode": "reduceRow",
                "alias": "from",
                "reduce": {"reducer": "max", "include": ["begin", "earliest"]},
            },
        ),
        _moved("to", "end", "+", AFTER_MS),
        _converted("time", "end"),
        DataTransformerConfig(
            "organize",
            options={
                "excludeByName": {"start": True, "text": True, "begin": True, "earliest": True},
                "indexByName": {name: index for index, name in enumerate(columns)},
                "renameByName": {},
            },
        ),
    ]


def known(name: str) -> DataTransformerConfig:
    """Return the transformation that removes the rows without a value in this column."""
    there = {"fieldName": name, "config": {"id": "isNotNull", "options": {}}}
    return DataTransformerConfig("filterByValue", options={"type": "include", "match": "all", "filters": [there]})


def _renamed(query: str, time: str) -> DataTransformerConfig:
    """Rename a time column before a join. If two columns had the same name, the join would add numbers to the
    names."""
    return DataTransformerConfig(
        "organize",
        filter_val=MatcherConfig("byRefId", query),
        options={"excludeByName": {}, "indexByName": {}, "renameByName": {"Time": time}},
    )


def _converted(kind: str, *names: str) -> DataTransformerConfig:
    conversions = [{"targetField": name, "destinationType": kind} for name in names]
    return DataTransformerConfig("convertFieldType", options={"fields": {}, "conversions": conversions})


def _moved(name: str, column_name: str, operator: str, by_ms: int) -> DataTransformerConfig:
    return DataTransformerConfig(
        "calculateField",
        options={
            "mode": "binary",
            "alias": name,
            "binary": {"left": column_name, "operator": operator, "right": str(by_ms)},
        },
    )


_STEPS = [
    DynamicConfigValue("custom.drawStyle", "line"),
    DynamicConfigValue("custom.lineInterpolation", "stepAfter"),
    DynamicConfigValue("custom.spanNulls", True),
    DynamicConfigValue("custom.fillOpacity", 0),
]
"""The format of limits and predictions: steps. A value applies until the next run has another value."""
