"""The dashboard Drill (Prometheus): one drill from Prometheus, with panels of Drill and Balancers."""

from collections.abc import Iterator

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

from dashboards.balancers import sessions_by_server, status_of_servers
from dashboards.board import EVERYTHING, board, link_to_report, row
from dashboards.colors import BLUE, RED, SERIES, SERVER_STATUS, Words
from dashboards.drill.course import holders_bar
from dashboards.drill.users import by_balancer
from dashboards.drill.verdict import FIGURES, failed_probes, judged_panels, verdict_word
from dashboards.panels import Panel, bars, heat, lines, paint
from dashboards.promql import (
    ANSWERED,
    FAILED,
    FRESH,
    NODE,
    PER_SECOND,
    PROMETHEUS,
    RUN,
    SENT,
    Promql,
    counted,
    last_of,
    series_of,
)

SOURCE = "switchover-prometheus"
"""The uid of the data source in `datasources/prometheus.yaml`."""
PROBES, REQUESTS = "switchover_probes_total", "switchover_requests_total"
DURATION = "switchover_request_duration_seconds"
SERVER = 'type="server", proxy!="control"'
BY_SERVER = "max by (node, proxy, server)"
SCRAPED = series_of("switchover_scrape_ok", 'source="haproxy"')
ONLY_SERIES = [model.DataTransformerConfig("prepareTimeSeries", options={"format": "multi"})]
"""An empty query result of Prometheus is a table without columns, for which a state timeline shows an error. This
transformation prevents the error, but removes the names of the series."""
SHADES = dashboard.FieldColor().mode(model.FieldColorModeId.SHADES).fixed_color("#8f7bd8")
"""The colours of labels. Labels may have any name, and Grafana's colours by name include red and orange."""
READ = f"and on (node) {SCRAPED} == 1"
"""A condition that hides balancers that do not answer, because the exporter repeats the last values of a dead
balancer."""


def prometheus() -> dashboard.Dashboard:
    made = board(
        "prometheus",
        "Switchover: Drill (Prometheus)",
        "A failover drill, live from Prometheus: balancers, master, failures, and the verdict.",
        [newest_run(), node()],
        since="now-5m",
        refresh="5s",
        source=server(),
        marked=[
            Mark("Fault", "fault", RED),
            Mark("Heal and first good responses", "heal|first_success|failback", BLUE),
        ],
    )
    made.link(link_to_report())
    row(made, "Verdict", verdict(), *judged_panels())
    row(made, "What users get", failed_so_far(), *by_balancer(*by_balancer_queries()))
    row(made, "Master and probes", holders(), probes_by_outcome())
    row(made, "HAProxy's servers", *servers(), closed=True)
    row(made, "Response times and labels", *latency(), closed=True)
    return made


class Mark(dashboard.AnnotationQuery):
    """Shows events of the given kinds as vertical lines in all panels. The value of the metric is the time of the
    event."""

    def __init__(self, name: str, kinds: str, color: str) -> None:
        super().__init__()
        self.name(name).datasource(PROMETHEUS).enable(True).icon_color(color)
        self._internal = _AtValue(self._internal, series_of("switchover_event_timestamp_seconds", f'kind=~"{kinds}"'))


class _AtValue(model.AnnotationQuery):
    """An annotation as Grafana stores it for Prometheus. The SDK supports only the fields that all annotations
    have."""

    def __init__(self, shared: model.AnnotationQuery, text: str) -> None:
        super().__init__(shared.name, shared.datasource, shared.enable, icon_color=shared.icon_color)
        self.text = text

    def to_json(self) -> dict[str, object]:
        return super().to_json() | {
            "target": {"refId": "Anno", "expr": f"1000 * {self.text}", "interval": "5s"},
            "titleFormat": "{{kind}} {{node}}",
            "useValueForTime": True,
        }


def server() -> dashboard.DatasourceVariable:
    return (
        dashboard.DatasourceVariable("prometheus")
        .label("Prometheus")
        .description("The Prometheus that scrapes the runs")
        .type("prometheus")
        .current(model.VariableOption(selected=True, text="Switchover (Prometheus)", value=SOURCE))
    )


def newest_run() -> dashboard.QueryVariable:
    """Return the variable `run`. As in Drill, its only value is the newest run in the time range."""
    scraped = f"group by (run) ({PROBES} or {REQUESTS}) * time()"
    return (
        dashboard.QueryVariable("run")
        .label("Run")
        .description(
            "The newest run in the time range. For an earlier run, choose a time range that ends with the run"
        )
        .datasource(PROMETHEUS)
        .query(f"query_result(topk(1, max_over_time(({scraped})[$__range:10s])))")
        .regex('/run="([^"]+)"/')
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
    )


def node() -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable("node")
        .label("Node")
        .description("Balancers and backends by name")
        .datasource(PROMETHEUS)
        .query(f"label_values(switchover_scrape_ok{{{RUN}}}, node)")
        .refresh(model.VariableRefresh.ON_DASHBOARD_LOAD)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(EVERYTHING)
        .current(model.VariableOption(selected=True, text="All", value="$__all"))
    )


def verdict() -> Panel:
    """Return the panel with the verdict, or `running` if there is only traffic. Its second query returns the figures,
    by name, for the other panels of the row."""
    status = f'label_join({last_of("switchover_verdict_status")} == 1, "state", "", "verdict")'
    traffic = f"group({last_of(PROBES)}) or group({last_of(REQUESTS)})"
    running = f'label_replace({traffic}, "state", "running", "", "")'
    return verdict_word(
        Promql(f"max by (state) ({status}) or on () {running}", now=True, as_table=True),
        Promql(" or ".join(_figures()), "{{figure}}", now=True),
    )


def _figures() -> Iterator[str]:
    """Yield the queries for the figures, converted to the units of the panels."""
    for field, shown in FIGURES.items():
        metric, scale = f"switchover_verdict_{field}", 1
        for unit, base, times in (("_ms", "_seconds", 1000), ("_percent", "_ratio", 100)):
            if metric.endswith(unit):
                metric, scale = metric.removesuffix(unit) + base, times
        yield f'label_replace({scale} * max({last_of(metric)}), "figure", "{shown}", "", "")'


def failed_so_far() -> Panel:
    """Return the panel with the number of failed probes. The number is 0 if no probe failed. There is no value if
    there are no probes."""
    failed, all_ = last_of(PROBES, FRESH, FAILED), last_of(PROBES, FRESH)
    return failed_probes(Promql(f"sum({failed}) or 0 * sum({all_})", "failed", now=True), height=9)


def by_balancer_queries() -> tuple[Promql, Promql]:
    """Return the queries for requests and for probes, by balancer and outcome."""
    by = "balancer, outcome"
    name = "{{balancer}} {{outcome}}"
    return (
        Promql(f"{counted(REQUESTS, SENT, by=by)} {PER_SECOND}", name),
        Promql(f"{counted(PROBES, SENT, FRESH, by=by)} {PER_SECOND}", name),
    )


def holders() -> Panel:
    """Return the panel with the number of address owners. The tens are the number of nodes that have the address. The
    units are the number of nodes whose state is known."""
    held = f"max by (node) ({series_of('switchover_vrrp_holds_vip', NODE)})"
    bar = holders_bar(Promql(f"10 * sum({held}) + count({held})", "holders"))
    return bar.transformations(ONLY_SERIES).display_name("holders")


def probes_by_outcome() -> Panel:
    return bars(
        "Probes by outcome",
        "Probes per second, by outcome. Red: failed. Orange: late. The rate is constant, so red shows the "
        "missing service.",
        "reqps",
        Promql(f"{counted(PROBES, FRESH, by='outcome')} {PER_SECOND}", "{{outcome}}"),
        size=(14, 9),
    )


def servers() -> list[Panel]:
    statuses, text = _numbered(SERVER_STATUS)
    name = "{{server}} on {{node}}"
    sessions = f"{BY_SERVER} ({series_of('switchover_haproxy_scur', SERVER, NODE)}) {READ}"
    status = status_of_servers(Promql(f"({text}) {READ}", name), statuses).transformations(ONLY_SERIES)
    status.display_name("${__field.labels.server} on ${__field.labels.node}")
    return [status, sessions_by_server(Promql(sessions, name))]


def _numbered(statuses: Words) -> tuple[Words, str]:
    """Return a number for each pattern of HAProxy's statuses, and the query that computes the number, because
    Prometheus has no text values."""
    numbered: dict[str, tuple[str, str]] = {}
    queries = []
    for number, (pattern, (_, color)) in enumerate(statuses.items()):
        status = pattern.strip("/^")
        numbered[str(number)] = (status.strip("()").replace("|", ", "), color)
        holds = series_of("switchover_haproxy_status", f'status=~"{status}.*"', SERVER, NODE)
        queries.append(f"{number} * {BY_SERVER} ({holds} == 1)")
    return numbered, " or ".join(queries)


def latency() -> list[Panel]:
    buckets = counted(f"{DURATION}_bucket", ANSWERED, by="le")
    mean = f"{counted(f'{DURATION}_sum', ANSWERED)} / {counted(f'{DURATION}_count', ANSWERED)}"
    by_backend = counted(REQUESTS, ANSWERED, 'backend!=""', by="backend")
    times = lines(
        "Response time of the load",
        "Good and late responses, over all labels and backends. The mean is exact; percentiles come from the "
        "histogram's 13 buckets, up to 10 s.",
        "s",
        Promql(mean, "mean"),
        *(
            Promql(f"histogram_quantile({share}, {buckets})", name)
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
        ),
        size=(8, 10),
        log=True,
    )
    return [
        paint(times, SERIES, "mean", "p50", "p95", "p99"),
        bars(
            "Requests by label and outcome",
            "Requests of the load per second, by label and outcome. If one label fails alone, check the "
            "servers. If all fail, check the balancer.",
            "reqps",
            Promql(f"{counted(REQUESTS, SENT, by='label, outcome')} {PER_SECOND}", "{{label}} {{outcome}}"),
            size=(8, 10),
        ).color_scheme(SHADES),
        heat(
            "Requests by backend",
            "Responses per second, one line per server: the brighter, the more. Dark means no response.",
            "reqps",
            Promql(f"{by_backend} {PER_SECOND}", "{{backend}}"),
            size=(8, 10),
        ).transformations(ONLY_SERIES),
    ]
