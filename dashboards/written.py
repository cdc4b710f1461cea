"""The generated files, by path and text. `python -m dashboards` writes these files, and the tests compare them."""

import json
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard, Panel, RowPanel

from dashboards.alerts import alerts
from dashboards.balancers import balancers
from dashboards.compare import compare
from dashboards.drill.screen import drill
from dashboards.fleet import fleet
from dashboards.history import history
from dashboards.influxql import OtherPanel
from dashboards.prometheus import prometheus

FOLDER = Path(__file__).parent


def texts() -> dict[str, str]:
    """Return the text of each generated file. The key is the path relative to this folder."""
    made: dict[str, object] = {}
    for one in (drill, balancers, compare, fleet, history, prometheus):
        built = one().build()
        number_panels(built)
        made[f"grafana/{built.uid}.json"] = built
    made["provisioning/alerting/switchover.json"] = alerts()
    return {path: f"{json.dumps(one, cls=JSONEncoder, indent=2, sort_keys=True)}\n" for path, one in made.items()}


def number_panels(board: Dashboard) -> None:
    """Number panels and rows from 1. If a panel shares the query result of another panel, set the id of the other
    panel."""
    every: list[Panel | RowPanel] = []
    for one in board.panels or ():
        every += [one, *one.panels] if isinstance(one, RowPanel) else [one]
    for number, one in enumerate(every, 1):
        one.id_val = number
    by_title = {one.title: one.id_val for one in every if isinstance(one, Panel)}
    for one in every:
        for target in (one.targets or ()) if isinstance(one, Panel) else ():
            if isinstance(target, OtherPanel):
                target.panel_id = by_title[target.title]
