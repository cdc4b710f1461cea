"""The nodes of a run's target and their clocks, as `run.json` describes them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from switchover.rundir.run_directory import Run


def balancers_of(run: Run) -> list[str]:
    return [str(node.get("name")) for node in _nodes(run) if node.get("role") == "balancer"]


def nodes_with(run: Run, source: str) -> list[str]:
    """The nodes that were to tell about something: `haproxy`, `vip_owner`, `access_log`."""
    return [str(node.get("name")) for node in _nodes(run) if node.get(source) is True]


def clock_bounds(clocks: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """By node, in microseconds: the wider of its bounds before and after the run, and what it drifted in between.

    A node that could not be asked once, or names no way to read its clock, is left out: its clock is unknown.
    """
    asked: defaultdict[str, list[tuple[object, object]]] = defaultdict(list)
    for clock in clocks:
        asked[str(clock.get("node"))].append((clock.get("offset_us"), clock.get("bound_us")))
    found = {}
    for node, answers in asked.items():
        offsets = [offset for offset, _ in answers if isinstance(offset, int)]
        bounds = [bound for _, bound in answers if isinstance(bound, int)]
        if len(offsets) == len(bounds) == len(answers):
            found[node] = max(bounds) + max(offsets) - min(offsets)
    return found


def _nodes(run: Run) -> list[Mapping[str, Any]]:
    nodes = run.target.get("nodes")
    return [node for node in nodes if isinstance(node, Mapping)] if isinstance(nodes, list) else []
