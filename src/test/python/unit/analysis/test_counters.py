"""HAProxy's counters over reloads: set back to zero, carried over, or cleared."""

import pytest

from switchover.analysis.counters import epochs_of
from switchover.rundir.points import Point


def scrape(at_s: float, epoch: str, *, begun: int | None = None, **servers: int) -> list[Point]:
    together = sum(servers.values())
    rows = [("www", "FRONTEND", "frontend", together), ("web", "BACKEND", "backend", together)]
    rows += [("web", name, "server", number) for name, number in servers.items()]
    time_ns = round(at_s * 1e9)
    found = [
        Point(
            "switchover_haproxy",
            {"node": "lb1", "proxy": proxy, "server": server, "type": kind},
            {"hrsp_2xx": number, "epoch": epoch},
            time_ns,
        )
        for proxy, server, kind, number in rows
    ]
    if begun is not None:
        found.append(Point("switchover_haproxy_info", {"node": "lb1"}, {"CumReq": begun}, time_ns))
    return found


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


def test_a_process_that_answered_more_in_its_first_second_than_the_one_before_has_begun_them_all_itself() -> None:
    # The load began at 1 s; the first process was seen until 1.8 s, and another followed at 2 s.
    seen = [
        scrape(0.7, "1", begun=3, web1=1),
        scrape(1.8, "1", begun=133, web1=43),
        scrape(2.7, "2", begun=173, web1=57),
    ]
    assert answers(*seen) == [42, 57]


def test_a_process_that_has_begun_fewer_requests_than_its_counters_show_has_taken_them_over() -> None:
    seen = [
        scrape(1.5, "1", begun=0, web1=0),
        scrape(1.8, "1", begun=133, web1=43),
        scrape(9, "2", begun=20, web1=57),
    ]
    assert answers(scrape(0, "1", begun=0, web1=0), *seen) == [43, 14]


def test_requests_that_came_in_mid_scrape_do_not_make_counters_taken_over() -> None:
    seen = [
        scrape(0, "1", begun=0, web1=0),
        scrape(9, "1", begun=100, web1=100),
        scrape(10, "2", begun=140, web1=154),
    ]
    assert answers(*seen) == [100, 154]


def test_without_info_a_process_that_was_seen_shortly_under_load_proves_nothing() -> None:
    assert answers(scrape(0.1, "1", web1=1), scrape(1.8, "1", web1=43), scrape(2.8, "2", web1=57)) == [42, 57]
