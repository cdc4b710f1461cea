"""The dashboard History: the verdicts of some months by target and fault, to see the usual cost of a switchover and
its changes."""

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

from dashboards.board import board, field, row, tag
from dashboards.colors import FAULTS, GREEN, NEUTRAL, NONE_IS_GOOD, ORANGE, VERSION
from dashboards.fleet import STARTS, TO_DRILL, from_and_to, known, verdict_column
from dashboards.influxql import Query
from dashboards.panels import (
    OUT_OF_LEGEND,
    Panel,
    bars,
    column,
    dots,
    figure,
    fixed,
    hide,
    paint,
    rows,
    states,
)

CHOSEN = '("target" =~ /^$target$/ OR "verdict" =~ /^$target$/) AND "fault" =~ /^$fault$/ AND $timeFilter'
"""Verdicts of earlier versions have no target. They are included if All is chosen, because the pattern of All matches
every verdict. The name of a target must be in a pattern, because Grafana escapes it, and InfluxDB refuses the quoted
text `'10\\.0\\.0\\.5'`."""
VALID = f'"valid" = true AND {CHOSEN}'
OF_FAULT, OF_TARGET = "${__field.labels.fault}", "${__field.labels.target}"
MONTHS = "time(30d, ${__from}ms)"
"""Intervals of 30 days, because InfluxQL has no calendar months. The first interval begins at the start of the time
range, because Grafana does not show intervals that begin earlier."""
PROGRAMS = "/^(?<balancer>(?!keepalived).+?)?(?:(?:^|, )(?<keepalived>keepalived .*))?$/"
"""Splits a text such as `haproxy 2.6.12, keepalived 2.2.7` into the versions of the programs."""
WIDTHS = {
    "end": 170,
    "run": 265,
    "target": 110,
    "fault": 130,
    "verdict": 135,
    "outage_low_ms": 100,
    "outage_high_ms": 105,
    "predicted_high_ms": 135,
    "failback_high_ms": 115,
    "versions": 270,
}
"""The widths of the columns in pixels. All columns fit on a screen of 1,600 pixels."""


def history() -> dashboard.Dashboard:
    made = board(
        "history",
        "Switchover: History",
        "Months of runs by target and fault: the usual cost of a switchover, and the verdicts.",
        [
            one.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
            for one in (
                field("target", "Target", "The target of the run", "switchover_verdict"),
                tag("fault", "Fault", "Fault or change", "switchover_verdict"),
            )
        ],
        since="now-1y",
        refresh="",
        marked=(),
    )
    row(made, "Usual cost of a switchover", *_figures())
    row(made, "Over the months", *_over_months())
    row(made, "All runs", _runs())
    return made


def _figures() -> list[Panel]:
    verdicts = 'FROM "switchover_verdict" WHERE'
    runs = f'SELECT count("exit_code") {verdicts} {CHOSEN}'
    return [
        _count("Runs judged", "Runs of the chosen targets and faults with a verdict.", runs),
        _length(
            "Median outage",
            "The median of the high ends of the outages, over all chosen faults. Only valid runs that recovered "
            "are included.",
            'median("outage_high_ms")',
        ),
        _length(
            "Nine of ten outages",
            "About 90 % of the outages were not longer than this time. Only valid runs that recovered are included.",
            'percentile("outage_high_ms", 90)',
        ),
        _length("Longest outage", "The longest outage of the valid runs that recovered.", 'max("outage_high_ms")'),
        _count(
            "Did not recover",
            "Runs in which the service was down at the end.",
            f'{runs} AND "recovered" = false',
            bad=True,
        ),
        _count(
            "No conclusion",
            "Runs without a conclusion about the pair. If there are many, find the cause.",
            f'{runs} AND "exit_code" = 2',
            bad=True,
        ),
    ]


def _count(title: str, description: str, query: str, *, bad: bool = False) -> Panel:
    steps = NONE_IS_GOOD if bad else NEUTRAL
    return figure(title, description, "locale", Query(query, title), size=(4, 4), steps=steps, empty="no such run")


def _length(title: str, description: str, what: str) -> Panel:
    query = f'SELECT {what} FROM "switchover_verdict" WHERE {VALID}'
    return figure(title, description, "ms", Query(query, title), size=(4, 4), empty="no such run")


def _over_months() -> list[Panel]:
    return [_outages(), _medians(), _words(), _versions()]


def _outages() -> Panel:
    panel = dots(
        "Outage of each run",
        "The outage of each valid run, by fault and target. The large dot is the high end, the small dot is the "
        "low end. If the dots rise at a certain time, failovers became slower; check the versions.",
        "ms",
        Query(
            f'SELECT "outage_low_ms", "outage_high_ms", "target" FROM "switchover_verdict" WHERE {VALID} '
            'GROUP BY "fault"',
            as_table=True,
        ),
        size=(24, 10),
    ).transformations([_parted("fault", "target")])
    paint(panel, FAULTS, before=".*")
    for bound, added in (("high", ""), ("low", " at least")):
        column(panel, f"outage_{bound}_ms", displayName=f"{OF_FAULT} {OF_TARGET}{added}")
        panel.override_by_regexp(f"/ null{added}$/", [model.DynamicConfigValue("displayName", f"{OF_FAULT}{added}")])
    panel.override_by_name("outage_low_ms", [model.DynamicConfigValue("custom.pointSize", 4), OUT_OF_LEGEND])
    return panel


def _medians() -> Panel:
    at = f'FROM "switchover_verdict" WHERE {VALID} GROUP BY {MONTHS}, "fault" fill(none)'
    panel = dots(
        "Outage in 30 days, by fault",
        "The median outage of the valid runs in 30 days. A small dot shows the longest outage. The dots are at the "
        "start of the 30 days.",
        "ms",
        Query(f'SELECT median("outage_high_ms") {at}', "$tag_fault"),
        Query(f'SELECT max("outage_high_ms") {at}', "$tag_fault at most"),
        size=(12, 9),
    )
    paint(panel, FAULTS)
    panel.override_by_regexp("/at most$/", [model.DynamicConfigValue("custom.pointSize", 4), OUT_OF_LEGEND])
    return panel


def _words() -> Panel:
    """Count runs by exit code, because the verdict is not a tag."""
    counts = f'SELECT count("exit_code") FROM "switchover_verdict" WHERE "exit_code" = {{}} AND {CHOSEN}'
    every = f" GROUP BY {MONTHS} fill(0)"
    panel = bars(
        "Verdicts in 30 days",
        "Runs by verdict: good (PASSED, MEASURED, DRY RUN), failed (FAILED, NOT RECOVERED, NOT RESTORED), or no "
        "conclusion (all others).",
        "locale",
        *(Query(counts.format(code) + every, name) for code, name in enumerate(("good", "failed", "no conclusion"))),
        size=(12, 9),
    )
    panel.override_by_name("good", [fixed(GREEN)])
    panel.override_by_name("no conclusion", [fixed(ORANGE)])
    return panel


def _versions() -> Panel:
    panel = states(
        "Versions of the balancers",
        "The versions of HAProxy or Nginx and of Keepalived in the runs of each target. Grey: unknown.",
        Query(
            f'SELECT "versions", "target" FROM "switchover_verdict" WHERE {CHOSEN}',
            as_table=True,
        ),
        size=(24, 6),
        statuses=VERSION,
        border=1,
    ).transformations([known("target"), *_taken_apart("versions", PROGRAMS), _parted("target")])
    return panel.display_name("${__field.labels.target} ${__field.name}")


def _runs() -> Panel:
    panel = rows(
        "Runs",
        "All runs, the newest first. The name of a run links to Drill. The verdict links to the report.",
        "locale",
        Query(
            'SELECT "target", "verdict", "outage_low_ms", "outage_high_ms", "predicted_high_ms", "failback_high_ms", '
            f'"versions" FROM "switchover_verdict" WHERE {CHOSEN} GROUP BY "run", "fault"',
            as_table=True,
        ),
        Query(STARTS, as_table=True),
        size=(24, 12),
        sort="end",
    ).transformations(from_and_to(WIDTHS))
    for name in ("outage_low_ms", "outage_high_ms", "predicted_high_ms", "failback_high_ms"):
        column(panel, name, unit="ms", displayName=name.removesuffix("_ms").replace("_", " "))
    verdict_column(panel)
    column(panel, "run", links=[{"title": "Show this run", "url": TO_DRILL}])
    column(panel, "end", unit="dateTimeAsIso")
    for name, width in WIDTHS.items():
        column(panel, name, **{"custom.width": width})
    hide(panel, "from", "to")
    return panel


def _parted(*names: str) -> model.DataTransformerConfig:
    """Make one series for each combination of values in these columns. InfluxQL can group only by tags, and the
    target is not a tag."""
    return model.DataTransformerConfig(
        "partitionByValues", options={"fields": list(names), "keepFields": False, "naming": {"asLabels": True}}
    )


def _taken_apart(name: str, pattern: str) -> list[model.DataTransformerConfig]:
    """Replace a column with one column for each group of the pattern."""
    options = {"source": name, "format": "regexp", "regExp": pattern, "replace": False}
    without = {"excludeByName": {name: True}, "indexByName": {}, "renameByName": {}}
    return [
        model.DataTransformerConfig("extractFields", options=options),
        model.DataTransformerConfig("organize", options=without),
    ]
