"""The steps of a switchover and their sources."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from support.request_tables import table_of, tables_of
from switchover.evidence.ownership import ownership_of
from switchover.figures import timeline as made
from switchover.figures.outage import Outage, measure_outage
from switchover.figures.probes import probes_of
from switchover.figures.timeline import latest_stamp_us
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun, Run
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import OutageKind, Step
from synthetic import HEAL, SECOND, away, pair_run, refused, sample, steady, vrrp

FIRED = 5 * SECOND


class Told(NamedTuple):
    """A row in microseconds."""

    step: Step
    at_us: int | None
    bound_us: int | None
    after_kill_us: int | None
    source: str
    order_unknown: bool
    stamped_late_us: int


def timeline(*given: Any, **options: Any) -> list[Told]:
    def us(ms: float | None) -> Any:
        return None if ms is None else round(ms * 1000)

    return [
        Told(
            row.step,
            row.at_us,
            us(row.bound_ms),
            us(row.after_kill_ms),
            row.source,
            row.order_unknown,
            us(row.stamped_late_ms),
        )
        for row in made.timeline(*given, **{"late_us": SECOND, "load_clock_us": 0, **options})
    ]


def unseen(step: Step, source: str) -> Told:
    return Told(step, None, None, None, source, False, 0)


def probes() -> list[Sample]:
    """Refused from 5.000 to 8.000 s, answered by lb2 from then on."""
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    return [
        *steady(0, FIRED),
        *(refused(at) for at in range(FIRED, 8 * SECOND, 1000)),
        *(sample(at, at + 400, identity=by_lb2) for at in range(8 * SECOND, 20 * SECOND, 1000)),
    ]


def rows_of(run: Run, points: list[Point], load: Sequence[Sample] = (), **options: Any) -> dict[Step, Told]:
    outage = measure_outage(
        probes_of(table_of(probes()), SECOND), since_us=FIRED, horizon_us=20 * SECOND, rate=1000, next_event=True
    )
    clocks = options.pop("clocks", {"lb1": 0, "lb2": 0})
    found = timeline(
        run.plan, run.fault, outage, tables_of(probes(), load), ownership_of(points), points, clocks, **options
    )
    return {row.step: row for row in found}


def election() -> list[Point]:
    return [
        vrrp("lb1", 0, state="MASTER", priority=101, holds_vip=True),
        vrrp("lb2", 0, state="BACKUP", priority=100, holds_vip=False),
        vrrp("lb1", FIRED + 800_000, state="MASTER", priority=81, holds_vip=True),
        vrrp("lb2", FIRED + 2_995_000, state="MASTER", priority=100, holds_vip=True),
        vrrp("lb1", FIRED + 2_997_000, state="BACKUP", priority=81, holds_vip=False),
    ]


def test_each_step_has_its_time_bound_and_source() -> None:
    rows = rows_of(pair_run(), election())
    assert list(rows) == list(Step)
    assert rows[Step.KILL].after_kill_us == 0 and rows[Step.KILL].bound_us == 500
    assert rows[Step.FIRST_BAD_PROBE].after_kill_us == 0
    assert rows[Step.DETECTION].after_kill_us == 800_000
    assert rows[Step.ELECTED].after_kill_us == 2_995_000
    assert (rows[Step.FIRST_GOOD].after_kill_us, rows[Step.FIRST_GOOD].bound_us) == (3_000_400, 1400)
    assert (rows[Step.RECOVERY].after_kill_us, rows[Step.RECOVERY].bound_us) == (3_000_400, 1400)
    assert [row.source for row in rows.values()] == [
        "the command that fired it",
        "probes",
        "lb1: priority 101 to 81",
        "lb2: owner of the address",
        "probes: answered by lb2",
        "probes",
    ]


def test_a_probe_under_way_at_the_kill_was_impaired_by_it_and_not_before() -> None:
    before, end = FIRED - 8000, 8 * SECOND
    stuck = [*steady(0, before), *(refused(at, max(200, FIRED + 500 - at)) for at in range(before, end, 1000))]
    outage = measure_outage(probes_of(table_of(stuck), SECOND), since_us=FIRED, horizon_us=20 * SECOND, rate=1000)
    run = pair_run()
    rows = {
        row.step: row for row in timeline(run.plan, run.fault, outage, tables_of(stuck), ownership_of([]), [], {})
    }
    row = rows[Step.FIRST_BAD_PROBE]
    assert (row.at_us, row.after_kill_us, row.bound_us) == (FIRED - 8000, -8000, 8000)
    assert row.order_unknown


def test_no_fault_has_no_timeline() -> None:
    run = pair_run()
    run.plan.fired_from_us = None
    assert rows_of(run, election()) == {}


def advert(node: str, at_us: int, priority: int = 100) -> Point:
    return Point("switchover_advert", {"node": node}, {"vrid": 51, "priority": priority}, at_us * 1000 + 999)


def test_the_first_advert_on_the_wire_is_the_election_where_the_nodes_stamped_late() -> None:
    wire = [
        advert("lb1", FIRED + 500_000),
        advert("lb2", FIRED + 2_962_000),
        advert("lb2", FIRED + 2_970_000, priority=0),
    ]
    elected = rows_of(pair_run(), [*wire, *election()])[Step.ELECTED]
    assert (elected.after_kill_us, elected.bound_us) == (2_962_000, 500)
    assert elected.source == "lb2: first VRRP advert on the wire"
    assert elected.stamped_late_us == 33_000


def steps(
    *points: Point, outage: Outage | None = None, requests: Sequence[Sample] = (), **plan: Any
) -> dict[Step, Told]:
    """Of a kill of lb1 at 5 s that was healed at 20 s, unless told otherwise."""
    run = pair_run()
    asked = table_of(requests), ownership_of(points), points, {"lb1": 0, "lb2": 0}
    return {row.step: row for row in timeline(replace(run.plan, **plan), run.fault, outage, *asked)}


def test_without_probes_or_impaired_ones_the_steps_that_they_see_are_unknown() -> None:
    for outage, source in ((None, "unknown"), (Outage(OutageKind.NONE), "probes: none was impaired")):
        rows = steps(outage=outage)
        for step in (Step.FIRST_BAD_PROBE, Step.RECOVERY):
            assert rows[step] == unseen(step, source)
    censored = steps(outage=away(3 * SECOND, from_us=FIRED, censored=True))
    assert censored[Step.FIRST_BAD_PROBE].at_us == FIRED
    assert censored[Step.RECOVERY] == unseen(Step.RECOVERY, "probes: not recovered")


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"state": "FAULT"}, "lb1: FAULT"),
        ({"state": "BACKUP", "priority": 50}, "unknown"),
        ({"state": "MASTER"}, "unknown"),
        ({"state": "MASTER", "priority": 101}, "unknown"),
        ({"state": "MASTER", "priority": 102}, "unknown"),
        ({"state": "MASTER", "priority": 100}, "lb1: priority 101 to 100"),
    ],
)
def test_a_fault_or_a_lower_priority_of_the_victim_is_its_detection(fields: dict[str, Any], source: str) -> None:
    seen = [vrrp("lb1", 0, state="MASTER", priority=101), vrrp("lb1", FIRED, **fields)]
    assert steps(*seen)[Step.DETECTION].source == source
    same = [
        vrrp("lb1", FIRED, state="MASTER"),
        vrrp("lb1", FIRED + 1, priority=101),
        vrrp("lb1", FIRED + 2, **fields),
    ]
    assert steps(seen[0], *same)[Step.DETECTION].source == source


@pytest.mark.parametrize(
    ("before", "source"),
    [
        ({"state": "MASTER"}, "lb1: priority now 81"),
        ({"holds_vip": True}, "lb1: priority now 81"),
        ({"state": "BACKUP"}, "unknown"),
    ],
)
def test_the_first_priority_of_a_master_is_its_detection(before: dict[str, Any], source: str) -> None:
    seen = [vrrp("lb1", 0, **before), vrrp("lb1", FIRED + 9, state="MASTER", priority=81)]
    assert steps(*seen)[Step.DETECTION].source == source


def marked(*states: tuple[int, str, str, str], measurement: str = "switchover_haproxy") -> Told:
    run = pair_run()
    run.fault = FaultRun(name="backend-kill", kind="backend", victim="web2", master="lb1")
    points = [
        Point(measurement, {"node": node, "server": server}, {"status": status}, at_us * 1000 + 999)
        for at_us, node, server, status in states
    ]
    found = timeline(run.plan, run.fault, None, table_of([]), ownership_of([]), points, {})
    return next(row for row in found if row.step is Step.DETECTION)


def test_a_server_is_marked_down_by_a_balancer_that_had_seen_it_up() -> None:
    down = (FIRED + 7, "lb1", "web2", "DOWN")
    after_the_kill = marked((FIRED + 3, "lb1", "web2", "UP"), down)
    assert (after_the_kill.at_us, after_the_kill.bound_us, after_the_kill.source) == (FIRED + 5, 2, "lb1: web2 DOWN")
    before_it = marked(down, (FIRED - 9, "lb1", "web2", "UP"), (0, "lb1", "web1", "DOWN"))
    assert (before_it.at_us, before_it.bound_us) == (FIRED + 3, 4)
    assert marked((0, "lb2", "web2", "UP"), down).at_us is None
    assert marked((0, "lb1", "web2", "UP"), (FIRED - 1, "lb1", "web2", "DOWN"), down).at_us is None
    assert marked((0, "lb1", "web1", "UP"), (FIRED + 7, "lb1", "web1", "DOWN")).at_us is None
    assert marked((0, "lb1", "web2", "UP"), down, measurement="switchover_else").at_us is None
    for at_us, is_seen in ((FIRED - 1, False), (FIRED, True), (HEAL - 1, True), (HEAL, False)):
        row = marked((0, "lb1", "web2", "UP"), (at_us, "lb1", "web2", "DOWN"))
        assert (row.at_us is not None) is is_seen


@pytest.mark.parametrize(
    ("fields", "is_elected"),
    [
        ({"holds_vip": True}, True),
        ({"state": "MASTER", "holds_vip": False}, True),
        ({"state": "BACKUP"}, False),
        ({"holds_vip": False}, False),
    ],
)
def test_a_balancer_that_says_so_or_has_the_address_was_elected(fields: dict[str, Any], is_elected: bool) -> None:
    assert (steps(vrrp("lb2", FIRED + 10, **fields))[Step.ELECTED].at_us is not None) is is_elected
    again = vrrp("lb2", FIRED + 20, state="MASTER", holds_vip=True)
    elected = steps(vrrp("lb2", FIRED + 10, **fields), again)[Step.ELECTED]
    assert elected.at_us == FIRED + (10 if is_elected else 20)


@pytest.mark.parametrize(
    ("start_us", "end_us", "is_seen"),
    [
        (FIRED - 9, FIRED - 1, False),
        (FIRED - 9, FIRED, True),
        (HEAL - 1, HEAL + 9, True),
        (HEAL, HEAL + 9, False),
        (FIRED, FIRED + SECOND, True),
        (FIRED, FIRED + SECOND + 1, False),
    ],
)
def test_the_first_good_answer_is_of_another_balancer_between_the_kill_and_the_heal(
    start_us: int, end_us: int, is_seen: bool
) -> None:
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    asked = [sample(FIRED - 100, FIRED - 50), sample(FIRED + 1, FIRED + 2), sample(start_us, end_us, identity=by_lb2)]
    row = steps(requests=asked)[Step.FIRST_GOOD]
    assert row.at_us == (end_us if is_seen else None)
    nameless = sample(FIRED, FIRED + 9, identity=Identity("web1", "", AnsweredBy.BACKEND))
    assert steps(requests=[nameless])[Step.FIRST_GOOD].at_us is None


@pytest.mark.parametrize(
    ("start_us", "stream", "is_first"),
    [
        (FIRED + 1_100, "fresh", False),  # 100 µs after the kill lb2 got the address, by a clock of 1 ms
        (FIRED + 1_101, "fresh", True),
        (FIRED + 1_101, "kept", False),
        (HEAL, "fresh", False),
    ],
)
def test_without_a_header_the_owner_of_the_address_answers_new_connections(
    start_us: int, stream: str, is_first: bool
) -> None:
    nameless = sample(start_us, start_us + 9, stream=stream, identity=Identity("", "", AnsweredBy.UNKNOWN))
    row = steps(vrrp("lb2", FIRED + 100, holds_vip=True), requests=[nameless])[Step.FIRST_GOOD]
    assert row.at_us == (start_us + 9 if is_first else None)
    if is_first:
        source = "probes: the responses have no header with the balancer's name; lb2 had the address"
        assert (row.bound_us, row.source) == (2_010, source)


@pytest.mark.parametrize(("answered_us", "late_us"), [(FIRED + 2_000, 0), (FIRED + 1_999, 1)])
def test_an_election_after_the_first_good_answer_was_stamped_late(answered_us: int, late_us: int) -> None:
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    owned = vrrp("lb2", FIRED + 2_000, state="MASTER", priority=100)
    rows = steps(owned, requests=[sample(FIRED + 9, answered_us, identity=by_lb2)])
    elected = rows[Step.ELECTED]
    assert (elected.bound_us, elected.stamped_late_us) == (1_000 + late_us, late_us)
    assert max(row.stamped_late_us for row in rows.values()) == late_us and latest_stamp_us([]) == 0


def test_the_clocks_of_the_load_and_of_the_nodes_widen_the_bounds() -> None:
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    load = [sample(FIRED + 2_998_900, FIRED + 2_999_100, identity=by_lb2)]
    rows = rows_of(pair_run(), election(), load, load_clock_us=70, clocks={"lb2": 300})
    first_good = rows[Step.FIRST_GOOD]
    assert (first_good.at_us, first_good.source) == (FIRED + 2_999_100, "the load: answered by lb2")
    assert first_good.bound_us == 1_170, "sent up to 1,100 µs before, by a clock of 70 µs"
    assert (rows[Step.ELECTED].bound_us, rows[Step.DETECTION].bound_us) == (1_300, None)
    late = [vrrp("lb2", FIRED + 3 * SECOND, state="MASTER")]
    elected = rows_of(pair_run(), late, load, clocks={})[Step.ELECTED]
    assert (elected.bound_us, elected.stamped_late_us) == (None, 900)
    assert steps(late[0])[Step.FIRST_GOOD] == unseen(Step.FIRST_GOOD, "unknown")


def test_without_a_heal_the_steps_end_with_the_run_or_its_last_response() -> None:
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    owned, asked = vrrp("lb2", FIRED + 10, holds_vip=True), [sample(FIRED + 1, FIRED + 9, identity=by_lb2)]
    for end_us, is_elected in ((None, False), (FIRED + 10, False), (FIRED + 11, True)):
        rows = steps(owned, requests=asked, heal_from_us=None, end_us=end_us)
        assert (rows[Step.ELECTED].at_us is not None) is is_elected
        assert rows[Step.FIRST_GOOD].at_us == FIRED + 9
    assert steps(heal_from_us=None, end_us=None)[Step.ELECTED].at_us is None


@pytest.mark.parametrize(("after_us", "is_unknown"), [(500, True), (501, False)])
def test_the_order_of_two_steps_is_unknown_while_their_bounds_overlap(after_us: int, is_unknown: bool) -> None:
    rows = steps(outage=away(3 * SECOND, from_us=FIRED + after_us))
    assert rows[Step.FIRST_BAD_PROBE].order_unknown is is_unknown
