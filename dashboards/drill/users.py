"""What users get: who answers, what fails and how, how long answers take."""

from dashboards.colors import NONE_IS_GOOD
from dashboards.influxql import BACKEND, EVERY, FAILED, LOAD, PER_SECOND, RUN, SENT, Query
from dashboards.panels import Panel, bars, column, figure, heat, lines

NOW = "time > now() - 10s"


def users_panels() -> list[Panel]:
    requests = f'SELECT sum("count") {PER_SECOND} FROM "switchover_requests" WHERE {BACKEND} AND {LOAD}'
    probes = f'SELECT sum("count") {PER_SECOND} FROM "switchover_probes" WHERE {SENT} AND {RUN}'
    now = figure(
        "Failing now",
        "Share of requests and of probes that failed in the last ten seconds. Red: users see errors at this moment. "
        "Grey: nothing was told in these seconds, as of a run that has ended.",
        "percent",
        Query(_error_share(f"$timeFilter AND {NOW}"), "$measurement"),
        size=(4, 9),
        steps=NONE_IS_GOOD,
        empty="nothing told in 10 s",
    )
    column(now, "switchover_requests", displayName="requests")
    column(now, "switchover_probes", displayName="probes")
    return [
        now,
        *by_balancer(
            Query(f'{requests} {EVERY}, "balancer", "outcome" fill(0)', "$tag_balancer $tag_outcome"),
            Query(f'{probes} {EVERY}, "balancer", "outcome" fill(0)', "$tag_balancer $tag_outcome"),
        ),
    ]


def by_balancer(requests: Query, probes: Query) -> list[Panel]:
    """Of queries whose series are called after balancer and outcome."""
    return [
        bars(
            "Requests by balancer",
            "Requests of the load per second, by the balancer that passed on the answer; red ones failed, orange "
            "ones came late. The hole is the outage, the change of colour the switchover.",
            "reqps",
            requests,
            size=(10, 9),
        ),
        bars(
            "Probes by balancer",
            "Probes per second by the balancer that answered, failed ones in red. They go out on schedule, so their "
            "sum is level, and what is red is missing service.",
            "reqps",
            probes,
            size=(10, 9),
        ),
    ]


def failure_panels() -> list[Panel]:
    failed = f'SELECT sum("count") {PER_SECOND} FROM'
    return [
        lines(
            "Error share",
            "Share of requests, and of probes, that failed in each interval.",
            "percent",
            Query(f"{_error_share('$timeFilter')} {EVERY} fill(none)", "$measurement"),
            size=(8, 8),
        ),
        bars(
            "Failed probes by kind",
            "refused: the node is there, nobody listens. connect_timeout: nobody is there, or the queue is full. "
            "reset: cut in the middle. read_timeout: accepted and never answered. status: answered with an error.",
            "reqps",
            Query(f'{failed} "switchover_probes" WHERE {FAILED} AND {RUN} {EVERY}, "error" fill(0)', "$tag_error"),
            size=(8, 8),
        ),
        bars(
            "Failed requests by who answered",
            "none: no answer at all. balancer: it made the error itself, a 503 say, because it has no server left. "
            "backend: a server answered, and wrongly.",
            "reqps",
            Query(
                f'{failed} "switchover_requests" WHERE {FAILED} AND {LOAD} {EVERY}, "answered_by" fill(0)',
                "answered by $tag_answered_by",
            ),
            size=(8, 8),
        ),
    ]


def latency_panels() -> list[Panel]:
    good = f'FROM "switchover_requests" WHERE "outcome" =~ /^(good|ok|late)$/ AND {BACKEND} AND {LOAD}'
    return [
        lines(
            "Response time of the load",
            "Answers that were not errors. The mean is exact; percentiles and maximum are the highest of any label "
            "and backend in the interval. In a closed loop nobody asks while everybody waits: the probes say how "
            "long an outage was.",
            "ms",
            Query(
                'SELECT sum("rt_sum") / sum("count") AS "mean", max("p50") AS "p50", max("p95") AS "p95", '
                f'max("p99") AS "p99", max("rt_max") AS "maximum" {good} {EVERY} fill(none)',
                "$col",
            ),
            size=(8, 8),
            log=True,
        ),
        heat(
            "p99 by backend",
            "The highest p99 of any label, a line per server: one bright line among dark ones is one slow server, "
            "bright lines everywhere are the balancer or the way to it.",
            "ms",
            Query(f'SELECT max("p99") {good} {EVERY}, "backend" fill(null)', "$tag_backend"),
            size=(8, 8),
        ),
        lines(
            "Users",
            "How many users the load had at work, over all its processes, which tell it every second or two. A "
            "switchover is judged at a load: this one.",
            "locale",
            Query(
                'SELECT sum("users") FROM (SELECT last("active") AS "users" FROM "switchover_users" '
                f'WHERE {RUN} AND "generator" =~ /^$generator$/ {EVERY}, "run", "worker", "generator" fill(none)) '
                f'WHERE $timeFilter {EVERY}, "generator" fill(none)',
                "$tag_generator",
            ),
            size=(8, 8),
        ).interval("5s"),
    ]


def _error_share(when: str) -> str:
    """In percent, and 0 where none failed: each request adds nothing to the failed, and each failed one itself."""
    source = '"switchover_requests", "switchover_probes"'
    run = f'"run" =~ /^$run$/ AND {when}'
    return (
        f'SELECT 100 * sum("failed") / sum("all") FROM (SELECT "count" AS "all", "count" * 0 AS "failed" '
        f'FROM {source} WHERE {SENT} AND {run}), (SELECT "count" AS "failed" FROM {source} WHERE {FAILED} AND {run}) '
        f"WHERE {when}"
    )
