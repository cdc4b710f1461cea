"""What a balancer tells when it is asked: whether it is alive, its statistics as a whole, and its servers."""

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.contract import FOLDER
from support.servers import answers, answers_page, tcp_server
from switchover.evidence.node_life import node_lives
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.model.identity import IdentitySettings
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import HAPROXY, PROXY
from switchover.rundir.points import Point
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command, HttpPage, TcpSocket
from switchover.telemetry.balancers import BALANCERS, BalancerKind, find_aliases, kind_of, look_at
from switchover.telemetry.haproxy import (
    HaproxyReader,
    StatRow,
    is_frontend_open,
    is_server_up,
    parse_answer,
)
from switchover.telemetry.scrapers import (
    NGINX_NUMBERS,
    balancer_scraper,
    local_scraper,
    machine_scraper,
    read_status,
    scrapers_of,
)

ANSWERS = {
    "haproxy": "Pid: 7\nStart_time_sec: 70\n\n# pxname,svname,status,type\n"
    "www,FRONTEND,OPEN,0\nwww,web1,UP,2\nwww,web2,DOWN,2\nwww,web3,no check,2\n\n",
    "nginx": "Active connections: 1 \nserver accepts handled requests\n 9 9 9 \nReading: 0 Writing: 1 Waiting: 0 \n",
    "metrics": "process_start_time_seconds 70\n"
    'traefik_service_server_up{service="web@file",url="http://198.18.0.21:80"} 1\n'
    'traefik_service_server_up{service="web@file",url="http://198.18.0.22:80"} 0\n',
}
"""By source, what a balancer of each kind may answer."""
UP = {"haproxy": {"www/web1", "www/web3"}, "nginx": set(), "metrics": {"web@file/198.18.0.21:80"}}


def node_of(kind: BalancerKind, place: Path) -> Node:
    answer = place / kind.source
    answer.write_text(ANSWERS[kind.source])
    return Node("lb1", "balancer", **{kind.source: Command(("cat", str(answer)))})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", BALANCERS, ids=lambda kind: kind.source)
def test_what_is_asked_now_is_what_its_scrapes_show(kind: BalancerKind, tmp_path: Path) -> None:
    node = node_of(kind, tmp_path)
    assert kind_of(node) is kind
    now = look_at(node, kind)
    (scraper,) = scrapers_of(node, Clock.of_process())
    points = [Point(one.measurement, one.tags, one.fields, 9_000) for one in scraper.scrape(9_000)]
    (seen,) = node_lives(points)["lb1"].states
    assert (seen.frontends, seen.servers, seen.servers_up) == (now.frontends, now.servers, now.servers_up)
    assert seen.servers_up == UP[kind.source]
    assert bool(seen.servers) == kind.reports_servers
    assert (seen.accepted, seen.at_us) == (now.accepted, 9)


def test_a_frontend_at_its_maxconn_is_open(tmp_path: Path) -> None:
    path = tmp_path / "stats"
    path.write_text("Pid: 7\n\n# pxname,svname,status,type\nwww,FRONTEND,FULL,0\napi,FRONTEND,STOP,0\n\n")
    state = look_at(Node("lb1", "balancer", haproxy=Command(("cat", str(path)))), BALANCERS[0])
    assert state.frontends == {"www": "OPEN", "api": "STOP"}


def test_a_node_that_is_not_watched_is_of_no_kind() -> None:
    assert kind_of(Node("lb1", "balancer")) is None


def test_a_page_of_metrics_beside_a_haproxys_statistics_is_of_another_process() -> None:
    def seen(measurement: str, generation: str, at_ns: int) -> Point:
        return Point(
            measurement, {"node": "lb1", "type": "frontend", "proxy": "www"}, {"generation": generation}, at_ns
        )

    points = [seen(HAPROXY, "7", 1_000), seen(PROXY, "1970", 2_000), seen(HAPROXY, "7", 3_000)]
    assert [state.generation for state in node_lives(points)["lb1"].states] == ["7", "7"]
    assert [state.generation for state in node_lives(points[1:2])["lb1"].states] == ["1970"]


ANSWER = b"Name: HAProxy\nPid: 7\nUptime_sec: 1\n\n# pxname,svname,stot,\nweb,FRONTEND,5,\nweb,s1,5,\n\n"


@given(st.integers(min_value=0, max_value=len(ANSWER) - 1))
def test_table_cut_off_anywhere_yields_nothing(length: int) -> None:
    with pytest.raises(TelemetryError):
        parse_answer(ANSWER[:length])


@given(st.binary(max_size=500), st.booleans())
def test_no_garbage_raises_anything_but_our_error(garbage: bytes, page: bool) -> None:
    for text in (garbage, b"# pxname,svname,stot,\n" + garbage + b"\n\n"):
        try:
            snapshot = parse_answer(text, page=page)
        except TelemetryError:
            continue
        assert all(abs(value) < 2**63 for each in snapshot.rows for value in each.numbers.values())


def test_error_names_the_source() -> None:
    with (
        tcp_server(answers(b"Permission denied\n\n")) as port,
        pytest.raises(TelemetryError, match=rf"tcp://.*:{port}"),
    ):
        HaproxyReader(TcpSocket("127.0.0.1", port)).read(0.0)


SAID = json.loads((FOLDER / "server_status.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", SAID["cases"], ids=lambda case: case["status"] or "empty")
def test_a_server_is_up_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_server_up(case["status"]) is case["up"]


@pytest.mark.parametrize("case", SAID["frontends"], ids=lambda case: case["status"] or "empty")
def test_a_frontend_takes_connections_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_frontend_open(case["status"]) is case["open"]


VECTORS = json.loads((FOLDER / "preflight.json").read_text(encoding="utf-8"))["server_names"]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: str(case["servers"]))
def test_a_server_is_the_node_at_its_address(case: dict[str, Any]) -> None:
    nodes = tuple(Node(name, "backend", host=host) for name, host in VECTORS["nodes"].items())
    target = Target(Endpoint("http://198.18.0.50/"), IdentitySettings(aliases=VECTORS["aliases"]), nodes)
    rows = [StatRow("app", name, "server", "UP", {}, address) for name, address in case["servers"]]
    assert find_aliases(target, rows) == case["aliases"]


STATISTICS = b"Pid: 7\nUptime_sec: 1\n\n# pxname,svname,type,status,req_tot,\nweb,FRONTEND,0,OPEN,5,\n\n"
FEW = 500
"""Blocks of memory, half a one a scrape: what the interpreter learns of code that runs often, and keeps beside it."""


def test_a_thousand_scrapes_leave_nothing(tmp_path: Path) -> None:
    """The interpreter keeps up to 2,000 freed tuples of each length until it has collected everything once."""
    journal = Journal(tmp_path / "journal.lp", {"run": "r"})
    with tcp_server(answers(STATISTICS)) as port:
        own = {"locust": os.getpid(), "prober": os.getpid()}
        scrapers = (
            balancer_scraper(Node("lb1", "balancer", haproxy=TcpSocket("127.0.0.1", port)), "haproxy", 2.0),
            local_scraper("client", own),
            machine_scraper("client", own),
        )

        def blocks_after(scrapes: int) -> int:
            for number in range(scrapes):
                for scraper in filter(None, scrapers):
                    for reading in scraper.scrape(number):
                        journal.write(reading.measurement, reading.tags, reading.fields, number)
            gc.collect()
            return sys.getallocatedblocks()

        before = blocks_after(500)
        assert blocks_after(1000) - before < FEW
    journal.close()


PAGE = (
    "Active connections: 291 \nserver accepts handled requests\n 16630948 16630947 31070465 \n"
    "Reading: 6 Writing: 179 Waiting: 106 \n"
)
STATUS = dict(zip(NGINX_NUMBERS, (291, 16630948, 16630947, 31070465, 6, 179, 106), strict=True))


def test_it_is_read_from_a_page_or_a_command() -> None:
    with tcp_server(answers_page(PAGE.encode())) as port:
        assert read_status(HttpPage(f"http://127.0.0.1:{port}/status")) == STATUS
    assert read_status(Command(("printf", "%s", PAGE))) == STATUS


def test_another_page_is_one_line_with_its_address() -> None:
    page = answers_page(b"<html>welcome</html>")
    with tcp_server(page) as port, pytest.raises(TelemetryError, match=rf"{port}/ answered something"):
        read_status(HttpPage(f"http://127.0.0.1:{port}/"))
