"""Panels about the results of users: the origin of responses, failures, and response times."""

from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

from dashboards.colors import NONE_IS_GOOD, PROCESSES, SERIES
from dashboards.influxql import BACKEND, EVERY, FAILED, LOAD, PER_SECOND, RUN, SENT, Query
from dashboards.panels import Panel, bars, column, figure, fixed, heat, lines, paint

NOW = "time > now() - 10s"
MEASUREMENTS = {"switchover_requests": "requests", "switchover_probes": "probes"}
USERS_SILENCE_MS = 15_000
"""Three intervals of five seconds. Each process of a load reports its users once per interval."""


def users_panels() -> list[Panel]:
    requests = f'SELECT sum("count") {PER_SECOND} FROM "switchover_requests" WHERE {BACKEND} AND {LOAD}'
    probes = f'SELECT sum("count") {PER_SECOND} FROM "switchover_probes" WHERE {SENT} AND {RUN}'
    now = figure(
        "Failing now",
        "Share of requests and of probes that failed in the last ten seconds. Red: users see errors now. "
        "Grey: no data, for example after the run.",
        "percent",
        Query(_error_share(f"$timeFilter AND {NOW}"), "$measurement"),
        size=(4, 9),
        steps=NONE_IS_GOOD,
        empty="no data in 10 s",
    )
    for measurement, shown in MEASUREMENTS.items():
        column(now, measurement, displayName=shown)
    return [
        now,
        *by_balancer(
            Query(f'{requests} {EVERY}, "balancer", "outcome" fill(0)', "$tag_balancer $tag_outcome"),
            Query(f'{probes} {EVERY}, "balancer", "outcome" fill(0)', "$tag_balancer $tag_outcome"),
        ),
    ]


def by_balancer(requests: Query, probes: Query) -> list[Panel]:
    """Return panels for queries whose series are named after balancer and outcome."""
    return [
        bars(
            "Requests by balancer",
            "Requests of the load per second, by balancer. Red: failed. Orange: late. The gap is the outage. The "
            "change of colour is the switchover.",
            "reqps",
            requests,
            size=(10, 9),
        ),
        bars(
            "Probes by balancer",
            "Probes per second, by balancer. Red: failed. The rate is constant, so red shows the missing service.",
            "reqps",
            probes,
            size=(10, 9),
        ),
    ]


def failure_panels() -> list[Panel]:
    failed = f'SELECT sum("count") {PER_SECOND} FROM'
    share = lines(
        "Error share",
        "Share of requests, and of probes, that failed in each interval.",
        "percent",
        Query(f"{_error_share('$timeFilter')} {EVERY} fill(none)", "$measurement"),
        size=(8, 8),
    )
    for measurement, shown in MEASUREMENTS.items():
        share.override_by_name(measurement, [DynamicConfigValue("displayName", shown), fixed(SERIES[shown])])
    kinds = bars(
        "Failed probes by kind",
        "refused: the node is up, but no process listens. connect_timeout: the node is down, or its queue is full. "
        "reset: the connection was cut. read_timeout: the connection was accepted, but there was no response. "
        "status: an error response.",
        "reqps",
        Query(f'{failed} "switchover_probes" WHERE {FAILED} AND {RUN} {EVERY}, "error" fill(0)', "$tag_error"),
        size=(8, 8),
    )
    answered = bars(
        "Failed requests by origin of the response",
        "none: no response. balancer: an error response of the balancer, such as 503 if no server is up. backend: "
        "an error response of a server.",
        "reqps",
        Query(
            f'{failed} "switchover_requests" WHERE {FAILED} AND {LOAD} {EVERY}, "answered_by" fill(0)',
            "answered by $tag_answered_by",
        ),
        size=(8, 8),
    )
    return [
        share,
        paint(kinds, SERIES, "refused", "reset", "connect_timeout", "read_timeout", "status"),
        paint(answered, SERIES, "none", "balancer", "backend", before="answered by "),
    ]


def latency_panels() -> list[Panel]:
    good = f'FROM "switchover_requests" WHERE "outcome" =~ /^(good|ok|late)$/ AND {BACKEND} AND {LOAD}'
    times = lines(
        "Response time of the load",
        "Good and late responses. The mean is exact; percentiles and maximum are the highest of any label and "
        "backend in the interval. Use the probes to measure the outage, because users who wait send no requests.",
        "ms",
        Query(
            'SELECT sum("rt_sum") / sum("count") AS "mean", max("p50") AS "p50", max("p95") AS "p95", '
            f'max("p99") AS "p99", max("rt_max") AS "maximum" {good} {EVERY} fill(none)',
            "$col",
        ),
        size=(8, 10),
        log=True,
    )
    users = lines(
        "Users",
        "Active users of the load, as the sum over all processes of the load.",
        "locale",
        Query(
            'SELECT sum("users") FROM (SELECT last("active") AS "users" FROM "switchover_users" '
            f'WHERE {RUN} AND "generator" =~ /^$generator$/ {EVERY}, "run", "worker", "generator" fill(none)) '
            f'WHERE $timeFilter {EVERY}, "generator" fill(none)',
            "$tag_generator",
        ),
        size=(8, 10),
    )
    users.interval("5s").insert_nulls(USERS_SILENCE_MS)
    return [
        paint(times, SERIES, "mean", "p50", "p95", "p99", "maximum"),
        heat(
            "p99 by backend",
            "The highest p99 of any label, one line per server. If one line is bright, this server is slow. If all "
            "lines are bright, the balancer or its network is slow.",
            "ms",
            Query(f'SELECT max("p99") {good} {EVERY}, "backend" fill(null)', "$tag_backend"),
            size=(8, 10),
        ),
        paint(users, PROCESSES, "locust", "jmeter"),
    ]


def _error_share(when: str) -> str:
    """Return the query for the share of failed requests, in percent. Each request adds a zero to `failed`, so the
    share is 0 if no request failed."""
    source = '"switchover_requests", "switchover_probes"'
    run = f'"run" =~ /^$run$/ AND {when}'
    return (
        f'SELECT 100 * sum("failed") / sum("all") FROM (SELECT "count" AS "all", "count" * 0 AS "failed" '
        f'FROM {source} WHERE {SENT} AND {run}), (SELECT "count" AS "failed" FROM {source} WHERE {FAILED} AND {run}) '
        f"WHERE {when}"
    )
