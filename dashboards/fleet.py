"""Fleet: every run there is, over weeks: does the pair still fail over within what is allowed?"""

from grafana_foundation_sdk.builders import dashboard

from dashboards.board import UIDS, board, generator_of_verdict, row, tag
from dashboards.drill import KEPT, NONE_IS_GOOD, OUTAGE, PLAIN, VERDICT
from dashboards.influxql import Query
from dashboards.panels import Panel, column, dots, figure, mappings, rows

VERDICTS = '"fault" =~ /^$fault$/ AND "generator" =~ /^$generator$/ AND $timeFilter'
TO_DRILL = (
    f"/d/{UIDS['drill']}?var-run=${{__data.fields.run}}&var-database=${{database}}"
    "&time=${__data.fields.Time.numeric}&time.window=600000"
)
"""The drill's dashboard, ten minutes around the run's end."""


def fleet() -> dashboard.Dashboard:
    made = board(
        "fleet",
        "Switchover: Fleet",
        "All runs over time: how long the outages were, what failed, and which budgets were broken.",
        [tag("fault", "Fault", "What was done to the pair", "switchover_verdict"), generator_of_verdict()],
        since="now-30d",
        refresh="1m",
        marked=False,
    )
    row(made, "Are we within what is allowed", *_counts())
    row(made, "How it went over time", *_over_time())
    row(made, "The runs", *_runs())
    return made


def _count(title: str, description: str, query: str, width: int, *, bad: bool = False) -> Panel:
    return figure(
        title,
        description,
        "short",
        Query(query, title),
        size=(width, 4),
        steps=NONE_IS_GOOD if bad else PLAIN,
        empty="0",
    )


def _counts() -> list[Panel]:
    runs = f'SELECT count("exit_code") FROM "switchover_verdict" WHERE {VERDICTS}'
    return [
        _count("Runs", "Runs that were judged in this time.", runs, 4),
        _count("Passed", "Runs that kept every budget, by trusted figures.", f'{runs} AND "exit_code" = 0', 4),
        _count("Budget broken", "Runs that cost more than was allowed.", f'{runs} AND "exit_code" = 1', 4, bad=True),
        _count(
            "Not trusted",
            "Runs that say nothing about the pair: something was wrong with the measurement. Many of them are a "
            "problem of their own.",
            f'{runs} AND "exit_code" = 2',
            4,
            bad=True,
        ),
        figure(
            "Longest outage",
            "The longest outage of the runs in this time.",
            "ms",
            Query(f'SELECT max("outage_high_ms") FROM "switchover_verdict" WHERE {VERDICTS}', "longest"),
            size=(4, 4),
            steps=OUTAGE,
            empty="no runs",
        ),
        _count(
            "Runs with a split brain",
            "Runs in which two nodes held the address at once.",
            f'{runs} AND "split_brain_ms" > 0',
            4,
            bad=True,
        ),
    ]


def _over_time() -> list[Panel]:
    at = f'FROM "switchover_verdict" WHERE {VERDICTS} GROUP BY "fault"'
    return [
        dots(
            "Outage by fault, against its budget",
            "One dot per run. The steps are the budget that the runs were given: a dot above them is a broken one. A "
            "trend upwards is a pair that fails over more slowly than it used to.",
            "ms",
            Query(f'SELECT "outage_high_ms" {at}', "$tag_fault"),
            Query('SELECT "limit" FROM "switchover_budget" WHERE "name" = \'outage\' AND $timeFilter', "budget"),
            size=(12, 9),
        ),
        dots(
            "Failback by fault",
            "One dot per run: what the way back cost. It should be nothing, and is often forgotten.",
            "ms",
            Query(f'SELECT "failback_high_ms" {at}', "$tag_fault"),
            Query('SELECT "limit" FROM "switchover_budget" WHERE "name" = \'failback\' AND $timeFilter', "budget"),
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
            "Outage against what was predicted",
            "Each run's outage between the shortest and the longest that its settings allow. A dot outside of them "
            "has another cause than the fault that was drilled.",
            "ms",
            Query(f'SELECT "outage_high_ms" {at}', "$tag_fault"),
            Query(f'SELECT "predicted_low_ms" {at}', "$tag_fault at least"),
            Query(f'SELECT "predicted_high_ms" {at}', "$tag_fault at most"),
            size=(12, 9),
        ),
    ]


def _runs() -> list[Panel]:
    runs = rows(
        "Runs",
        "Every run, newest first. Its name leads to what happened in it.",
        "none",
        Query(
            'SELECT "exit_code", "outage_high_ms", "failback_high_ms", "failed_percent", "split_brain_ms", '
            '"unexplained" '
            f'FROM "switchover_verdict" WHERE {VERDICTS} GROUP BY "run", "fault", "generator"',
            as_table=True,
        ),
        size=(24, 11),
    )
    for name in ("outage_high_ms", "failback_high_ms", "split_brain_ms"):
        column(runs, name, unit="ms")
    column(runs, "failed_percent", unit="percent", decimals=1)
    column(runs, "exit_code", displayName="verdict", mappings=mappings(VERDICT), **BACKGROUND)
    column(runs, "run", links=[{"title": "Show this run", "url": TO_DRILL}], **{"custom.width": 300})
    broken = rows(
        "Budgets",
        "Every budget of every run, newest first.",
        "none",
        Query(
            'SELECT "low", "high", "limit", "unit", "state" FROM "switchover_budget" WHERE $timeFilter '
            'GROUP BY "run", "name"',
            as_table=True,
        ),
        size=(24, 9),
    )
    column(broken, "state", mappings=mappings(KEPT), **BACKGROUND)
    return [runs, broken]


BACKGROUND = {"custom.cellOptions": {"type": "color-background", "mode": "basic"}}
