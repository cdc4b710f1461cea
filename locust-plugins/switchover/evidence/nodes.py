"""The nodes of a run's target and their clocks, as `run.json` describes them."""

from collections import defaultdict
from collections.abc import Iterable

from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import ClockReading


def balancers_of(run: Run) -> list[str]:
    return [node.name for node in run.target.nodes if node.role == "balancer"]


def nodes_with(run: Run, source: str) -> list[str]:
    """Return the nodes with a source: `haproxy`, `vip_owner` or `access_log`."""
    return [node.name for node in run.target.nodes if getattr(node, source)]


def clock_bounds(clocks: Iterable[ClockReading]) -> dict[str, int]:
    """Return the bounds of clocks by node, in microseconds: the widest bound of a node, plus its drift in the run.

    A node is left out if its clock could not be read once, or has no way to be read: its clock is unknown.
    """
    asked: defaultdict[str, list[ClockReading]] = defaultdict(list)
    for clock in clocks:
        asked[clock.node].append(clock)
    found = {}
    for node, answers in asked.items():
        offsets = [answer.offset_us for answer in answers if answer.offset_us is not None]
        bounds = [answer.bound_us for answer in answers if answer.bound_us is not None]
        if len(offsets) == len(bounds) == len(answers):
            found[node] = max(bounds) + max(offsets) - min(offsets)
    return found
