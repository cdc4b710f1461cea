"""What every dashboard has around its panels: variables, links to the others, marks for what happened."""

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
"""What "All" stands for in a query: also points without such a tag, as those of a request that nobody answered."""


class _Marked(model.AnnotationTarget):
    """An annotation's query. The SDK knows Grafana's own kind of target only."""

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
    """Events of some kinds as vertical lines through all panels, with their text."""

    def __init__(self, name: str, kinds: str, color: str, *, shown: bool = True) -> None:
        super().__init__()
        query = f'SELECT "text" FROM "switchover_event" WHERE "kind" =~ /^({kinds})$/ AND {RUN}'
        self.name(name).datasource(DATABASE).enable(shown).icon_color(color)
        self._internal.target = _Marked(query)


def marks() -> list[Mark]:
    """Two are on by default, since each is a query; the table of events has them all."""
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
    """A row of panels; those of a closed one ask nothing until it is opened."""
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
    """Of the reports no database tells where they are: each is a file in the directory of its run."""
    hidden = model.VariableHide.DONT_HIDE if shown else model.VariableHide.HIDE_VARIABLE
    return (
        dashboard.TextBoxVariable("reports")
        .label("Reports at")
        .description("Where the folder of the runs can be opened: python3 -m http.server -d runs -b 127.0.0.1 8000")
        .hide(hidden)
        .default_value(REPORTS)
        .current(model.VariableOption(selected=True, text=REPORTS, value=REPORTS))
    )


def report_of(run: str) -> str:
    """The address of a run's report; `run` is an expression of Grafana."""
    return f"${{reports}}/{run}/report.html"


def tag(
    name: str, label: str, description: str, measurement: str, where: str = "$timeFilter", *, several: bool = True
) -> dashboard.QueryVariable:
    """The values of a tag that a measurement has; all of them by default. Asked for once, and for each new run."""
    asked = f'SHOW TAG VALUES FROM "{measurement}" WITH KEY = "{name}" WHERE {where}'
    return _values(name, label, description, asked, several=several)


def field(name: str, label: str, description: str, measurement: str) -> dashboard.QueryVariable:
    """The same of a field."""
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
    """The run whose traffic was counted last in the time range: one at a time.

    Not a list of all: Grafana would keep to a run that it has once shown while the next one is under way. And no
    column beside the run: Grafana offers the values of every column.
    """
    return (
        dashboard.QueryVariable("run")
        .label("Run")
        .description("The newest run in the time range. For an earlier run use the link in Fleet")
        .datasource(DATABASE)
        .query(
            'SELECT "run" FROM (SELECT last("count") FROM "switchover_probes", "switchover_requests" '
            'WHERE $timeFilter GROUP BY "run") ORDER BY time DESC LIMIT 1'
        )
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_DESC)
    )


def runs() -> dashboard.QueryVariable:
    """Newest first, since a run's id begins with its time."""
    return (
        tag("run", "Run", "Two or more runs to compare", "switchover_event")
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_DESC)
    )


def generator() -> dashboard.QueryVariable:
    return tag("generator", "Load", "What made the load", "switchover_requests", '"run" =~ /^$run$/ AND $timeFilter')


def generator_of_verdict() -> dashboard.QueryVariable:
    return tag("generator", "Load", "What made the load", "switchover_verdict")


def node() -> dashboard.QueryVariable:
    return tag("node", "Node", "Balancers and backends by name", "switchover_scrape", RUN)


def backend() -> dashboard.QueryVariable:
    return tag("backend", "Backend", "The servers that answered", "switchover_probes", RUN)


def link_to_report() -> dashboard.DashboardLink:
    """Of the one run that the dashboard shows."""
    return (
        dashboard.DashboardLink("Report")
        .type(model.DashboardLinkType.LINK)
        .url(report_of("${run}"))
        .icon("doc")
        .tooltip("The report of this run, at the address in 'Reports at' of Fleet")
        .target_blank(True)
    )


def _link(name: str) -> dashboard.DashboardLink:
    """To another dashboard, with the same time and run."""
    return (
        dashboard.DashboardLink(name.capitalize())
        .type(model.DashboardLinkType.LINK)
        .url(f"/d/{UIDS[name]}")
        .icon("dashboard")
        .tooltip(f"{name.capitalize()}: the same time range and run")
        .keep_time(True)
        .include_vars(True)
    )
