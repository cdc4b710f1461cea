"""The nodes that HAProxy's servers are, whatever HAProxy calls them."""

import pytest

from switchover.model.identity import IdentitySettings
from switchover.target.model import Endpoint, Node, Target
from switchover.telemetry.haproxy import StatRow
from switchover.telemetry.versions import find_aliases

BACKENDS = (
    Node("web1", "backend", host="198.18.0.31"),
    Node("web2", "backend", host="198.18.0.32"),
    Node("one", "backend", host="198.18.0.40"),
    Node("other", "backend", host="198.18.0.40"),
    Node("web6", "backend", host="fd00::6"),
    Node("unknown", "backend"),
)
ALIASES = {"198.18.0.40:81": "one", "198.18.0.40:82": "other"}


@pytest.mark.parametrize(
    ("servers", "aliases"),
    [
        ({"app1": "198.18.0.31:80"}, {"app1": "web1", "198.18.0.31:80": "web1"}),
        ({"web1": "198.18.0.31:80"}, {"198.18.0.31:80": "web1"}),
        ({"app6": "[fd00::6]:80"}, {"app6": "web6", "[fd00::6]:80": "web6"}),
        ({"web2": "198.18.0.31:80"}, {"198.18.0.31:80": "web1"}),
        ({"app3": "198.18.0.40:80"}, {}),
        ({"app3": "198.18.0.40:81"}, {"app3": "one", "198.18.0.40:81": "one"}),
        ({"app4": "198.18.0.99:80"}, {}),
        ({"app1": ""}, {}),
    ],
)
def test_a_server_is_the_node_at_its_address(servers: dict[str, str], aliases: dict[str, str]) -> None:
    target = Target(Endpoint("http://198.18.0.50/"), identity=IdentitySettings(aliases=ALIASES), nodes=BACKENDS)
    rows = [StatRow("app", name, "server", "UP", {}, address) for name, address in servers.items()]
    assert find_aliases(target, rows) == aliases


def test_a_name_that_two_proxies_have_for_two_nodes_is_nobodys() -> None:
    target = Target(Endpoint("http://198.18.0.50/"), nodes=BACKENDS)
    rows = [StatRow("one", "app", "server", "UP", {}, "198.18.0.31:80")]
    rows.append(StatRow("two", "app", "server", "UP", {}, "198.18.0.32:80"))
    assert "app" not in find_aliases(target, rows)
