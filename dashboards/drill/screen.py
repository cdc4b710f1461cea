"""The dashboard Drill: one switchover, live. From top to bottom: the verdict, the results of users, the master, and
the events.

All other rows are closed. So a refresh needs at most twelve queries, including variables and annotations.
"""

from grafana_foundation_sdk.builders import dashboard

from dashboards.board import backend, board, generator, link_to_report, newest_run, node, row
from dashboards.drill.course import course_panels, states_of_nodes
from dashboards.drill.tables import table_panels
from dashboards.drill.users import failure_panels, latency_panels, users_panels
from dashboards.drill.verdict import limit_table, other_figures, verdict_panels


def drill() -> dashboard.Dashboard:
    made = board(
        "drill",
        "Switchover: Drill",
        "A failover drill, live: balancers, master, failures, and the verdict.",
        [newest_run(), generator(), node(), backend()],
        since="now-5m",
        refresh="5s",
    )
    made.link(link_to_report())
    row(made, "Verdict", *verdict_panels())
    row(made, "What users get", *users_panels())
    row(made, "Master and events", *course_panels())
    row(made, "By label and by backend", *table_panels(), closed=True)
    row(made, "What fails, and how", *failure_panels(), closed=True)
    row(made, "Response times", *latency_panels(), closed=True)
    row(made, "Limits, and the state of each node", limit_table(), *states_of_nodes(), *other_figures(), closed=True)
    return made
