"""Who held the virtual address when, by what the ownership sources of the balancers told."""

from typing import Any

import pytest

from switchover.evidence.ownership import Change, Ownership, ownership_of
from switchover.model.interval import Span
from switchover.rundir.points import Point
from synthetic import SECOND, vrrp


def seen(*lines: tuple[int, str, bool | None]) -> Ownership:
    """Second, node, and whether it has the address; None: from then on that is not known."""
    return ownership_of(
        vrrp(node, at_s * SECOND, **({} if holds is None else {"holds_vip": holds})) for at_s, node, holds in lines
    )


def of_instance(name: str, at_s: int, **fields: Any) -> Point:
    return Point("switchover_vrrp", {"node": "lb1", "instance": name}, fields, at_s * SECOND * 1000)


def only_change(**fields: Any) -> Change:
    (found,) = ownership_of([vrrp("lb1", 7, **fields)]).of("lb1")
    return found


def test_an_address_is_held_from_the_moment_it_was_seen_until_the_moment_it_was_gone() -> None:
    ownership = seen((1, "lb1", True), (2, "lb1", True), (3, "lb1", False), (5, "lb1", True))
    assert ownership.held_by("lb1", 9 * SECOND) == [Span(SECOND, 3 * SECOND), Span(5 * SECOND, 9 * SECOND)]
    assert ownership.held_by("lb2", 9 * SECOND) == []
    moments = (SECOND - 1, SECOND, 3 * SECOND - 1, 3 * SECOND, 5 * SECOND)
    assert [ownership.holds_at("lb1", at_us) for at_us in moments] == [False, True, True, False, True]


def test_a_line_that_tells_nothing_ends_what_was_known_of_its_node() -> None:
    ownership = seen((1, "lb1", True), (2, "lb1", None), (4, "lb1", True))
    assert ownership.held_by("lb1", 5 * SECOND) == [Span(SECOND, 2 * SECOND), Span(4 * SECOND, 5 * SECOND)]
    assert not ownership.holds_at("lb1", 3 * SECOND)
    assert only_change().lost and only_change().is_about_address


def test_the_lines_of_a_node_are_in_order_of_time_however_they_came() -> None:
    points = [of_instance("VI_2", 4, holds_vip=True), of_instance("VI_1", 3, holds_vip=False)]
    points += [of_instance("VI_2", 1, holds_vip=False), of_instance("VI_1", 2, holds_vip=True)]
    ownership = ownership_of(points)
    assert [change.at_us // SECOND for change in ownership.of("lb1")] == [1, 2, 3, 4]
    assert ownership.held_by("lb1", 5 * SECOND) == [Span(2 * SECOND, 3 * SECOND), Span(4 * SECOND, 5 * SECOND)]
    assert {name: list(by_node) for name, by_node in ownership.changes.items()} == {"VI_2": ["lb1"], "VI_1": ["lb1"]}


def test_a_node_holds_an_address_while_any_of_its_instances_has_one() -> None:
    points = [of_instance("VI_1", 1, holds_vip=True), of_instance("VI_1", 3, holds_vip=False)]
    ownership = ownership_of([*points, of_instance("VI_2", 2, holds_vip=True)])
    assert ownership.held_by("lb1", 4 * SECOND) == [Span(SECOND, 4 * SECOND)]
    assert ownership.holds_at("lb1", 3 * SECOND)


def test_an_address_that_was_seen_outranks_a_state_that_was_said() -> None:
    """Keepalived said MASTER, was killed, and says nothing more; the address was seen to go."""
    had = vrrp("lb1", 0, holds_vip=True)
    said = vrrp("lb1", SECOND, state="MASTER", priority=101)
    gone = vrrp("lb1", 2 * SECOND, state="", holds_vip=False)
    told = vrrp("lb2", SECOND, state="MASTER")
    ownership = ownership_of([had, said, gone, told])
    assert ownership.held_by("lb1", 3 * SECOND) == [Span(0, 2 * SECOND)]
    assert [(change.state, change.priority, change.holds) for change in ownership.of("lb1")] == [
        ("", None, True),
        ("MASTER", 101, None),
        ("", None, False),
    ]
    assert ownership.held_by("lb2", 3 * SECOND) == [Span(SECOND, 3 * SECOND)]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"state": "master", "priority": 101}, ("MASTER", 101, True, False)),
        ({"state": "BACKUP", "priority": 0}, ("BACKUP", 0, False, False)),
        ({"state": "MASTER", "holds_vip": False}, ("MASTER", None, False, False)),
        ({"state": "FAULT", "priority": True}, ("FAULT", None, False, False)),
        ({"state": 2, "holds_vip": "yes", "priority": "101"}, ("", None, None, True)),
        ({"state": 2, "holds_vip": False}, ("", None, False, False)),
    ],
)
def test_a_line_is_read_by_its_state_or_the_address(fields: dict[str, Any], expected: tuple[Any, ...]) -> None:
    found = only_change(**fields)
    assert (found.state, found.priority, found.holds, found.lost) == expected
