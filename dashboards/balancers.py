"""The dashboard Balancers: metrics that HAProxy, Nginx and their machines report during a run."""

from grafana_foundation_sdk.builders import dashboard, statetimeline, timeseries
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

from dashboards.board import board, newest_run, node, row, tag
from dashboards.colors import BLUE, GENERATION, ORANGE, PROCESSES, READ, RED, SERIES, SERVER_STATUS, Words
from dashboards.influxql import NODE, RUN, SECOND, Query
from dashboards.panels import (
    BACKGROUND,
    DASHED,
    DOTTED,
    SILENCE_MS,
    WRAPPED,
    Panel,
    column,
    fixed,
    hide,
    lines,
    lines_within,
    mappings,
    order,
    paint,
    rows,
    states,
)

PROXY = f'{NODE} AND "proxy" =~ /^$proxy$/ AND "proxy" != \'control\''
"""A condition that excludes `control`, the proxy through which the lab controls HAProxy."""
FRONTEND = f"\"type\" = 'frontend' AND {PROXY}"
BACKEND = f"\"type\" = 'backend' AND {PROXY}"
SERVER = f'"type" = \'server\' AND "server" =~ /^$server$/ AND {PROXY}'

EVERY = f'GROUP BY time({SECOND}), "node", "proxy"'
EVERY_SERVER = f'{EVERY}, "server"'
ON = "$tag_node $tag_proxy"
SERVER_COLUMNS = {
    "node": 100,
    "proxy": 150,
    "server": 150,
    "state": 110,
    "sessions": 85,
    "queue": 75,
    "requests": 95,
    "5xx": 65,
    "connect errors": 120,
    "response errors": 130,
    "retries": 75,
    "redispatches": 115,
    "response time": 115,
}
"""The widths of the columns in pixels. Each column is at least as wide as its name, and all columns fit on a screen
of 1,600 pixels."""
SERVER_ON = "$tag_server on $tag_node"
SHORTEST_MS = 100
"""The minimum time between two readings from which a rate is computed. At its start, a run makes two readings within
milliseconds."""


def balancers() -> dashboard.Dashboard:
    made = board(
        "balancers",
        "Switchover: Balancers",
        "The balancers' own counters: sessions, rates, queues, errors, retries, servers, processes.",
        [
            newest_run(),
            node(),
            tag("proxy", "Proxy", "HAProxy's frontends and backends by name", "switchover_haproxy", NODE),
            tag(
                "server",
                "Server",
                "The servers of HAProxy's backends",
                "switchover_haproxy",
                f"\"type\" = 'server' AND {PROXY}",
            ),
        ],
        since="now-5m",
        refresh="5s",
    )
    row(made, "Load by node", *_work())
    row(made, "HAProxy's servers", *_servers())
    row(made, "Errors, retries, queues", *_trouble())
    row(made, "Nginx", *_nginx(), closed=True)
    row(made, "The machines", *_machines())
    row(made, "Quality of these figures", *_scrapes())
    return made


def _last(
    title: str,
    description: str,
    unit: str,
    field: str,
    where: str,
    group: str,
    name: str,
    width: int,
    *,
    many: bool = False,
) -> timeseries.Panel:
    return lines(
        title,
        description,
        unit,
        Query(f'SELECT last("{field}") FROM "switchover_haproxy" WHERE {where} {group} fill(none)', name),
        size=(width, 8),
        many=many,
    )


def _rate(
    title: str,
    description: str,
    unit: str,
    fields: dict[str, str],
    where: str,
    group: str,
    name: str,
    width: int,
    *,
    many: bool = False,
) -> timeseries.Panel:
    """Return a panel that shows counters as rates. If a counter falls because its process was restarted, no rate is
    shown."""
    queries = [
        Query(rate_of(field, "switchover_haproxy", where, group), f"{label} {name}".strip())
        for field, label in fields.items()
    ]
    return lines(title, description, unit, *queries, size=(width, 8), many=many)


def rate_of(field: str, measurement: str, where: str, group: str) -> str:
    """Return the query for the rate of a counter. The rate is computed from the times of the readings, so two
    readings in one second do not double the rate."""
    series = group.partition(", ")[2]
    return (
        f'SELECT 1000 * sum("more") / sum("ms") FROM (SELECT non_negative_difference("{field}") AS "more", '
        f'elapsed("{field}", 1ms) AS "ms" FROM "{measurement}" WHERE {where} GROUP BY {series}) '
        f'WHERE "ms" >= {SHORTEST_MS} AND $timeFilter {group} fill(none)'
    )


def _work() -> list[Panel]:
    answers = _rate(
        "Answers by class",
        "Responses of the frontends, by status class. 5xx without a server fault are from the balancer: it has no "
        "server for the request.",
        "reqps",
        {"hrsp_2xx": "2xx", "hrsp_4xx": "4xx", "hrsp_5xx": "5xx"},
        FRONTEND,
        EVERY,
        ON,
        8,
    )
    for start, color in (("2xx", BLUE), ("4xx", ORANGE), ("5xx", RED)):
        answers.override_by_regexp(f"/^{start}/", [fixed(color)])
    return [
        _rate(
            "Requests per second",
            "Requests at the frontends of each node. At a switchover, the curve of one node falls to zero, and the "
            "curve of the other node rises.",
            "reqps",
            {"req_tot": ""},
            FRONTEND,
            EVERY,
            ON,
            8,
        ),
        _last(
            "Sessions",
            "Open sessions at the frontends. Sessions that stay on the old node are stale connections.",
            "locale",
            "scur",
            FRONTEND,
            EVERY,
            ON,
            8,
        ),
        answers,
        _rate(
            "Received",
            "Bytes per second from clients, by frontend.",
            "Bps",
            {"bin": ""},
            FRONTEND,
            EVERY,
            ON,
            8,
        ),
        _rate(
            "Sent",
            "Bytes per second to clients, by frontend.",
            "Bps",
            {"bout": ""},
            FRONTEND,
            EVERY,
            ON,
            8,
        ),
        states(
            "Generations",
            "A new colour is a new generation: a new HAProxy process, or cleared counters. Counters are compared "
            "only within one generation.",
            Query(f'SELECT "generation" FROM "switchover_haproxy" WHERE {FRONTEND} GROUP BY "node"', "$tag_node"),
            size=(8, 8),
            statuses=GENERATION,
            silence_ms=SILENCE_MS,
            border=1,
        ),
    ]


def _servers() -> list[Panel]:
    table = rows(
        "Servers",
        "The last state of each server in each node's HAProxy. Servers that are down are first. Counts start at 0 "
        "when the HAProxy process starts.",
        "locale",
        Query(
            'SELECT last("status") AS "state", last("scur") AS "sessions", last("qcur") AS "queue", '
            'last("req_tot") AS "requests", last("hrsp_5xx") AS "5xx", last("econ") AS "connect errors", '
            'last("eresp") AS "response errors", last("wretr") AS "retries", last("wredis") AS "redispatches", '
            'last("rtime") AS "response time" '
            f'FROM "switchover_haproxy" WHERE {SERVER} GROUP BY "node", "proxy", "server"',
            as_table=True,
        ),
        size=(24, 8),
        sort="state",
        falling=False,
    )
    hide(table, "Time")
    order(table, *SERVER_COLUMNS)
    for name, width in SERVER_COLUMNS.items():
        column(table, name, **{"custom.width": width})
    column(table, "state", mappings=mappings(SERVER_STATUS), **BACKGROUND)
    column(table, "response time", unit="ms")
    return [
        table,
        status_of_servers(
            Query(
                f'SELECT "status" FROM "switchover_haproxy" WHERE {SERVER} GROUP BY "node", "proxy", "server"',
                SERVER_ON,
            ),
            SERVER_STATUS,
        ),
        _rate(
            "Requests per second by server",
            "Requests per server and node. Equal curves show round robin. A server with fewer requests is slow, or "
            "was down.",
            "reqps",
            {"req_tot": ""},
            SERVER,
            EVERY_SERVER,
            SERVER_ON,
            12,
            many=True,
        ),
        sessions_by_server(
            Query(
                f'SELECT last("scur") FROM "switchover_haproxy" WHERE {SERVER} {EVERY_SERVER} fill(none)', SERVER_ON
            )
        ),
        _last(
            "Response time by server",
            "HAProxy's mean time to the server's response, over the last 1,024 requests.",
            "ms",
            "rtime",
            SERVER,
            EVERY_SERVER,
            SERVER_ON,
            12,
            many=True,
        ),
    ]


def status_of_servers(query: Query, statuses: Words) -> statetimeline.Panel:
    return states(
        "Status of the servers",
        "The status of each server, as the HAProxy of each node reports it. If the nodes report different "
        "statuses, check the network between node and server.",
        query,
        size=(12, 8),
        statuses=statuses,
        silence_ms=SILENCE_MS,
        page=lines_within(8),
    )


def sessions_by_server(query: Query) -> Panel:
    return lines(
        "Sessions by server",
        "The requests that a server is processing now. A curve that rises and stays high shows a server that hangs.",
        "locale",
        query,
        size=(12, 8),
        many=True,
    )


def _trouble() -> list[Panel]:
    errors, retries, queue = _counted_trouble()
    return [
        paint(errors, SERIES, "connect", "response"),
        paint(retries, SERIES, "retried", "redispatched"),
        queue,
    ]


def _counted_trouble() -> tuple[timeseries.Panel, timeseries.Panel, timeseries.Panel]:
    return (
        _rate(
            "Errors by server",
            "Failed connections to servers, and truncated responses. Both should be zero without a backend fault.",
            "cps",
            {"econ": "connect", "eresp": "response"},
            SERVER,
            EVERY_SERVER,
            SERVER_ON,
            8,
            many=True,
        ),
        _rate(
            "Retries and redispatches",
            "Requests that HAProxy sent again, to the same server or to a different server. Users get no error, "
            "but wait longer.",
            "cps",
            {"wretr": "retried", "wredis": "redispatched"},
            SERVER,
            EVERY_SERVER,
            SERVER_ON,
            8,
            many=True,
        ),
        _last(
            "Queue",
            "Requests that wait for a free server connection. If there is still a queue after the switchover, a "
            "single node is too small for the load.",
            "locale",
            "qcur",
            BACKEND,
            EVERY,
            ON,
            8,
        ),
    )


def _nginx() -> list[Panel]:
    every = f'GROUP BY time({SECOND}), "node"'
    at = f'FROM "switchover_nginx" WHERE {NODE} {every} fill(none)'
    connections = lines(
        "Nginx connections",
        "Active: all connections. Dashed, writing: responses in progress. Dotted, waiting: idle connections.",
        "locale",
        Query(f'SELECT last("active") {at}', "$tag_node active"),
        Query(f'SELECT last("writing") {at}', "$tag_node writing"),
        Query(f'SELECT last("waiting") {at}', "$tag_node waiting"),
        size=(8, 8),
    )
    connections.override_by_regexp("/ writing$/", [DASHED]).override_by_regexp("/ waiting$/", [DOTTED])
    return [
        lines(
            "Nginx requests per second",
            "All requests that Nginx has served. Nginx counts each scrape as a request.",
            "reqps",
            Query(rate_of("requests", "switchover_nginx", NODE, every), "$tag_node"),
            size=(8, 8),
        ),
        connections,
        lines(
            "Nginx connections dropped",
            "Connections that Nginx accepted but did not handle. An increase shows that a limit was reached, "
            "usually worker_connections.",
            "locale",
            Query(f'SELECT last("accepts") - last("handled") {at}', "$tag_node"),
            size=(8, 8),
        ),
    ]


def _machines() -> list[Panel]:
    at = f'FROM "switchover_process" WHERE {NODE} GROUP BY time({SECOND}), "node", "process" fill(none)'
    cpu = lines(
        "CPU by process",
        "CPU utilisation in percent of one core, as the sum over all processes with the same name. If a node is at "
        "100 % after a takeover, it is too small.",
        "percent",
        Query(f'SELECT last("cpu_percent") {at}', "$tag_process on $tag_node"),
        size=(8, 8),
        many=True,
    )
    memory = lines(
        "Memory by process",
        "Resident memory, as the sum over all processes with the same name.",
        "bytes",
        Query(f'SELECT last("rss_bytes") {at}', "$tag_process on $tag_node"),
        size=(8, 8),
        many=True,
    )
    return [
        paint(cpu, PROCESSES),
        paint(memory, PROCESSES),
        lines(
            "Load of the machine",
            "The one-minute load average. In the built-in lab, all nodes run on one machine.",
            "locale",
            Query(
                f'SELECT last("load1") FROM "switchover_process" WHERE {NODE} '
                f'GROUP BY time({SECOND}), "node" fill(none)',
                "$tag_node",
            ),
            size=(8, 8),
        ),
        lines(
            "HAProxy idle",
            "The share of time in which HAProxy was idle. Near 0, HAProxy is the bottleneck.",
            "percent",
            Query(
                f'SELECT last("Idle_pct") FROM "switchover_haproxy_info" WHERE {NODE} '
                f'GROUP BY time({SECOND}), "node" fill(none)',
                "$tag_node",
            ),
            size=(12, 8),
        ),
        lines(
            "HAProxy connections",
            "Connections of the HAProxy process. Dashed, right axis: the limit of connections. Above this limit, "
            "clients wait in the kernel.",
            "locale",
            Query(
                f'SELECT last("CurrConns") FROM "switchover_haproxy_info" WHERE {NODE} '
                f'GROUP BY time({SECOND}), "node" fill(none)',
                "$tag_node",
            ),
            Query(
                f'SELECT last("Maxconn") FROM "switchover_haproxy_info" WHERE {NODE} '
                f'GROUP BY time({SECOND}), "node" fill(none)',
                "$tag_node at most",
            ),
            size=(12, 8),
        ).override_by_regexp("/ at most$/", [DASHED, DynamicConfigValue("custom.axisPlacement", "right")]),
    ]


def _scrapes() -> list[Panel]:
    warnings = rows(
        "Warnings",
        "Warnings of the run, the newest first: for example sources that failed, clock problems, lost workers.",
        "string",
        Query(
            f'SELECT "text" FROM "switchover_event" WHERE "kind" = \'warning\' AND {RUN} GROUP BY "node"',
            as_table=True,
        ),
        size=(10, 8),
    )
    column(warnings, "Time", unit="dateTimeAsIso", **{"custom.width": 170})
    column(warnings, "node", **{"custom.width": 80})
    column(warnings, "text", **WRAPPED)
    return [
        states(
            "Sources",
            "Green: the source was read. Red: the source could not be read, which is expected on the node with the "
            "fault. On all other nodes, red means that figures are missing.",
            Query(
                f'SELECT "ok" FROM "switchover_scrape" WHERE {NODE} GROUP BY "node", "source"',
                "$tag_node $tag_source",
            ),
            size=(8, 8),
            statuses=READ,
            silence_ms=5 * SILENCE_MS,
        ),
        lines(
            "Time to read a source",
            "The duration of each scrape. If a scrape takes longer than the interval, the next scrape is delayed.",
            "ms",
            Query(
                f'SELECT max("duration_ms") FROM "switchover_scrape" WHERE {NODE} '
                f'GROUP BY time({SECOND}), "node", "source" fill(none)',
                "$tag_node $tag_source",
            ),
            size=(6, 8),
            many=True,
        ),
        warnings,
    ]
