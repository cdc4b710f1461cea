"""Drill: one switchover, live. From top to bottom: the verdict, what users get, who is master, what happened.

The rows below are closed: a refresh of what is open costs at most twelve queries, variables and marks included.
"""

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue

from dashboards.board import backend, board, generator, newest_run, node, row
from dashboards.colors import (
    EVENT,
    HOLDERS,
    HOLDS,
    KEPT,
    NEUTRAL,
    NONE_IS_GOOD,
    NONE_IS_NEUTRAL,
    RECOVERED,
    VERDICT,
    VRRP,
    Steps,
    Words,
)
from dashboards.influxql import LOAD, NODE, PER_SECOND, RUN, SECOND, SENT, Query, Shared
from dashboards.panels import BACKGROUND, Panel, bars, column, figure, hide, lines, mappings, rows, states

FIGURES = (
    "recovered",
    "outage_low_ms",
    "outage_high_ms",
    "predicted_low_ms",
    "predicted_high_ms",
    "failback_low_ms",
    "failback_high_ms",
    "failed_percent",
    "split_brain_ms",
    "unexplained",
)
RUNNING: Words = {**VERDICT, "/.+/": ("running", "blue")}
PULSE = "telemetry is read"
NOW = "time > now() - 10s"
ON_NODE = "$tag_node $tag_instance"
BACKEND = '"backend" =~ /^$backend$/'
GOOD = f'"outcome" =~ /^(good|ok)$/ AND {BACKEND}'
FAILED = "\"outcome\" = 'failed'"
EVERY = f"GROUP BY time({SECOND})"


def drill() -> dashboard.Dashboard:
    made = board(
        "drill",
        "Switchover: Drill",
        "A failover drill while it happens: who answers, who is master, what fails, and what the verdict says.",
        [newest_run(), generator(), node(), backend()],
        since="now-5m",
        refresh="5s",
    )
    row(made, "The verdict, once the run has ended", *_verdict())
    row(made, "What users get", *_users())
    row(made, "Who is master, and what happened", *_course())
    row(made, "By label and by backend", *_tables(), closed=True)
    row(made, "What fails, and how", *_failures(), closed=True)
    row(made, "How long answers take", *_latency(), closed=True)
    row(made, "Budgets, and each node's own word", *_details(), closed=True)
    return made


def _verdict() -> list[Panel]:
    figures = ", ".join(f'"{name}"' for name in FIGURES)
    # The first traffic of a run, which only means running: a load alone writes no event of its start.
    verdict = figure(
        "Verdict",
        "The run's word: green is proven, red is danger, orange says nothing about the pair, so read the run's "
        "reasons. Running: not judged yet.",
        "string",
        Query(
            f'SELECT first("hdr") AS "state" FROM "switchover_requests", "switchover_probes" WHERE {RUN}',
            as_table=True,
        ),
        Query(
            f'SELECT "word" AS "state", {figures} FROM "switchover_verdict" WHERE {RUN} ORDER BY time DESC LIMIT 1',
            as_table=True,
        ),
        size=(5, 4),
        words=RUNNING,
        empty="no run",
        fields="/^state$/",
    ).transformations(
        [
            DataTransformerConfig("merge", options={}),
            DataTransformerConfig("sortBy", options={"fields": {}, "sort": [{"field": "Time"}]}),
        ]
    )
    return [
        verdict,
        _judged("Recovered", "Whether the service was back at the end.", "string", 3, "recovered", words=RECOVERED),
        _judged(
            "Outage",
            "The shortest and the longest that it can have been, by the probes. The longest is missing where the "
            "service did not come back: then the other one is a lower bound. The budget decides, not this colour.",
            "ms",
            5,
            "outage_(low|high)_ms",
        ),
        _judged(
            "Predicted outage",
            "What the settings of Keepalived and the kind of fault allow, from the shortest to the longest. An "
            "outage outside of it has another cause than the one that was drilled.",
            "ms",
            5,
            "predicted_(low|high)_ms",
        ),
        _judged(
            "Failed in the switchover",
            "Share of the load's requests that failed between fault and recovery; of the probes, if there was no "
            "load.",
            "percent",
            3,
            "failed_percent",
        ),
        _judged(
            "Split brain",
            "How long two nodes held the address at once, by the owners' own word. Anything but 0 is a broken pair. "
            "Unknown: no witness on every balancer.",
            "ms",
            3,
            "split_brain_ms",
            steps=NONE_IS_GOOD,
        ),
    ]


def _users() -> list[Panel]:
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
        bars(
            "Requests by balancer",
            "Requests of the load per second, by the balancer that passed on the answer; red ones failed, orange "
            "ones came late. The hole is the outage, the change of colour the switchover.",
            "reqps",
            Query(f'{requests} {EVERY}, "balancer", "outcome" fill(0)', "$tag_balancer $tag_outcome"),
            size=(10, 9),
        ),
        bars(
            "Probes by balancer",
            "Probes per second by the balancer that answered, failed ones in red. They go out on schedule, so their "
            "sum is level, and what is red is missing service.",
            "reqps",
            Query(f'{probes} {EVERY}, "balancer", "outcome" fill(0)', "$tag_balancer $tag_outcome"),
            size=(10, 9),
        ),
    ]


def _course() -> list[Panel]:
    # Of a run that began before the time range the last word lies before it, too.
    told = (
        'SELECT last("holds_vip") AS "held" FROM "switchover_vrrp" WHERE "run" =~ /^$run$/ AND "node" =~ /^$node$/ '
        f'AND time >= ${{__from}}ms - 1h AND time <= ${{__to}}ms {EVERY}, "node" fill(previous)'
    )
    holders = states(
        "Holders of the address",
        "How many nodes hold the virtual address, by the last word of their kernels. One is green; none, and "
        "two, are red. Empty: no witness has told, or the run is over.",
        Query(
            f'SELECT count("held") * 10 + 1 FROM ({told}) WHERE "held" = true AND $timeFilter '
            f'{EVERY}, "node" fill(0)',
            "$tag_node",
        ),
        Query(f'SELECT last("ok") FROM "switchover_scrape" WHERE {RUN} {EVERY} fill(none)', PULSE),
        size=(10, 9),
        words=HOLDERS,
        silence_ms=5000,
    ).transformations(_sum_while_alive())
    events = rows(
        "Events",
        "Everything that was noted, newest first: the fault and its proof, VRRP and address changes, warnings, "
        "the heal.",
        "string",
        Query(f'SELECT "text" FROM "switchover_event" WHERE {RUN} GROUP BY "kind", "node"', as_table=True),
        size=(14, 9),
    )
    column(events, "Time", unit="dateTimeAsIso", **{"custom.width": 170})
    column(events, "kind", mappings=mappings(EVENT), **{"custom.width": 110}, **BACKGROUND)
    column(events, "node", **{"custom.width": 80})
    return [holders, events]


def _sum_while_alive() -> list[DataTransformerConfig]:
    """What `HOLDERS` has words for, over all nodes, in the intervals in which the run's telemetry read anything."""
    return [
        DataTransformerConfig("joinByField", options={"byField": "Time", "mode": "outer"}),
        DataTransformerConfig(
            "filterByValue",
            options={
                "type": "include",
                "match": "all",
                "filters": [{"fieldName": PULSE, "config": {"id": "isNotNull", "options": {}}}],
            },
        ),
        DataTransformerConfig(
            "calculateField",
            options={"mode": "reduceRow", "reduce": {"reducer": "sum"}, "alias": "holders", "replaceFields": True},
        ),
    ]


def _tables() -> list[Panel]:
    labels = rows(
        "By label",
        "Every label of the load: how many requests, how many failed, and the highest median, p95 and p99 that any "
        "second had. Percentiles of seconds cannot be averaged; the run's report has those of the whole run.",
        "locale",
        Query(_counted("label"), as_table=True),
        size=(12, 9),
        sort="count",
    )
    backends = rows(
        "The ten busiest backends",
        "What the backends answered: equal counts mean that the algorithm shares fairly.",
        "locale",
        Query(
            f'SELECT top("answered", "backend", 10) AS "count" FROM (SELECT sum("count") AS "answered" '
            f'FROM "switchover_requests" WHERE "backend" != \'\' AND {LOAD} GROUP BY "backend")',
            as_table=True,
        ),
        size=(6, 9),
        sort="count",
    )
    slowest = rows(
        "The ten slowest backends",
        "The highest p99 that any second and label of a backend had.",
        "ms",
        Query(
            f'SELECT top("slow", "backend", 10) AS "p99" FROM (SELECT max("p99") AS "slow" '
            f'FROM "switchover_requests" WHERE "backend" != \'\' AND {LOAD} GROUP BY "backend")',
            as_table=True,
        ),
        size=(6, 9),
        sort="p99",
    )
    for panel in (labels, backends, slowest):
        hide(panel, "Time")
    for name in ("p50", "p95", "p99"):
        column(labels, name, unit="ms")
    column(labels, "errors", thresholds=_absolute(NONE_IS_NEUTRAL), **{"custom.cellOptions": {"type": "color-text"}})
    column(labels, "error share", unit="percent", decimals=1)
    return [
        labels,
        backends,
        slowest,
        lines(
            "Requests by backend: the spread",
            "The quietest, the middle and the busiest backend of each interval, however many there are. Far apart: "
            "the algorithm does not share fairly, or a server is away.",
            "reqps",
            Query(
                'SELECT min("share") AS "quietest", median("share") AS "median", max("share") AS "busiest" FROM '
                f'(SELECT sum("count") {PER_SECOND} AS "share" FROM "switchover_requests" '
                f'WHERE "backend" != \'\' AND {GOOD} AND {LOAD} {EVERY}, "backend" fill(none)) '
                f"WHERE $timeFilter {EVERY} fill(none)",
                "$col",
            ),
            size=(12, 8),
        ),
        bars(
            "Requests by backend",
            "Good answers per second by the server that gave them. With many backends look at the spread instead.",
            "reqps",
            Query(
                f'SELECT sum("count") {PER_SECOND} FROM "switchover_requests" WHERE {GOOD} AND {LOAD} '
                f'{EVERY}, "backend" fill(0)',
                "$tag_backend",
            ),
            size=(12, 8),
        ),
    ]


def _failures() -> list[Panel]:
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


def _latency() -> list[Panel]:
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
        lines(
            "p99 by backend",
            "The highest p99 of any label, per server: one curve above the others is one slow server.",
            "ms",
            Query(f'SELECT max("p99") {good} {EVERY}, "backend" fill(none)', "$tag_backend"),
            size=(8, 8),
            log=True,
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


def _details() -> list[Panel]:
    budgets = rows(
        "Budgets",
        "What was allowed and what it came to, per budget of the run.",
        "none",
        Query(
            f'SELECT "state", "limit", "low", "high", "unit" FROM "switchover_budget" WHERE {RUN} GROUP BY "name"',
            as_table=True,
        ),
        size=(12, 8),
        sort="name",
        falling=False,
    )
    hide(budgets, "Time")
    for name, width in (("name", 130), ("state", 110), ("limit", 90), ("low", 90), ("high", 90), ("unit", 70)):
        column(budgets, name, **{"custom.width": width})
    column(budgets, "state", mappings=mappings(KEPT), **BACKGROUND)
    vrrp = states(
        "VRRP state",
        "What each node's Keepalived says of itself. A Keepalived that ended without a word tells no state any more: "
        "grey.",
        Query(
            f'SELECT "state" FROM "switchover_vrrp" WHERE "state" != \'\' AND {NODE} GROUP BY "node"', as_table=True
        ),
        Query(
            f'SELECT "text" AS "state" FROM "switchover_event" WHERE "kind" = \'vrrp\' '
            f'AND "text" =~ /ended without a word/ AND {NODE} GROUP BY "node"',
            as_table=True,
        ),
        size=(12, 8),
        words=VRRP,
    ).transformations(
        [
            DataTransformerConfig("merge", options={}),
            DataTransformerConfig("sortBy", options={"fields": {}, "sort": [{"field": "Time"}]}),
            DataTransformerConfig(
                "partitionByValues",
                options={"fields": ["node"], "keepFields": False, "naming": {"asLabels": False}},
            ),
        ]
    )
    holds = states(
        "Who holds the address",
        "What each node's kernel says, until it says something else.",
        Query(f'SELECT "holds_vip" FROM "switchover_vrrp" WHERE {NODE} GROUP BY "node", "instance"', ON_NODE),
        size=(12, 8),
        words=HOLDS,
    )
    return [
        budgets,
        vrrp,
        holds,
        _judged(
            "Failback",
            "The same as the outage, for the way back to the healed node.",
            "ms",
            4,
            "failback_(low|high)_ms",
            height=8,
        ),
        _judged(
            "Unexplained",
            "Requests that client and balancer count differently for no reason that is known. 0: the books balance. "
            "Unknown: the traffic was not only ours.",
            "locale",
            4,
            "unexplained",
            steps=NONE_IS_GOOD,
            height=8,
        ),
        figure(
            "Failed probes",
            "Failed probes of the run in the time range. They are sent at a fixed rate: at 1,000 a second each "
            "is a millisecond without service.",
            "locale",
            Query(f'SELECT sum("count") FROM "switchover_probes" WHERE {FAILED} AND {RUN}', "failed"),
            size=(4, 8),
            steps=NONE_IS_NEUTRAL,
            empty="none told",
        ),
    ]


def _judged(
    title: str,
    description: str,
    unit: str,
    width: int,
    fields: str,
    *,
    steps: Steps = NEUTRAL,
    words: Words | None = None,
    height: int = 4,
) -> Panel:
    """Figures of the verdict that the panel "Verdict" has asked for."""
    panel = figure(
        title,
        description,
        unit,
        Shared("Verdict"),
        size=(width, height),
        steps=steps,
        words=words,
        empty="not judged" if words is None else "unknown",
        fields=f"/^{fields}$/",
    )
    for name, shown in (("low", "at least"), ("high", "at most")):
        panel.override_by_regexp(f"/_{name}_ms$/", [DynamicConfigValue("displayName", shown)])
    return panel


def _error_share(when: str) -> str:
    """In percent, and 0 where none failed: each request adds nothing to the failed, and each failed one itself."""
    source = '"switchover_requests", "switchover_probes"'
    run = f'"run" =~ /^$run$/ AND {when}'
    return (
        f'SELECT 100 * sum("failed") / sum("all") FROM (SELECT "count" AS "all", "count" * 0 AS "failed" '
        f'FROM {source} WHERE {SENT} AND {run}), (SELECT "count" AS "failed" FROM {source} WHERE {FAILED} AND {run}) '
        f"WHERE {when}"
    )


def _counted(tag: str) -> str:
    return (
        'SELECT sum("all") AS "count", sum("failed") AS "errors", 100 * sum("failed") / sum("all") AS "error share", '
        'max("p50") AS "p50", max("p95") AS "p95", max("p99") AS "p99" FROM '
        f'(SELECT "count" AS "all", "count" * 0 AS "failed" FROM "switchover_requests" WHERE {LOAD}), '
        f'(SELECT "count" AS "failed" FROM "switchover_requests" WHERE {FAILED} AND {LOAD}), '
        f'(SELECT "p50", "p95", "p99" FROM "switchover_requests" WHERE "outcome" != \'failed\' AND {LOAD}) '
        f'WHERE $timeFilter GROUP BY "{tag}"'
    )


def _absolute(steps: Steps) -> dict[str, object]:
    return {"mode": "absolute", "steps": [{"value": value, "color": color} for value, color in steps]}
