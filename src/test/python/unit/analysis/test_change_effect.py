"""Whether a change took effect, by witnesses that its commands have nothing to do with."""

from pathlib import Path
from typing import Any

import pytest

from support.changes import EVERY_US, START_US, Rows, change, end_us
from support.contract import named
from switchover.analysis.change_effect import look_at_changes
from switchover.analysis.node_life import NodeLife, node_lives
from switchover.analysis.ownership import ownership_of
from switchover.rundir.change_run import ChangeRun
from switchover.rundir.measurements import ADVERT, CERTIFICATE_EVENT, EVENT
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import FaultRun
from switchover.telemetry.balancers import BalancerState
from switchover.telemetry.haproxy import is_server_up


def seen(
    rows: Rows, witnesses: list[str], lives: dict[str, NodeLife] | None = None, end: int | None = None
) -> list[bool | None]:
    made = [change(1), change(2)]
    described = FaultRun(name="reload", kind="master", master="lb1", witnesses=witnesses)
    found = look_at_changes(made, described, lives or {}, ownership_of([]), rows.read(), end or end_us(made))
    return [one.seen for one in found]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path / "patient.jtl")


def test_another_process_that_answers_is_an_effect(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, worker="6", place="1.1")
    rows.add(EVERY_US + 1000, worker="7", place="1.2")
    rows.add(2 * EVERY_US + 1000, worker="8", place="1.3")
    assert seen(rows, ["worker"]) == [True, True]


def test_the_same_process_afterwards_is_no_effect(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, place="1.1")
    rows.add(EVERY_US + 1000, place="1.2")
    rows.add(2 * EVERY_US + 1000, place="1.3")
    assert seen(rows, ["worker"]) == [False, False]


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


def test_a_balancer_that_names_no_process_tells_nothing(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, worker="", place="1.1")
    rows.add(EVERY_US + 1000, worker="", place="1.2")
    assert seen(rows, ["worker"]) == [None, None]


def test_a_change_without_witnesses_of_its_own_is_never_denied(rows: Rows) -> None:
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
    described = FaultRun(name="reload", kind="master", master="lb1", witnesses=["priority"])
    found = look_at_changes(made, described, {}, ownership_of([]), rows.read(), end_us(made), points)
    assert [one.seen for one in found] == [True, False]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("a0 b5 a8 b10", [True, True]),
        ("a0 b5 a8", [True, False]),
        ("a0 b1 a2 b3 a4 b6 a7 b8 a9 c11", [False, True]),
        ("", [None, None]),
    ],
)
def test_another_certificate_is_the_effect_of_a_swap(rows: Rows, shown: str, expected: list[bool | None]) -> None:
    """Each letter is a certificate, and behind it the second in which new connections were shown it first. Changes
    are made at 5 and 10 s, and the first one is taken back at 7.5 s."""
    points = [
        Point(
            EVENT,
            {"kind": CERTIFICATE_EVENT, "id": word[0]},
            {"text": "another"},
            (START_US + int(word[1:]) * 1_000_000 + 1000) * 1000,
        )
        for word in shown.split()
    ]
    made = [change(1), change(2)]
    made[0].undo_from_us = START_US + 7_500_000
    described = FaultRun(name="swap", kind="master", master="lb1", witnesses=["certificate"])
    found = look_at_changes(made, described, {}, ownership_of([]), rows.read(), end_us(made), points)
    assert [one.seen for one in found] == expected


@pytest.mark.parametrize("case", named("changes.json", "effects"))
def test_what_points_say_of_changes_is_as_agreed(case: dict[str, Any]) -> None:
    points = [parse_point(line) for line in case["points"]]
    made = [ChangeRun.of(one) for one in case["changes"]]
    described = FaultRun(name="change", kind="master", master="lb1", witnesses=case["witnesses"])
    lives, owners = node_lives(points), ownership_of(points)
    found = look_at_changes(made, described, lives, owners, None, case["end_us"], points)
    assert [one.seen for one in found] == case["seen"]
