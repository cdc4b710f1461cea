"""Alert rules that Grafana provisions. They notify users who do not watch a dashboard, for example when a limit is
exceeded.

A rule cannot use the variables of a dashboard, so it names the provisioned data source. The texts use `.Labels`
instead of `$labels`, because some versions of Grafana read `$labels` as an environment variable.
"""

from collections.abc import Mapping

from dashboards.board import SOURCE

WINDOW_S = 3600
"""The time range of a rule, in seconds before now. A verdict has the time of the run's end, but may be sent to the
database later."""


def alerts() -> dict[str, object]:
    group = {
        "orgId": 1,
        "name": "switchover",
        "folder": "Switchover",
        "interval": "1m",
        "rules": [
            _rule(
                "switchover-limit",
                "A limit is exceeded",
                'SELECT count("limit") FROM "switchover_limit" WHERE "state" = \'exceeded\' AND $timeFilter '
                'GROUP BY "run", "name"',
                "Limit {{ .Labels.name }} is exceeded in run {{ .Labels.run }}",
                "The switchover cost more than the limit allows.",
            ),
            _rule(
                "switchover-split-brain",
                "Two nodes held the address",
                'SELECT max("split_brain_ms") FROM "switchover_verdict" WHERE $timeFilter GROUP BY "run", "fault"',
                "Split brain in run {{ .Labels.run }} ({{ .Labels.fault }})",
                "Two nodes had the virtual address at the same time. Connections broke, and the pair is not safe.",
            ),
            _rule(
                "switchover-not-recovered",
                "A service did not recover",
                'SELECT count("exit_code") FROM "switchover_verdict" WHERE "recovered" = false AND $timeFilter '
                'GROUP BY "run", "fault"',
                "No recovery in run {{ .Labels.run }} ({{ .Labels.fault }})",
                "The service was down at the end of the run.",
            ),
            _rule(
                "switchover-invalid",
                "A run is invalid",
                'SELECT count("exit_code") FROM "switchover_verdict" WHERE "exit_code" = 2 AND $timeFilter '
                'GROUP BY "run", "fault"',
                "Run {{ .Labels.run }} ({{ .Labels.fault }}) is invalid",
                "An invalid run allows no conclusion about the pair. The report lists the reasons. Repeat the run.",
            ),
        ],
    }
    return {"apiVersion": 1, "groups": [group]}


def _rule(uid: str, title: str, query: str, summary: str, description: str) -> dict[str, object]:
    """Return a rule that fires for every series whose last value is above 0. If there is no series, the rule does not
    fire."""
    ask = {"refId": "A", "rawQuery": True, "query": query, "resultFormat": "time_series", "alias": ""}
    reduce = {"refId": "B", "type": "reduce", "expression": "A", "reducer": "last"}
    above = {
        "refId": "C",
        "type": "threshold",
        "expression": "B",
        "conditions": [{"evaluator": {"type": "gt", "params": [0]}}],
    }
    return {
        "uid": uid,
        "title": title,
        "condition": "C",
        "for": "0s",
        "noDataState": "OK",
        "execErrState": "Error",
        "labels": {"product": "switchover"},
        "annotations": {"summary": summary, "description": description},
        "data": [_step(ask, SOURCE), _step(reduce, "__expr__"), _step(above, "__expr__")],
    }


def _step(model: Mapping[str, object], source: str) -> dict[str, object]:
    since = WINDOW_S if source == SOURCE else 0
    return {
        "refId": model["refId"],
        "datasourceUid": source,
        "relativeTimeRange": {"from": since, "to": 0},
        "model": model,
    }
