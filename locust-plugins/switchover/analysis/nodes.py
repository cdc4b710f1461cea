"""The nodes of a run's target, as `run.json` describes them."""

from collections.abc import Mapping
from typing import Any

from switchover.rundir.run_directory import Run


def balancers_of(run: Run) -> list[str]:
    return [str(node.get("name")) for node in _nodes(run) if node.get("role") == "balancer"]


def nodes_with(run: Run, source: str) -> list[str]:
    """The nodes that were to tell about something: `haproxy`, `vip_owner`, `access_log`."""
    return [str(node.get("name")) for node in _nodes(run) if node.get(source) is True]


def _nodes(run: Run) -> list[Mapping[str, Any]]:
    nodes = run.target.get("nodes")
    return [node for node in nodes if isinstance(node, Mapping)] if isinstance(nodes, list) else []
