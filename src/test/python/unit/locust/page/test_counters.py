"""The balancers' counters as changes since the run began, whatever restarts in between."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from switchover.locust.page.counters import ROWS_LIMIT, Counters
from switchover.rundir.points import Point, format_point

SECOND_NS = 1_000_000_000


def line(at_s: float, generation: str = "1-1", status: str = "UP", server: str = "web1", **numbers: int) -> str:
    tags = {"run": "r", "node": "lb1", "proxy": "web", "server": server, "type": "server"}
    return format_point(
        "switchover_haproxy", tags, {**numbers, "status": status, "generation": generation}, int(at_s * 1e9)
    )


def nginx(node: str, at_s: int, **fields: int) -> Point:
    return Point("switchover_nginx", {"node": node}, fields, at_s * SECOND_NS)


def scrape(node: str, **fields: Any) -> Point:
    return Point("switchover_scrape", {"node": node, "source": "haproxy"}, fields, SECOND_NS)


def row(*lines: str) -> dict[str, Any]:
    counters = Counters()
    for one in lines:
        counters.read_haproxy(one)
    (found,) = counters.haproxy()
    return found


def test_a_counter_is_shown_by_its_change_a_gauge_as_it_is() -> None:
    found = row(line(1, hrsp_2xx=1000, econ=7, scur=3), line(3, hrsp_2xx=1500, econ=9, scur=5))
    assert found["changes"] == {"hrsp_2xx": 500, "econ": 2}
    assert found["gauges"] == {"scur": 5}
    assert found["answers_rate"] == 250.0
    assert (found["node"], found["server"], found["status"]) == ("lb1", "web1", "UP")


def test_a_process_that_began_during_the_run_counts_from_zero() -> None:
    found = row(
        line(1, hrsp_2xx=1000), line(2, hrsp_2xx=1100), line(4, "2-9", hrsp_2xx=40), line(5, "2-9", hrsp_2xx=70)
    )
    assert found["changes"] == {"hrsp_2xx": 170}
    assert found["answers_rate"] == 30.0


def test_counters_that_fell_without_a_new_generation_began_anew() -> None:
    assert row(line(1, hrsp_2xx=1000), line(2, hrsp_2xx=5))["changes"] == {"hrsp_2xx": 5}


def test_a_line_that_comes_again_changes_nothing() -> None:
    first, second = line(1, hrsp_2xx=10), line(2, hrsp_2xx=15)
    assert row(first, second, second, first)["changes"] == {"hrsp_2xx": 5}


def test_columns_within_a_text_are_no_figures() -> None:
    found = row(line(1, hrsp_2xx=10), line(2, status='x",econ=5i,hrsp_2xx=99999i,y="', hrsp_2xx=12))
    assert found["changes"] == {"hrsp_2xx": 2}


def test_a_source_that_gives_no_figures_is_named_until_it_does() -> None:
    counters = Counters()
    counters.read_haproxy(line(1, hrsp_2xx=1))
    counters.read_scrape(scrape("lb1", ok=False, text="Connection refused"))
    assert counters.haproxy()[0]["silent"] is True
    assert counters.silent() == [{"node": "lb1", "source": "haproxy", "text": "Connection refused"}]
    counters.read_scrape(scrape("lb1", ok=True))
    assert counters.haproxy()[0]["silent"] is False
    assert counters.silent() == []


def test_nginx_has_its_seven() -> None:
    counters = Counters()
    first = {"active": 2, "accepts": 10, "handled": 10, "requests": 50, "reading": 0, "writing": 1, "waiting": 1}
    counters.read_nginx(nginx("lb1", 1, **first))
    counters.read_nginx(nginx("lb1", 3, **{**first, "accepts": 30, "handled": 29, "requests": 150, "waiting": 4}))
    (found,) = counters.nginx()
    assert found["changes"] == {"accepts": 20, "handled": 19, "requests": 100}
    assert found["gauges"] == {"active": 2, "reading": 0, "writing": 1, "waiting": 4}
    assert found["answers_rate"] == 50.0


def test_rows_are_bounded() -> None:
    counters = Counters()
    for number in range(2 * ROWS_LIMIT):
        counters.read_haproxy(line(1, server=f"web{number}", hrsp_2xx=1))
        counters.read_nginx(nginx(f"lb{number}", 1, requests=1))
        counters.read_scrape(scrape(f"lb{number}", ok=False))
    assert len(counters.haproxy()) == len(counters.nginx()) == len(counters.silent()) == ROWS_LIMIT


@given(st.text(max_size=300))
def test_no_line_raises(text: str) -> None:
    counters = Counters()
    counters.read_haproxy(text)
    counters.read_haproxy(f"switchover_haproxy,{text} scur=1i 5")
