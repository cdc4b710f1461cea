"""What scrapes show of a balancer's life: the last state before a time, those between, and when it is silent."""

import pytest

from switchover.evidence.node_life import NodeLife, node_lives
from switchover.rundir.points import Point
from switchover.telemetry.balancers import BalancerState
from synthetic import SECOND


def life(*times_s: float, asked_s: float = 0.0) -> NodeLife:
    states = [BalancerState(str(at_s), at_us=round(at_s * SECOND)) for at_s in times_s]
    return NodeLife("lb1", states, round(asked_s * SECOND))


def test_the_last_state_before_a_time_is_none_of_that_time() -> None:
    seen = life(1, 2)
    assert seen.last_before(1 * SECOND) is None
    assert [
        state.generation for at_us in (SECOND + 1, 2 * SECOND, 9 * SECOND) if (state := seen.last_before(at_us))
    ] == [
        "1",
        "1",
        "2",
    ]


@pytest.mark.parametrize(("every_s", "limit_us"), [(0.1, SECOND), (0.3, SECOND), (0.4, 1_200_000), (2.0, 6 * SECOND)])
def test_three_scrapes_without_an_answer_are_a_silence_and_a_second_at_least(every_s: float, limit_us: int) -> None:
    seen = life(*(every_s * number for number in range(5)))
    fault_us = round(every_s * 4 * SECOND) + 1
    last_us = round(every_s * 4 * SECOND)
    assert not seen.is_silent_at(last_us + limit_us, fault_us)
    assert seen.is_silent_at(last_us + limit_us + 1, fault_us)


def test_of_a_journal_that_ends_early_no_silence_is_told() -> None:
    """Nobody asked from 9 s on."""
    seen = life(0, 1, 2, 3, 4, 8, asked_s=9)
    assert not seen.is_silent_at(30 * SECOND, 4 * SECOND)
    assert seen.is_asked_at(12 * SECOND, 4 * SECOND)
    assert not seen.is_asked_at(12 * SECOND + 1, 4 * SECOND)
    assert life(0, 1, 2).is_asked_at(99 * SECOND, 2 * SECOND), "when it was asked last is not known"


@pytest.mark.parametrize(
    ("times_s", "asked_s", "is_silent"),
    [
        ((6, 9, 12, 15), 0.0, False),
        ((6, 9.1, 12, 15), 0.0, True),
        ((8.1, 11, 14), 0.0, True),
        ((8, 11, 13.9), 0.0, True),
        ((8, 11, 14), 0.0, False),
        ((8, 11, 13.9), 16.9, False),
        ((8, 11, 13.9), 17.0, True),
    ],
)
def test_a_silence_between_two_times_is_one_from_the_first_up_to_the_last(
    times_s: tuple[float, ...], asked_s: float, is_silent: bool
) -> None:
    """The fault is at 5 s, its heal at 17 s, and before it a scrape came each second."""
    seen = life(0, 1, 2, 3, 4, *times_s, asked_s=asked_s)
    assert seen.is_silent_between(5 * SECOND, 17 * SECOND) is is_silent


def row(measurement: str, node: str, at_us: int, **fields: str | float | bool) -> Point:
    tags = {"node": node, "type": "frontend", "proxy": "www", "server": "FRONTEND"}
    return Point(measurement, tags, fields, at_us * 1000)


def scrape(node: str, source: str, at_us: int, **fields: str | float | bool) -> Point:
    return Point("switchover_scrape", {"node": node, "source": source}, fields, at_us * 1000)


def test_each_node_has_its_own_life_in_order_of_time() -> None:
    found = node_lives(
        [
            row("switchover_haproxy", "lb1", 9, generation="1", status="STOP"),
            row("switchover_haproxy", "lb1", 5, generation="1", status="OPEN"),
            row("switchover_haproxy", "lb2", 4, generation="2", status="OPEN"),
            Point("switchover_haproxy", {"type": "server"}, {"generation": "3"}, 6000),
            row("switchover_vrrp", "lb3", 7),
            scrape("lb1", "haproxy", 20, duration_ms=0.0025, ok=True),
            scrape("lb1", "haproxy", 10, duration_ms=0.001),
            scrape("lb2", "haproxy", 8, duration_ms="long"),
            scrape("lb2", "vip_owner", 99),
        ]
    )
    assert list(found) == ["lb2", "lb1", ""], "the first that was seen is the first"
    assert all(type(one.asked_us) is int for one in found.values())
    assert all(type(state.at_us) is int for one in found.values() for state in one.states)
    assert [(state.at_us, state.frontends) for state in found["lb1"].states] == [
        (5, {"www": "OPEN"}),
        (9, {"www": "STOP"}),
    ]
    assert (found["lb1"].node, found["lb1"].asked_us) == ("lb1", 22)
    assert ([state.generation for state in found["lb2"].states], found["lb2"].asked_us) == (["2"], 8)


def test_an_nginx_whose_count_of_connections_has_fallen_is_another_process() -> None:
    counts = {5: 10, 6: 20, 7: 20, 8: 19, 9: 30}
    found = node_lives(row("switchover_nginx", "lb1", at_us, accepts=accepts) for at_us, accepts in counts.items())
    assert [state.generation for state in found["lb1"].states] == ["1", "1", "1", "2", "2"]


def test_of_two_ways_to_ask_one_node_the_better_counts() -> None:
    found = node_lives(
        [
            row("switchover_proxy", "lb1", 5, generation="of the exporter"),
            row("switchover_haproxy", "lb1", 6, generation="of the statistics"),
            row("switchover_proxy", "lb1", 7, generation="of the exporter"),
        ]
    )
    assert [state.generation for state in found["lb1"].states] == ["of the statistics"]
