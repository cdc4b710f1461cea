"""Whether a change took effect, by sources that its commands have nothing to do with."""

from pathlib import Path
from typing import Any

import pytest

from support.changes import EVERY_US, START_US, Rows, change, end_us
from support.contract import named
from switchover.evidence.node_life import NodeLife, node_lives
from switchover.evidence.ownership import ownership_of
from switchover.rundir.measurements import ADVERT, CERTIFICATE_EVENT, EVENT
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import ChangeRun, FaultRun
from switchover.telemetry.balancers import BalancerState
from switchover.telemetry.haproxy import is_server_up
from switchover.verdict.change_confirmation import look_at_changes


def seen(
    rows: Rows, sources: list[str], lives: dict[str, NodeLife] | None = None, end: int | None = None
) -> list[bool | None]:
    made = [change(1), change(2)]
    described = FaultRun(name="reload", kind="master", master="lb1", sources=sources)
    found = look_at_changes(made, described, lives or {}, ownership_of([]), rows.read(), end or end_us(made))
    return [one.seen for one in found]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path / "connections.jtl")


def test_a_connection_that_waited_for_the_new_process_is_on_no_process_of_before(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, worker="6", place="1.1")
    rows.add(EVERY_US - 500, worker="7", place="1.2", latency_us=700)
    rows.add(2 * EVERY_US - 500, worker="8", place="1.3", latency_us=700)
    assert seen(rows, ["worker"]) == [True, True]


def test_a_change_that_the_end_of_the_run_cut_short_is_not_denied(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, place="1.1")
    rows.add(EVERY_US + 1000, place="1.2")
    rows.add(2 * EVERY_US + 1000, place="1.3")
    assert seen(rows, ["worker"], end=change(2).from_us) == [False, None]


def test_a_change_without_sources_of_its_own_is_never_denied(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, place="1.1")
    rows.add(EVERY_US + 1000, place="1.2")
    assert seen(rows, []) == [None, None]


def test_scrapes_see_a_server_that_goes_out(rows: Rows) -> None:
    states = [
        BalancerState(
            "1",
            servers={"web/web1": status},
            servers_up=frozenset({"web/web1"} if is_server_up(status) else ()),
            at_us=START_US + at_us,
        )
        for at_us, status in (
            (0, "UP"),
            (EVERY_US + 1000, "DRAIN"),
            (2 * EVERY_US - 1000, "UP"),
            (3 * EVERY_US, "UP"),
        )
    ]
    assert seen(rows, ["server"], {"lb1": NodeLife("lb1", states)}) == [True, False]


def test_another_priority_is_the_effect_of_a_reload_of_keepalived(rows: Rows) -> None:
    """It goes up and down with the first change; with the second it is announced again as it was."""
    told = ((0, 101), (EVERY_US + 1000, 102), (2 * EVERY_US - 1000, 101), (2 * EVERY_US + 1000, 101))
    points = [
        Point(ADVERT, {"node": "lb1"}, {"vrid": 50, "priority": priority}, (START_US + at_us) * 1000)
        for at_us, priority in told
    ]
    made = [change(1), change(2)]
    described = FaultRun(name="reload", kind="master", master="lb1", sources=["priority"])
    found = look_at_changes(made, described, {}, ownership_of([]), rows.read(), end_us(made), points)
    assert [one.seen for one in found] == [True, False]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("a0 b5 a8 b10", [True, True]),
        ("a0 b5 a8", [True, False]),
        ("a0 b1 a2 b3 a4 b6 a7 b8 a9 c11", [False, True]),
        ("a0 b1 c2 c11", [False, False]),
        ("", [None, None]),
    ],
)
def test_another_certificate_is_the_effect_of_a_swap(rows: Rows, shown: str, expected: list[bool | None]) -> None:
    """Each letter is a certificate, and behind it the second in which new connections were shown it first. Changes
    are made at 5 and 10 s, and the first one is taken back at 7.5 s."""
    points = [
        Point(
            EVENT,
            {"kind": CERTIFICATE_EVENT, "id": status[0]},
            {"text": "another"},
            (START_US + int(status[1:]) * 1_000_000 + 1000) * 1000,
        )
        for status in shown.split()
    ]
    made = [change(1), change(2)]
    made[0].undo_from_us, made[1].undo_from_us = START_US + 7_500_000, START_US + 12_500_000
    described = FaultRun(name="swap", kind="master", master="lb1", sources=["certificate"])
    found = look_at_changes(made, described, {}, ownership_of([]), rows.read(), end_us(made), points)
    assert [one.seen for one in found] == expected


def points_say(rows: Rows, source: str, points: list[Point]) -> list[bool | None]:
    made = [change(1), change(2)]
    described = FaultRun(name="change", kind="master", master="lb1", sources=[source])
    found = look_at_changes(
        made, described, node_lives(points), ownership_of(points), rows.read(), end_us(made), points
    )
    assert [one.change for one in found] == made
    return [one.seen for one in found]


@pytest.mark.parametrize(
    ("at_us", "fields", "expected"),
    [
        (EVERY_US - 1, {"holds_vip": True}, [False, False]),
        (EVERY_US, {"holds_vip": True}, [True, False]),
        (2 * EVERY_US, {"holds_vip": True}, [False, True]),
        (EVERY_US, {"state": "MASTER"}, [True, False]),
        (EVERY_US, {"state": "BACKUP"}, [False, False]),
    ],
)
def test_the_address_moved_when_another_node_took_it(
    rows: Rows, at_us: int, fields: dict[str, Any], expected: list[bool | None]
) -> None:
    seen_before = {"holds_vip": False} if "holds_vip" in fields else {"state": "FAULT"}
    points = [
        Point("switchover_vrrp", {"node": "lb2"}, told, (START_US + at) * 1000)
        for at, told in ((0, seen_before), (at_us, fields))
    ]
    assert points_say(rows, "owner", points) == expected


def told_on(rows: Rows, *times: tuple[int, str], ends: int | None = None) -> None:
    """Each a connection of its own that was told then which process it is on; the first one ends when told."""
    for place, (at_us, worker) in enumerate(times):
        took_us = ends - at_us if ends is not None and place == 0 else 0
        rows.add(at_us, worker=worker, place=f"{place}.1", latency_us=0, took_us=took_us)


FIRST, SECOND = EVERY_US, 2 * EVERY_US
"""When the two changes begin."""


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([(0, "6"), (FIRST + 1, "7"), (SECOND + 1, "6")], [True, True]),
        ([(0, "6"), (FIRST, "7")], [None, None]),
        ([(0, "6"), (FIRST, "7"), (FIRST + 1, "7")], [True, None]),
        ([(0, "6"), (FIRST, "7"), (FIRST + 1, "6"), (SECOND + 1, "7")], [False, False]),
        ([(0, "6"), (FIRST + 1, "6"), (SECOND, "7"), (SECOND + 1, "6")], [False, False]),
        ([(0, "6")], [None, None]),
    ],
    ids=[
        "there and back",
        "told as the change began",
        "told as it began, and later",
        "told as the change before began",
        "told as the next began",
        "nothing behind the change",
    ],
)
def test_a_process_is_another_than_those_since_the_change_before(
    rows: Rows, times: list[tuple[int, str]], expected: list[bool | None]
) -> None:
    told_on(rows, *times)
    assert seen(rows, ["worker"]) == expected


def servers(at_us: int, **status: str) -> BalancerState:
    return BalancerState("1", servers=status, servers_up=frozenset(), at_us=START_US + at_us)


def test_a_balancer_that_is_scraped_no_more_neither_sees_a_change_nor_denies_it(rows: Rows) -> None:
    silent = NodeLife("lb1", [servers(0, web1="UP")])
    assert seen(rows, ["server"], {"lb1": silent}) == [None, None]
    telling = NodeLife("lb2", [servers(0, web1="UP"), servers(FIRST + 1, web1="DRAIN"), servers(SECOND + 1)])
    assert seen(rows, ["server"], {"lb1": silent, "lb2": telling}) == [True, False]


@pytest.mark.parametrize("case", named("changes.json", "effects"))
def test_what_points_say_of_changes_is_as_agreed(case: dict[str, Any]) -> None:
    points = [parse_point(line) for line in case["points"]]
    made = [ChangeRun(**one) for one in case["changes"]]
    described = FaultRun(name="change", kind="master", master="lb1", sources=case["sources"])
    lives, owners = node_lives(points), ownership_of(points)
    found = look_at_changes(made, described, lives, owners, None, case["end_us"], points)
    assert [one.seen for one in found] == case["seen"]
