"""Drill: one switchover, live. From top to bottom: the verdict, what users get, who is master, what fails and how."""

from grafana_foundation_sdk.builders import dashboard

from dashboards.board import backend, board, generator, node, row, run
from dashboards.influxql import LOAD, NODE, PER_SECOND, RUN, SECOND, Query
from dashboards.panels import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    YELLOW,
    Panel,
    Steps,
    Words,
    bars,
    column,
    figure,
    lines,
    mappings,
    painted,
    rows,
    states,
)

VERDICT: Words = {"0": ("PASSED", GREEN), "1": ("BUDGET BROKEN", RED), "2": ("NOT TRUSTED", ORANGE)}
HOLDS: Words = {"true": ("holds the address", GREEN), "false": ("not here", GREY)}
VRRP: Words = {
    "MASTER": ("MASTER", GREEN),
    "BACKUP": ("BACKUP", BLUE),
    "FAULT": ("FAULT", RED),
    "STOP": ("STOP", ORANGE),
}
KEPT: Words = {
    "kept": ("kept", GREEN),
    "broken": ("BROKEN", RED),
    "undecided": ("undecided", YELLOW),
    "unmeasured": ("unmeasured", YELLOW),
}
PLAIN: Steps = ((None, BLUE),)
NONE_IS_GOOD: Steps = ((None, GREEN), (1, RED))
OUTAGE: Steps = ((None, GREEN), (1000, YELLOW), (5000, RED))

ON_NODE = "$tag_node $tag_instance"
BACKEND = '"backend" =~ /^$backend$/'
GOOD = f'"outcome" =~ /^(good|ok)$/ AND {BACKEND}'
LATE = f"\"outcome\" = 'late' AND {BACKEND}"
FAILED = "\"outcome\" = 'failed'"


def drill() -> dashboard.Dashboard:
    made = board(
        "drill",
        "Switchover: Drill",
        "A failover drill while it happens: who answers, who is master, what fails, and what the verdict says.",
        [run(), generator(), node(), backend()],
        since="now-5m",
        refresh="5s",
    )
    row(made, "The verdict, once a run has ended", *_verdict())
    row(made, "Now", *_now())
    row(made, "What users get", *_users())
    row(made, "Who is master", *_masters())
    row(made, "What fails, and how", *_failures())
    row(made, "How long answers take", *_latency())
    row(made, "What happened", *_events())
    return made


def _verdict() -> list[Panel]:
    return [
        _judged(
            "Verdict",
            "exit_code",
            "PASSED: every budget is kept. BUDGET BROKEN: the switchover cost more than was allowed. NOT TRUSTED: "
            "the measurement cannot say, so read the run's reasons before its figures. Of several runs, the last.",
            "none",
            4,
            words=VERDICT,
        ),
        _judged(
            "Outage",
            "outage_high_ms",
            "From the last good answer before the fault to the first lasting one after it, by the probes: an upper "
            "estimate. Yellow from 1 s, red from 5 s; the run's own budget decides the verdict.",
            "ms",
            4,
            steps=OUTAGE,
        ),
        figure(
            "Predicted outage",
            "What the settings of Keepalived and the kind of fault allow, from the shortest to the longest. An "
            "outage outside of it has another cause than the one that was drilled. Empty: nothing is predicted.",
            "ms",
            Query(f'SELECT last("predicted_low_ms") FROM "switchover_verdict" WHERE {RUN}', "from"),
            Query(f'SELECT last("predicted_high_ms") FROM "switchover_verdict" WHERE {RUN}', "to"),
            size=(4, 4),
            steps=PLAIN,
            empty="no verdict yet",
        ),
        _judged(
            "Failback",
            "failback_high_ms",
            "The same as the outage, for the way back to the healed node. 0: nobody noticed.",
            "ms",
            3,
            steps=OUTAGE,
        ),
        _judged(
            "Failed in the switchover",
            "failed_percent",
            "Share of the load's requests that failed between fault and recovery; of the probes, if there was no "
            "load.",
            "percent",
            3,
            steps=PLAIN,
        ),
        _judged(
            "Split brain",
            "split_brain_ms",
            "How long two nodes held the address at once, by the owners' own word. Anything but 0 is a broken pair. "
            "Empty: no witness on every balancer.",
            "ms",
            3,
            steps=NONE_IS_GOOD,
        ),
        _judged(
            "Unexplained",
            "unexplained",
            "Requests that client and balancer count differently for no reason that is known. 0: the books balance. "
            "Empty: the traffic was not only ours.",
            "short",
            3,
            steps=NONE_IS_GOOD,
        ),
    ]


def _now() -> list[Panel]:
    requests = 'SELECT sum("count") FROM "switchover_requests" WHERE'
    probes = 'SELECT sum("count") FROM "switchover_probes" WHERE'
    return [
        figure(
            "Master",
            "Which node holds the virtual address, by the last word of its kernel. Two green ones: split brain.",
            "string",
            Query(f'SELECT last("holds_vip") FROM "switchover_vrrp" WHERE {NODE} GROUP BY "node"', "$tag_node"),
            size=(6, 4),
            words=HOLDS,
            empty="no witness",
            fields="/^(?!Time$).+/",
        ),
        figure(
            "Failing now",
            "Requests of the load that failed in the last ten seconds. Red: users see errors at this moment.",
            "short",
            Query(f"{requests} {FAILED} AND {LOAD}", "failed"),
            size=(6, 4),
            steps=NONE_IS_GOOD,
            empty="none",
        ).time_from("10s"),
        figure(
            "Probes failing now",
            "Probes without a good answer in the last ten seconds: the pair does not answer, whether users notice "
            "or not.",
            "short",
            Query(f"{probes} {FAILED} AND {RUN}", "failed"),
            size=(6, 4),
            steps=NONE_IS_GOOD,
            empty="none",
        ).time_from("10s"),
        figure(
            "Probes lost so far",
            "Failed probes of the whole time range. They are sent at a fixed rate: at 1,000 a second each is a "
            "millisecond without service, so this is the outage as it grows.",
            "short",
            Query(f"{probes} {FAILED} AND {RUN}", "failed"),
            size=(6, 4),
            steps=PLAIN,
            empty="none",
        ),
    ]


def _users() -> list[Panel]:
    every = f"GROUP BY time({SECOND})"
    requests = f'SELECT sum("count") {PER_SECOND} FROM "switchover_requests" WHERE'
    return [
        painted(
            bars(
                "Requests by balancer",
                "Requests of the load per second, by the balancer that passed on a good answer; late ones and failed "
                "ones above. The hole is the outage, the change of colour the switchover.",
                "reqps",
                Query(f'{requests} {GOOD} AND {LOAD} {every}, "balancer" fill(none)', "by $tag_balancer"),
                Query(f"{requests} {LATE} AND {LOAD} {every} fill(none)", "late"),
                Query(f"{requests} {FAILED} AND {LOAD} {every} fill(none)", "failed"),
                size=(12, 9),
            )
        ),
        painted(
            bars(
                "Requests by backend",
                "The same requests by the server that answered. Equal heights: the algorithm shares fairly, before "
                "the switchover and after it.",
                "reqps",
                Query(f'{requests} {GOOD} AND {LOAD} {every}, "backend" fill(none)', "$tag_backend"),
                Query(f"{requests} {LATE} AND {LOAD} {every} fill(none)", "late"),
                Query(f"{requests} {FAILED} AND {LOAD} {every} fill(none)", "failed"),
                size=(12, 9),
            )
        ),
    ]


def _masters() -> list[Panel]:
    return [
        states(
            "VRRP state",
            "What each node's Keepalived says of itself. Two MASTER bars at once are two masters by their own word.",
            Query(
                f'SELECT "state" FROM "switchover_vrrp" WHERE "state" != \'\' AND {NODE} GROUP BY "node", "instance"',
                ON_NODE,
            ),
            size=(12, 5),
            words=VRRP,
        ),
        states(
            "Who holds the address",
            "What each node's kernel says. Two green bars at once: split brain. None: the address is nowhere, and "
            "nobody can answer.",
            Query(f'SELECT "holds_vip" FROM "switchover_vrrp" WHERE {NODE} GROUP BY "node", "instance"', ON_NODE),
            size=(12, 5),
            words=HOLDS,
        ),
    ]


def _failures() -> list[Panel]:
    return [
        bars(
            "Probes by balancer",
            "Probes per second by the balancer that answered, failed ones on top. They go out on schedule whatever "
            "became of the last, so their sum is level, and what is missing of a colour is missing service.",
            "reqps",
            Query(
                f'SELECT sum("count") {PER_SECOND} FROM "switchover_probes" WHERE {GOOD} AND {RUN} '
                f'GROUP BY time({SECOND}), "balancer" fill(none)',
                "by $tag_balancer",
            ),
            Query(
                f'SELECT sum("count") {PER_SECOND} FROM "switchover_probes" WHERE {FAILED} AND {RUN} '
                f"GROUP BY time({SECOND}) fill(none)",
                "failed",
            ),
            size=(8, 8),
        ),
        bars(
            "Failed probes by kind",
            "refused: the node is there, nobody listens. connect_timeout: nobody is there, or the queue is full. "
            "reset: cut in the middle. read_timeout: accepted and never answered. status: answered with an error. "
            "The kind tells which part of the pair is away.",
            "reqps",
            Query(
                f'SELECT sum("count") {PER_SECOND} FROM "switchover_probes" WHERE {FAILED} AND {RUN} '
                f'GROUP BY time({SECOND}), "error" fill(none)',
                "$tag_error",
            ),
            size=(8, 8),
        ),
        bars(
            "Failed requests by who answered",
            "none: no answer at all. balancer: it made the error itself, a 503 say, because it has no server left. "
            "backend: a server answered, and wrongly.",
            "reqps",
            Query(
                f'SELECT sum("count") {PER_SECOND} FROM "switchover_requests" WHERE {FAILED} AND {LOAD} '
                f'GROUP BY time({SECOND}), "answered_by" fill(none)',
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
            "Good answers only. The mean is exact; p99 and maximum are the highest of any label and backend in the "
            "interval. In a closed loop nobody asks while everybody waits: the probes say how long an outage was.",
            "ms",
            Query(f'SELECT sum("rt_sum") / sum("count") {good} GROUP BY time({SECOND}) fill(none)', "mean"),
            Query(f'SELECT max("p99") {good} GROUP BY time({SECOND}) fill(none)', "p99, highest"),
            Query(f'SELECT max("rt_max") {good} GROUP BY time({SECOND}) fill(none)', "maximum"),
            size=(8, 8),
            log=True,
        ),
        lines(
            "p99 by backend",
            "The highest p99 of any label, per server: one curve above the others is one slow server.",
            "ms",
            Query(f'SELECT max("p99") {good} GROUP BY time({SECOND}), "backend" fill(none)', "$tag_backend"),
            size=(8, 8),
            log=True,
        ),
        lines(
            "Users",
            "How many users the load had at work, over all its processes, which tell it every second or two. A "
            "switchover is judged at a load: this one.",
            "short",
            Query(
                'SELECT sum("users") FROM (SELECT last("active") AS "users" FROM "switchover_users" '
                f'WHERE {LOAD} GROUP BY time({SECOND}), "run", "worker", "generator" fill(none)) '
                f'WHERE $timeFilter GROUP BY time({SECOND}), "generator" fill(none)',
                "$tag_generator",
            ),
            size=(8, 8),
        ).interval("5s"),
    ]


def _events() -> list[Panel]:
    events = rows(
        "Events",
        "Everything that was noted, newest first: the fault and its proof, VRRP and address changes, warnings, "
        "the heal.",
        "string",
        Query(f'SELECT "text" FROM "switchover_event" WHERE {RUN} GROUP BY "kind", "node"', as_table=True),
        size=(15, 9),
    )
    column(events, "kind", **{"custom.width": 110})
    column(events, "node", **{"custom.width": 90})
    budgets = rows(
        "Budgets",
        "What was allowed and what it came to, per budget of the run.",
        "none",
        Query(
            f'SELECT "low", "high", "limit", "unit", "state" FROM "switchover_budget" WHERE {RUN} '
            'GROUP BY "run", "name"',
            as_table=True,
        ),
        size=(9, 9),
    )
    column(
        budgets,
        "state",
        mappings=mappings(KEPT),
        **{"custom.cellOptions": {"type": "color-background", "mode": "basic"}},
    )
    return [events, budgets]


def _judged(
    title: str,
    field: str,
    description: str,
    unit: str,
    width: int,
    *,
    steps: Steps = PLAIN,
    words: Words | None = None,
) -> Panel:
    """A figure of the last verdict in the time range."""
    query = Query(f'SELECT last("{field}") FROM "switchover_verdict" WHERE {RUN}', title)
    return figure(title, description, unit, query, size=(width, 4), steps=steps, words=words, empty="no verdict yet")
