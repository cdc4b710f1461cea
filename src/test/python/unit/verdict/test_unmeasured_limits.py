"""A limit on a figure that the run does not have says why."""

from dataclasses import replace
from typing import Any

import pytest

from support.request_tables import run_data
from switchover.evidence.flaws import Flaw
from switchover.evidence.run_data import RunData
from switchover.rundir.run_directory import Plan
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.limit_checks import result_of
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import State
from synthetic import END, drill, pair_run, probes, simulate, telling

NO_CHANGE = "no change was made, or no connection and no request was open during a change"
NO_FAILBACK = "the fault was not healed while the load ran, so there is no failback"


def empty(**settings: Any) -> RunData:
    """A drill of which nothing was recorded."""
    return run_data(run=pair_run(**settings))


def unfired() -> RunData:
    run = pair_run()
    run.plan, run.fault = Plan(start_us=0, end_us=END), None
    return run_data(run=run, probes=probes(0))


def unhealed() -> RunData:
    data = drill()
    data.run.plan = replace(data.run.plan, heal_from_us=None, heal_to_us=None, healed_us=None)
    return data


def shared() -> RunData:
    """A drill on a target that serves others, too; no balancer of it was scraped."""
    data = empty()
    data.run.target = telling(data.run.target | {"dedicated": False}, "lb1", "lb2", haproxy=True)
    return data


def damaged(name: str) -> RunData:
    """A drill of which a file is not as it was left."""
    return replace(drill(), flaws=(Flaw(name, make_reason("file_damaged", name=name, what="cut off")),))


def unscraped(*unscraped: str) -> RunData:
    data = simulate(3)
    data.run.target = telling(data.run.target, "lb1", "lb2", haproxy=True)
    return replace(data, points=[point for point in data.points if point.tags.get("node") not in unscraped])


@pytest.mark.parametrize(
    ("limit", "data", "why"),
    [
        ("outage=1s", empty(), "no probe was recorded"),
        ("outage=1s", empty(probe_rate=0.0), "there was no prober"),
        ("failback=1s", empty(), "no probe was recorded"),
        ("failback=1s", unhealed(), NO_FAILBACK),
        ("failed=1%", unfired(), "the run has no switchover phase"),
        ("failed=1%", empty(probe_rate=0.0), "the run has no switchover phase"),
        ("late=0", unfired(), "the run has no switchover phase"),
        ("failed-total=1", empty(), "the run has no request"),
        ("failed-total=1", empty(probe_rate=0.0), "the run has no request"),
        ("split-brain=0s", empty(), "a balancer had no VIP ownership source for a part of the run"),
        ("unaccounted=0", empty(), "the target is not dedicated, or no balancer and no backend counted"),
        ("unaccounted=0", shared(), "the target is not dedicated, or no balancer and no backend counted"),
        ("unaccounted=0", unscraped("lb2"), "the counters of lb2 were not read before the load"),
        ("unaccounted=0", unscraped("lb1", "lb2"), "the counters of lb1, lb2 were not read before the load"),
        ("outage=1s", damaged("probes.jtl"), make_reason("file_damaged", what="cut off").text),
        ("lost=0", empty(), NO_CHANGE),
        ("lossy=1%", empty(), NO_CHANGE),
        ("delay=1ms", empty(), NO_CHANGE),
    ],
)
def test_a_limit_that_was_not_measured_says_why(limit: str, data: RunData, why: str) -> None:
    result = judge(data, [parse_limit(limit)]).record.limits[0]
    assert result == result_of(parse_limit(limit), None, State.UNMEASURED, why)
