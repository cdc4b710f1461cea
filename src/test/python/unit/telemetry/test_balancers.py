"""Is it alive, since when, what is up: a balancer that is asked now says what its scrapes show of it later."""

from pathlib import Path

import pytest

from switchover.evidence.node_life import node_lives
from switchover.model.clock import Clock
from switchover.rundir.measurements import HAPROXY, PROXY
from switchover.rundir.points import Point
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command
from switchover.telemetry.balancers import BALANCERS, BalancerKind, kind_of, look_at
from switchover.telemetry.scrapers import scrapers_of

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
