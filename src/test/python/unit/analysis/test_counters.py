"""HAProxy's counters over reloads: set back to zero, carried over, or cleared."""

import pytest

from switchover.analysis.counters import epochs_of
from switchover.rundir.points import Point


def scrape(at_s: float, epoch: str, **servers: int) -> list[Point]:
    rows = [("web", "BACKEND", "backend", sum(servers.values()))]
    rows += [("web", name, "server", number) for name, number in servers.items()]
    return [
        Point(
            "switchover_haproxy",
            {"node": "lb1", "proxy": proxy, "server": server, "type": kind},
            {"hrsp_2xx": number, "epoch": epoch},
            round(at_s * 1e9),
        )
        for proxy, server, kind, number in rows
    ]


def answers(*scrapes: list[Point]) -> list[int]:
    """What each epoch counted from the load's start at 1 s on."""
    epochs = epochs_of([point for points in scrapes for point in points], 1_000_000)["lb1"]
    return [sum(one.last.by_server.values()) - sum(one.first.by_server.values()) for one in epochs]


def test_a_new_process_counts_from_zero() -> None:
    assert answers(scrape(0, "1", web1=1000), scrape(9, "1", web1=1500), scrape(10, "2", web1=100)) == [500, 100]


def test_a_process_that_took_the_counters_over_counts_from_where_they_were() -> None:
    assert answers(scrape(0, "1", web1=1000), scrape(9, "1", web1=1500), scrape(10, "2", web1=1600)) == [500, 100]


def test_counters_that_were_cleared_count_from_zero_again() -> None:
    assert answers(scrape(0, "1", web1=1000), scrape(9, "1", web1=1500), scrape(10, "1", web1=30)) == [500, 30]


@pytest.mark.parametrize("gap_s", [20, 100])
def test_after_a_long_time_unseen_more_answers_prove_nothing(gap_s: int) -> None:
    seen = [scrape(0, "1", web1=0), scrape(9, "1", web1=5), scrape(9 + gap_s, "2", web1=100)]
    assert answers(*seen) == [5, 100]
