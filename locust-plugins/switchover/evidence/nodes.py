"""The nodes of a run's target and their clocks, as `run.json` describes them."""

from collections import defaultdict
from collections.abc import Iterable

from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import ClockReading


def balancers_of(run: Run) -> list[str]:
    return [node.name for node in run.target.nodes if node.role == "balancer"]


def nodes_with(run: Run, source: str) -> list[str]:
    """Return the nodes that have the given source: `haproxy`, `vip_owner` or `access_log`."""
    return [node.name for node in run.target.nodes if getattr(node, source)]


def clock_bounds(clocks: Iterable[ClockReading]) -> dict[str, int]:
    """Return the error bound of each node's clock, in microseconds: the largest measured bound plus the drift during
    the run. A node is missing from the result if its clock was never read, or if a reading failed."""
    readings: defaultdict[str, list[ClockReading]] = defaultdict(list)
    for clock in clocks:
        readings[clock.node].append(clock)
    bounds_by_node = {}
    for node, answers in readings.items():
        offsets = [answer.offset_us for answer in answers if answer.offset_us is not None]
        bounds = [answer.bound_us for answer in answers if answer.bound_us is not None]
        if len(offsets) == len(bounds) == len(answers):
            bounds_by_node[node] = max(bounds) + max(offsets) - min(offsets)
    return bounds_by_node
