"""The common parts of all dashboards: variables, links to the other dashboards, and annotations for events."""

from collections.abc import Sequence

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

from dashboards.colors import BLUE, GREY, ORANGE, RED
from dashboards.influxql import DATABASE, RUN
from dashboards.panels import Panel

TAG = "switchover"
SOURCE = "switchover"
"""The uid of the data source in `datasources/`."""
UIDS = {name: f"switchover-{name}" for name in ("drill", "balancers", "compare", "fleet", "history", "prometheus")}
REPORTS = "http://127.0.0.1:8000"
EVERYTHING = ".*"
"""The pattern for "All" in a query. The pattern also matches points without the tag, such as points of requests
without a response."""


class _Marked(model.AnnotationTarget):
    """The query of an annotation. The SDK supports only annotations from Grafana's own database."""

    def __init__(self, text: str) -> None:
        super().__init__(limit=100, match_any=False, tags=[], type_val="tags")
        self.text = text

    def to_json(self) -> dict[str, object]:
        return super().to_json() | {
            "refId": "Anno",
            "query": self.text,
            "queryType": "tags",
            "rawQuery": True,
            "fromAnnotations": True,
            "textEditor": True,
            "textColumn": "text",
            "tagsColumn": "",
            "titleColumn": "",
            "timeEndColumn": "",
        }


class Mark(dashboard.AnnotationQuery):
    """Shows events of the given kinds, with their texts, as vertical lines in all panels."""

    def __init__(self, name: str, kinds: str, color: str, *, shown: bool = True) -> None:
        super().__init__()
        query = f'SELECT "text" FROM "switchover_event" WHERE "kind" =~ /^({kinds})$/ AND {RUN}'
        self.name(name).datasource(DATABASE).enable(shown).icon_color(color)
        self._internal.target = _Marked(query)


def marks() -> list[Mark]:
    """Return the annotations of a dashboard. Only two annotations are enabled by default, because each annotation
    needs a query. The table of events shows all events."""
    return [
        Mark("Fault", "fault", RED),
        Mark("Heal and first good responses", "heal|first_success|failback", BLUE),
        Mark("First failure", "first_failure", ORANGE, shown=False),
        Mark("Start and end", "start|end", GREY, shown=False),
        Mark("VRRP and addresses", "vrrp", GREY, shown=False),
        Mark("Warnings", "warning", ORANGE, shown=False),
    ]


def board(
    name: str,
    title: str,
    description: str,
    variables: Sequence[dashboard.QueryVariable],
    *,
    since: str,
    refresh: str,
    source: dashboard.DatasourceVariable | None = None,
    marked: Sequence[dashboard.AnnotationQuery] | None = None,
) -> dashboard.Dashboard:
    made = (
        dashboard.Dashboard(title)
        .uid(UIDS[name])
        .description(description)
        .tags([TAG])
        .editable()
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .time(since, "now")
        .timepicker(dashboard.TimePicker().refresh_intervals(["1s", "2s", "5s", "10s", "30s", "1m", "5m"]))
        .refresh(refresh)
        .timezone("browser")
        .with_variable(source or database())
    )
    for variable in variables:
        made.with_variable(variable)
    made.with_variable(reports(shown=name in ("fleet", "history")))
    for mark in marks() if marked is None else marked:
        made.annotation(mark)
    for other in UIDS:
        if other != name:
            made.link(_link(other))
    return made


def row(made: dashboard.Dashboard, title: str, *panels: Panel, closed: bool = False) -> None:
    """Add a row of panels. The panels of a closed row send no query until the row is opened."""
    if closed:
        folded = dashboard.Row(title).collapsed(True)
        for panel in panels:
            folded.with_panel(panel)
        made.with_row(folded)
        return
    made.with_row(dashboard.Row(title))
    for panel in panels:
        made.with_panel(panel)


def database() -> dashboard.DatasourceVariable:
    return (
        dashboard.DatasourceVariable("database")
        .label("Database")
        .description("The InfluxDB that receives the runs")
        .type("influxdb")
        .current(model.VariableOption(selected=True, text="Switchover", value=SOURCE))
    )


def reports(*, shown: bool) -> dashboard.TextBoxVariable:
    """Return the variable with the base URL of the reports. The user enters this URL, because the database does not
    contain it."""
    hidden = model.VariableHide.DONT_HIDE if shown else model.VariableHide.HIDE_VARIABLE
    return (
        dashboard.TextBoxVariable("reports")
        .label("Reports at")
        .description(
            "Base URL of the folder of runs. To serve this folder: python3 -m http.server -d runs -b 127.0.0.1 8000"
        )
        .hide(hidden)
        .default_value(REPORTS)
        .current(model.VariableOption(selected=True, text=REPORTS, value=REPORTS))
    )


def report_of(run: str) -> str:
    """Return the URL of a run's report. `run` is a Grafana expression."""
    return f"${{reports}}/{run}/report.html"


def tag(
    name: str, label: str, description: str, measurement: str, where: str = "$timeFilter", *, several: bool = True
) -> dashboard.QueryVariable:
    """Return a variable with the values of a tag in a measurement. By default, all values are chosen. The values are
    queried when the dashboard is loaded."""
    asked = f'SHOW TAG VALUES FROM "{measurement}" WITH KEY = "{name}" WHERE {where}'
    return _values(name, label, description, asked, several=several)


def field(name: str, label: str, description: str, measurement: str) -> dashboard.QueryVariable:
    """Return a variable with the values of a field in a measurement. By default, all values are chosen."""
    asked = f'SELECT DISTINCT("{name}") FROM "{measurement}" WHERE $timeFilter'
    return _values(name, label, description, asked, several=True)


def _values(name: str, label: str, description: str, asked: str, *, several: bool) -> dashboard.QueryVariable:
    everything = model.VariableOption(selected=True, text="All", value="$__all")
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .description(description)
        .datasource(DATABASE)
        .query(asked)
        .refresh(model.VariableRefresh.ON_DASHBOARD_LOAD)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(several)
        .include_all(True)
        .all_value(EVERYTHING)
        .current(everything)
    )


def newest_run() -> dashboard.QueryVariable:
    """Return the variable `run`. Its only value is the run with the newest traffic in the time range.

    With a list of all runs, Grafana would continue to show an old run after a new run has started. The query returns
    only one column, because Grafana offers the values of every column.
    """
    return (
        dashboard.QueryVariable("run")
        .label("Run")
        .description("The newest run in the time range. For an earlier run, use the link in Fleet")
        .datasource(DATABASE)
        .query(
            'SELECT "run" FROM (SELECT last("count") FROM "switchover_probes", "switchover_requests" '
            'WHERE $timeFilter GROUP BY "run") ORDER BY time DESC LIMIT 1'
        )
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_DESC)
    )


def runs() -> dashboard.QueryVariable:
    """Return the variable with the runs to compare. The newest run is first, because the id of a run begins with its
    time."""
    return (
        tag("run", "Run", "Two or more runs to compare", "switchover_event")
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_DESC)
    )


def generator() -> dashboard.QueryVariable:
    return tag("generator", "Load", "The load generator", "switchover_requests", '"run" =~ /^$run$/ AND $timeFilter')


def generator_of_verdict() -> dashboard.QueryVariable:
    return tag("generator", "Load", "The load generator", "switchover_verdict")


def node() -> dashboard.QueryVariable:
    return tag("node", "Node", "Balancers and backends by name", "switchover_scrape", RUN)


def backend() -> dashboard.QueryVariable:
    return tag("backend", "Backend", "The servers that answered", "switchover_probes", RUN)


def link_to_report() -> dashboard.DashboardLink:
    """Return a link to the report of the run that the dashboard shows."""
    return (
        dashboard.DashboardLink("Report")
        .type(model.DashboardLinkType.LINK)
        .url(report_of("${run}"))
        .icon("doc")
        .tooltip("The report of this run, below the URL in 'Reports at' of Fleet")
        .target_blank(True)
    )


def _link(name: str) -> dashboard.DashboardLink:
    """Return a link to another dashboard, with the same time range and run."""
    return (
        dashboard.DashboardLink(name.capitalize())
        .type(model.DashboardLinkType.LINK)
        .url(f"/d/{UIDS[name]}")
        .icon("dashboard")
        .tooltip(f"{name.capitalize()}: the same time range and run")
        .keep_time(True)
        .include_vars(True)
    )
