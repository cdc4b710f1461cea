"""After the heal: what is as before, what the fault left broken, and what else has changed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from support.records import check
from support.verdict_scenarios import observed
from switchover.evidence.run_data import RunData
from switchover.figures.events import find_events
from switchover.rundir.measurements import HAPROXY, SCRAPE
from switchover.rundir.points import Point
from switchover.verdict.judge import judge
from switchover.verdict.restoration import PairChecks, look_at_pair
from synthetic import HEAL, SECOND


def looked(data: RunData) -> PairChecks | None:
    return look_at_pair(find_events(data))


def ended(after_heal_us: int, *, settled_ms: float | None = None) -> RunData:
    """A run that ended so long after its heal was verified."""
    data = observed("outage=5s")
    assert data.run.plan.healed_us is not None and data.run.fault is not None
    data.run.plan.end_us = data.run.plan.healed_us + after_heal_us
    data.run.fault.failback_settled_ms = settled_ms
    return data


def names(found: PairChecks | None) -> set[str]:
    assert found is not None
    return {check.name for check in found.record.checks}


def test_the_pair_is_looked_at_5_s_after_its_heal_and_wholly_once_the_failback_is_due() -> None:
    early = ended(5 * SECOND - 1)
    assert looked(early) is None
    at_ns = ((early.run.plan.healed_us or 0) + 5 * SECOND) * 1000
    later = Point(SCRAPE, {"node": "lb2", "source": "haproxy"}, {"duration_ms": 0.0}, at_ns)
    found = looked(replace(early, points=[*early.points, later]))
    assert found is not None and found.record.checks == [check("answers", True, "lb2 answers scrapes")]
    assert names(looked(ended(5 * SECOND))) == {"answers", "frontends", "servers", "one_holder"}
    assert names(looked(ended(9 * SECOND - 1, settled_ms=4_000.0))) == {"answers"}
    everything = {"answers", "frontends", "servers", "one_holder", "returned"}
    assert names(looked(ended(9 * SECOND, settled_ms=4_000.0))) == everything


@pytest.mark.parametrize(("after", "holds"), [([], False), (["default via 198.18.0.1 dev eth0"], True), (None, None)])
def test_a_balancer_that_has_lost_a_route_is_not_as_before(after: list[str] | None, holds: bool | None) -> None:
    data = ended(5 * SECOND, settled_ms=4_000.0)
    data.run.routes = {"lb0": {"before": []}, "lb1": {"before": ["default via 198.18.0.1 dev eth0"], "after": after}}
    verdict = judge(data)
    assert verdict.record.restoration is not None
    checks = [check.holds for check in verdict.record.restoration.checks if check.name == "routes"]
    assert checks == ([] if holds is None else [holds])
    assert (
        "lb1 has lost 1 of its routes, the first: default via 198.18.0.1 dev eth0" in str(verdict.record.reasons)
    ) == (holds is False)


def test_without_a_fault_no_pair_is_looked_at() -> None:
    data = observed()
    data.run.fault = None
    assert look_at_pair(find_events(data)) is None


def test_a_pair_that_is_as_before_says_so_of_each_part() -> None:
    data = observed("outage=5s")
    assert data.run.fault is not None
    data.run.fault.failback_settled_ms = 4_000.0
    found = looked(data)
    assert found is not None and found.record.whole
    assert found.healed == [
        check("answers", True, "lb1 answers scrapes"),
        check("frontends", True, "frontends as before"),
    ]
    assert found.others == [
        check("servers", True, "lb1: the same servers are up"),
        check("answers", True, "lb2 answers scrapes"),
        check("frontends", True, "frontends as before"),
        check("servers", True, "lb2: the same servers are up"),
        check("one_holder", True, "only lb1 held the address at the end"),
        check("returned", True, "lb1 holds the address"),
    ]


def since_the_heal(data: RunData, node: str, kind: str, told: Callable[[Point], list[Point]]) -> RunData:
    """The run with other rows of this kind in the scrapes of one balancer."""

    def is_meant(point: Point) -> bool:
        tags = point.tags
        return point.measurement == HAPROXY and tags["node"] == node and tags["type"] == kind

    points = [
        one
        for point in data.points
        for one in (told(point) if is_meant(point) and point.time_ns // 1000 >= HEAL else [point])
    ]
    return replace(data, points=points)


def with_status(status: str) -> Callable[[Point], list[Point]]:
    return lambda point: [replace(point, fields={**point.fields, "status": status})]


@pytest.mark.parametrize(("node", "is_of_the_fault"), [("lb1", True), ("lb2", False)])
def test_a_frontend_that_is_not_as_before_is_of_the_fault_where_the_victim_has_it(
    node: str, is_of_the_fault: bool
) -> None:
    found = looked(since_the_heal(observed("outage=5s"), node, "frontend", with_status("STOP")))
    assert found is not None
    changed = check("frontends", False, f"{node}: frontends www are not as before")
    assert (changed in found.healed, changed in found.others) == (is_of_the_fault, not is_of_the_fault)


@pytest.mark.parametrize(
    ("told", "status"), [(with_status("DOWN"), "DOWN"), (with_status("MAINT"), "MAINT"), (lambda point: [], "gone")]
)
@pytest.mark.parametrize(("victim", "is_of_the_fault"), [("lb1", False), ("web1", True)])
def test_a_server_that_was_up_and_is_not_is_of_the_fault_that_hit_it(
    told: Callable[[Point], list[Point]], status: str, victim: str, is_of_the_fault: bool
) -> None:
    data = observed("outage=5s")
    assert data.run.fault is not None
    data.run.fault.victim = victim
    found = looked(since_the_heal(data, "lb2", "server", told))
    assert found is not None and found.record.whole is False
    changed = check("servers", False, f"lb2: web/web1 was up, and is {status}")
    assert (changed in found.healed, changed in found.others) == (is_of_the_fault, not is_of_the_fault)
    assert check("servers", True, "lb2: the same servers are up") not in found.record.checks


def test_an_address_that_no_node_holds_leaves_the_pair_not_restored() -> None:
    data = observed("outage=5s")
    backup = [
        replace(point, fields={"state": "BACKUP", "holds_vip": False})
        if point.measurement == "switchover_vrrp" and point.time_ns // 1000 > HEAL
        else point
        for point in data.points
    ]
    found = looked(replace(data, points=backup))
    assert found is not None
    assert check("one_holder", False, "no node held the address at the end") in found.others
