"""HAProxy's counters over reloads: set back to zero, carried over, or cleared."""

from dataclasses import replace

import pytest

from switchover.evidence.generations import Scrape, generations_of, scrapes_of
from switchover.rundir.points import Point


def scrape(at_s: float, generation: str, *, begun: int | None = None, **servers: int) -> list[Point]:
    together = sum(servers.values())
    rows = [("www", "FRONTEND", "frontend", together), ("web", "BACKEND", "backend", together)]
    rows += [("web", name, "server", number) for name, number in servers.items()]
    time_ns = round(at_s * 1e9)
    found = [
        Point(
            "switchover_haproxy",
            {"node": "lb1", "proxy": proxy, "server": server, "type": kind},
            {"hrsp_2xx": number, "generation": generation},
            time_ns,
        )
        for proxy, server, kind, number in rows
    ]
    if begun is not None:
        found.append(Point("switchover_haproxy_info", {"node": "lb1"}, {"CumReq": begun}, time_ns))
    return found


def answers(*scrapes: list[Point]) -> list[int]:
    """What each generation counted from the load's start at 1 s on."""
    generations = generations_of([point for points in scrapes for point in points], 1_000_000)["lb1"]
    return [sum(one.last.by_server.values()) - sum(one.first.by_server.values()) for one in generations]


def test_a_process_that_took_the_counters_over_counts_from_where_they_were() -> None:
    assert answers(scrape(0, "1", web1=1000), scrape(9, "1", web1=1500), scrape(10, "2", web1=1600)) == [500, 100]


@pytest.mark.parametrize("gap_s", [20, 100])
def test_after_a_long_time_unseen_more_answers_prove_nothing(gap_s: int) -> None:
    seen = [scrape(0, "1", web1=0), scrape(9, "1", web1=5), scrape(9 + gap_s, "2", web1=100)]
    assert answers(*seen) == [5, 100]


def test_a_process_that_has_begun_fewer_requests_than_its_counters_show_has_taken_them_over() -> None:
    seen = [
        scrape(1.5, "1", begun=0, web1=0),
        scrape(1.8, "1", begun=133, web1=43),
        scrape(9, "2", begun=20, web1=57),
    ]
    assert answers(scrape(0, "1", begun=0, web1=0), *seen) == [43, 14]


def row(proxy: str, server: str, kind: str, **fields: int | str | bool) -> Point:
    return Point("switchover_haproxy", {"node": "lb1", "proxy": proxy, "server": server, "type": kind}, fields, 5999)


def test_a_scrape_counts_answers_of_every_kind_and_retries_of_what_has_servers() -> None:
    each = {f"hrsp_{kind}": 10**place for place, kind in enumerate(("1xx", "2xx", "3xx", "4xx", "5xx", "other"))}
    rows = [
        row("www", "FRONTEND", "frontend", req_tot=70, hrsp_2xx=60),
        row("health", "FRONTEND", "frontend", req_tot=7, hrsp_2xx=6, generation="9"),
        row("web", "web1", "server", **each, req_tot=9, wretr=9),
        row("api", "web1", "server", hrsp_2xx=3, hrsp_5xx=True),
        row("web", "web2", "server", hrsp_2xx="many"),
        row("web", "BACKEND", "backend", hrsp_2xx=50, wretr=2, wredis=3),
        row("api", "BACKEND", "backend", hrsp_2xx=5, wretr=1),
        row("stats", "BACKEND", "backend", hrsp_2xx=900, wretr=900),
    ]
    seen = [
        Point("switchover_scrape", {"node": "lb1", "source": source}, {"duration_ms": took_ms}, 5999)
        for source, took_ms in (("haproxy", 1.2345), ("info", 1))
    ]
    told = [Point("switchover_haproxy_info", {"node": "lb1"}, {"CumReq": begun}, 5999) for begun in (80, "many")]
    (found,) = scrapes_of([*rows, *seen, *told])["lb1"]
    assert found == Scrape(
        5, 1234, "9", {"web1": 111_114, "web2": 0}, by_backends=55, by_frontends=66, received=77, retries=6, begun=80
    )
    assert (found.made_by_balancer, found.by_frontends_alone, found.requests) == (55 - 111_114, 11, 66)
    at_once = Point("switchover_scrape", {"node": "lb1"}, {"duration_ms": 0.0}, 5999)
    assert scrapes_of([row("web", "web1", "server"), at_once])["lb1"] == [Scrape(5, 0, "", {"web1": 0})]
    nameless = Point("switchover_haproxy", {"type": "server"}, {"hrsp_2xx": 3}, 5999)
    assert scrapes_of([nameless]) == {"": [Scrape(5, 0, "", {"": 3})]}


@pytest.mark.parametrize(("begun", "counted"), [(100, 150), (99, 50)])
def test_counters_were_taken_over_if_they_show_half_of_the_others_answers_more_than_were_begun(
    begun: int, counted: int
) -> None:
    seen = [scrape(0, "1", begun=0, web1=0), scrape(9, "1", begun=100, web1=100)]
    assert answers(*seen, scrape(10, "2", begun=begun, web1=150)) == [100, counted]


@pytest.mark.parametrize(("at_s", "counted"), [(17.0, 1600), (16.999, 100)])
def test_without_info_counters_were_taken_over_if_the_other_was_seen_longer_than_it_was_not(
    at_s: float, counted: int
) -> None:
    """It was seen from the load's start at 1 s to 9 s."""
    seen = [scrape(0, "1", web1=1000), scrape(9, "1", web1=1500)]
    assert answers(*seen, scrape(at_s, "2", web1=1600)) == [500, counted]
    later = [scrape(1.0, "1", web1=1000), *seen[1:]]
    assert answers(scrape(0.9, "1", web1=900), *later, scrape(at_s, "2", web1=1600)) == [500, counted]
    took = Point("switchover_scrape", {"node": "lb1"}, {"duration_ms": 100.001}, 900_000_000)
    assert generations_of([took, *scrape(0.9, "1", web1=900), *later[0]], 999_999) == {"lb1": []}


@pytest.mark.parametrize("is_carried", [False, True])
def test_a_later_process_counts_from_its_own_zero_or_from_where_the_other_was_seen_last(is_carried: bool) -> None:
    took = Point("switchover_scrape", {"node": "lb1"}, {"duration_ms": 2.0}, 10 * 10**9)
    seen = [scrape(0, "1", web1=10), scrape(9, "1", web1=20), scrape(10, "2", web1=25 if is_carried else 5)]
    old, new = generations_of([took, *(point for points in seen for point in points)], 1_000_000)["lb1"]
    assert [(generation.node, generation.name) for generation in (old, new)] == [("lb1", "1"), ("lb1", "2")]
    assert new.first == (replace(old.last, generation="2") if is_carried else Scrape(10_000_000, 2_000, "2"))
