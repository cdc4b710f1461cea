"""The files that the code makes, by path and text: what `python -m dashboards` writes and the tests compare."""

import json
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from dashboards.alerts import alerts
from dashboards.balancers import balancers
from dashboards.compare import compare
from dashboards.drill import drill
from dashboards.fleet import fleet

FOLDER = Path(__file__).parent


def texts() -> dict[str, str]:
    """Paths are relative to this folder."""
    made: dict[str, object] = {}
    for one in (drill, balancers, compare, fleet):
        built = one().build()
        for number, panel in enumerate(built.panels or (), 1):
            panel.id_val = number
        made[f"grafana/{built.uid}.json"] = built
    made["provisioning/alerting/switchover.json"] = alerts()
    return {path: f"{json.dumps(one, cls=JSONEncoder, indent=2, sort_keys=True)}\n" for path, one in made.items()}
