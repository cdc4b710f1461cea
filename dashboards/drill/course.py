"""Panels about the owner of the address, the VRRP states, and the events of a run."""

from grafana_foundation_sdk.builders import statetimeline
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig

from dashboards.colors import EVENT, HOLDERS, HOLDS, VRRP
from dashboards.influxql import EVERY, NODE, RUN, Query
from dashboards.panels import BACKGROUND, WRAPPED, Panel, column, mappings, order, rows, states

PULSE = "telemetry is read"


def course_panels() -> list[Panel]:
    # If a run began before the time range, its last report may also be before the time range.
    told = (
        'SELECT last("holds_vip") AS "held" FROM "switchover_vrrp" WHERE "run" =~ /^$run$/ AND "node" =~ /^$node$/ '
        f'AND time >= ${{__from}}ms - 1h AND time <= ${{__to}}ms {EVERY}, "node" fill(previous)'
    )
    holders = holders_bar(
        Query(f'SELECT count("held") FROM ({told}) WHERE $timeFilter {EVERY}, "node" fill(none)', "$tag_node told"),
        Query(
            f'SELECT count("held") * 10 FROM ({told}) WHERE "held" = true AND $timeFilter {EVERY}, "node" fill(none)',
            "$tag_node holds",
        ),
        Query(f'SELECT last("ok") FROM "switchover_scrape" WHERE {RUN} {EVERY} fill(none)', PULSE),
    ).transformations(_sum_while_alive())
    events = rows(
        "Events",
        "All events, newest first: the fault and its proof, VRRP and address changes, warnings, the heal.",
        "string",
        Query(f'SELECT "text" FROM "switchover_event" WHERE {RUN} GROUP BY "kind", "node"', as_table=True),
        size=(14, 9),
    )
    column(events, "Time", unit="dateTimeAsIso", **{"custom.width": 170})
    column(events, "kind", mappings=mappings(EVENT), **{"custom.width": 110}, **BACKGROUND)
    column(events, "node", **{"custom.width": 80})
    column(events, "text", **WRAPPED)
    order(events, "Time", "kind", "node", "text")
    return [holders, events]


def holders_bar(*queries: Query) -> statetimeline.Panel:
    """Return the panel with the number of address owners. The sum of the queries is a key of `HOLDERS`."""
    return states(
        "Holders of the address",
        "The number of nodes that have the virtual address, as the kernels of the nodes report it. Green: one "
        "node. Red: no node or two nodes. Grey: there is no source, or no run.",
        *queries,
        size=(10, 9),
        statuses=HOLDERS,
        silence_ms=5000,
    )


def states_of_nodes() -> list[Panel]:
    """Return the panels with the state that each node reports."""
    vrrp = states(
        "VRRP state",
        "The VRRP state that Keepalived reports on each node. Grey: Keepalived was killed, so its state is unknown.",
        Query(
            f'SELECT "state" FROM "switchover_vrrp" WHERE "state" != \'\' AND {NODE} GROUP BY "node"', as_table=True
        ),
        Query(
            f'SELECT "text" AS "state" FROM "switchover_event" WHERE "kind" = \'vrrp\' '
            f'AND "text" =~ /ended without a word/ AND {NODE} GROUP BY "node"',
            as_table=True,
        ),
        size=(12, 8),
        statuses=VRRP,
    ).transformations(
        [
            DataTransformerConfig("merge", options={}),
            DataTransformerConfig("sortBy", options={"fields": {}, "sort": [{"field": "Time"}]}),
            DataTransformerConfig(
                "partitionByValues",
                options={"fields": ["node"], "keepFields": False, "naming": {"asLabels": False}},
            ),
            DataTransformerConfig("renameByRegex", options={"regex": "^(.*) state$", "renamePattern": "$1"}),
        ]
    )
    holds = states(
        "Who holds the address",
        "The nodes that have the virtual address, as the kernel of each node reports it.",
        Query(
            f'SELECT "holds_vip" FROM "switchover_vrrp" WHERE {NODE} GROUP BY "node", "instance"',
            "$tag_node $tag_instance",
        ),
        size=(12, 8),
        statuses=HOLDS,
    )
    return [vrrp, holds]


def _sum_while_alive() -> list[DataTransformerConfig]:
    """Compute the keys of `HOLDERS` as sums over all nodes. Only intervals in which telemetry was read are
    included."""
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
