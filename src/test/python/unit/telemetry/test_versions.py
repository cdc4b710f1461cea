"""The nodes that HAProxy's servers are, whatever HAProxy calls them. Java reads the same vectors."""

import json
from typing import Any

import pytest

from support.contract import FOLDER
from switchover.model.identity import IdentitySettings
from switchover.target.model import Endpoint, Node, Target
from switchover.telemetry.balancers import find_aliases
from switchover.telemetry.haproxy import StatRow

VECTORS = json.loads((FOLDER / "preflight.json").read_text(encoding="utf-8"))["server_names"]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: str(case["servers"]))
def test_a_server_is_the_node_at_its_address(case: dict[str, Any]) -> None:
    nodes = tuple(Node(name, "backend", host=host) for name, host in VECTORS["nodes"].items())
    target = Target(Endpoint("http://198.18.0.50/"), IdentitySettings(aliases=VECTORS["aliases"]), nodes)
    rows = [StatRow("app", name, "server", "UP", {}, address) for name, address in case["servers"]]
    assert find_aliases(target, rows) == case["aliases"]
