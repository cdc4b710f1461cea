"""The nodes of a run's target and their clocks, as `run.json` describes them."""

from collections import defaultdict
from collections.abc import Iterable

from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import ClockReading


def balancers_of(run: Run) -> list[str]:
    return [node.name for node in run.target.nodes if node.role == "balancer"]


def nodes_with(run: Run, source: str) -> list[str]:
    """The nodes that were to tell about something: `haproxy`, `vip_owner`, `access_log`."""
    return [node.name for node in run.target.nodes if getattr(node, source)]


def clock_bounds(clocks: Iterable[ClockReading]) -> dict[str, int]:
    """Return bounds by node, in microseconds: the wider of its bounds before and after the run, and what it drifted
    in between.

    A node that could not be asked once, or names no way to read its clock, is left out: its clock is unknown.
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
