"""Who is the master: by header, neighbour entry, ownership source, counters; and nobody where they contradict."""

import socket
import threading
from typing import Any

import pytest

from support.servers import Behaviour, answers, stays_silent, tcp_server
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import TcpSocket
from switchover.telemetry import master as neighbour
from switchover.telemetry.master import REQUESTS, Master, find_master, node_of_neighbour

PATIENCE_S = 30.0
SHOWN = """\
127.0.0.50 dev eth0 lladdr AA:bb:cc:00:00:01 REACHABLE
127.0.0.11 dev eth0 lladdr aa:bb:cc:00:00:01 router STALE
127.0.0.12 dev eth0 lladdr aa:bb:cc:00:00:02 DELAY
127.0.0.13 dev eth0 FAILED
127.0.0.14 dev eth0 lladdr
2001:db8::2 dev eth0 lladdr aa:bb:cc:00:00:02 STALE
"""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `ip neighbour` prints."""
    listing = [SHOWN]
    monkeypatch.setattr(neighbour, "show_neighbours", lambda _: listing[-1])
    return listing


@pytest.mark.parametrize(
    ("address", "hosts", "name", "reason"),
    [
        (
            "127.0.0.50",
            ("127.0.0.11", "127.0.0.12"),
            "lb1",
            "127.0.0.50 has the hardware address aa:bb:cc:00:00:01 of lb1",
        ),
        ("2001:db8::2", ("127.0.0.11", "127.0.0.12"), "lb2", "of lb2"),
        ("127.0.0.50", ("127.0.0.12",), None, "which no node has"),
        ("127.0.0.50", ("127.0.0.11", "127.0.0.50"), None, "share"),
        ("127.0.0.13", ("127.0.0.11",), None, "not on this network"),
        ("127.0.0.14", ("127.0.0.11",), None, "not on this network"),
    ],
)
def test_the_node_with_the_same_hardware_address_has_the_address(
    shown: list[str], address: str, hosts: tuple[str, ...], name: str | None, reason: str
) -> None:
    named = {f"lb{number}": host for number, host in enumerate(hosts, 1)}
    found, why = node_of_neighbour(address, named, 9, 0.05)
    assert found == name and reason in why


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbour, "SCRAPE_S", PATIENCE_S)


def ask(target: Target, **options: Any) -> Master:
    return find_master(target, **options)


def page(*headers: str) -> Behaviour:
    lines = "".join(f"{header}\r\n" for header in headers)
    return answers(f"HTTP/1.1 200 OK\r\n{lines}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())


def target(port: int, *nodes: Node) -> Target:
    balancers = nodes or (Node("lb1", "balancer"), Node("lb2", "balancer"))
    return Target(Endpoint(f"http://127.0.0.1:{port}/"), nodes=balancers)


def test_two_holders_are_no_master_whatever_the_header_says() -> None:
    with tcp_server(page("X-Balancer: lb1")) as port:
        master = ask(target(port), owners={"lb1": True, "lb2": True})
    assert (master.name, master.source) == (None, "source")
    assert "lb1 and lb2 hold 127.0.0.1 at the same time" in master.reason


def test_header_that_the_source_contradicts_is_no_master() -> None:
    with tcp_server(page("X-Balancer: lb1")) as port:
        master = ask(target(port), owners={"lb1": False, "lb2": True})
    assert master.name is None
    assert master.reason == "the header names lb1, but the ownership source names lb2"


def test_neighbour_entry_is_asked_where_there_is_no_header(shown: list[str]) -> None:
    shown.append(SHOWN.replace("127.0.0.50", "127.0.0.1"))
    nodes = Node("lb1", "balancer", host="127.0.0.11"), Node("lb2", "balancer", host="127.0.0.12")
    with tcp_server(page()) as port:
        master = ask(target(port, *nodes))
    assert (master.name, master.source) == ("lb1", "neighbour")


def test_source_is_asked_where_there_is_neither() -> None:
    with tcp_server(page("X-Balancer: somebody")) as port:
        master = ask(target(port), owners={"lb1": False, "lb2": True})
    assert (master.name, master.source) == ("lb2", "source")


def counting(counts: list[int], requests: list[int]) -> Behaviour:
    """A HAProxy whose frontend has counted `counts[0]` and a share of what the page was asked since."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        total = counts[0] + requests[0] * counts[1]
        table = f"# pxname,svname,stot,type,\nweb,FRONTEND,{total},0,\n"
        connection.sendall(f"Pid: 1\nStart_time_sec: 1\n\n{table}\n".encode())

    return behave


def find_by_counters(first: int, second: int) -> tuple[str | None, str]:
    """The master where a request adds so much to the two nodes' counters."""
    requests = [0]

    def site(connection: socket.socket, over: threading.Event) -> None:
        page()(connection, over)
        requests[0] += 1

    with (
        tcp_server(counting([100, first], requests)) as one,
        tcp_server(counting([900, second], requests)) as two,
        tcp_server(site) as port,
    ):
        master = ask(
            target(
                port,
                Node("lb1", "balancer", haproxy=TcpSocket("127.0.0.1", one)),
                Node("lb2", "balancer", haproxy=TcpSocket("127.0.0.1", two)),
            )
        )
    return master.name, master.reason


@pytest.mark.parametrize(
    ("first", "second", "name", "reason"),
    [
        (2, 0, "lb1", f"when {REQUESTS} were sent"),
        (2, 2, None, "lb1 and lb2"),
        (0, 0, None, "no node's counters advance"),
    ],
)
def test_counters_that_advance_with_the_requests_name_the_master(
    first: int, second: int, name: str | None, reason: str
) -> None:
    """Twice as fast, because the last request may be counted a moment after it was answered."""
    found, why = find_by_counters(first, second)
    assert found == name and reason in why


def test_silent_site_names_nobody_and_says_everything_that_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with tcp_server(stays_silent) as port:
        monkeypatch.setattr(neighbour, "SCRAPE_S", 0.1)
        master = ask(target(port))
    assert (master.name, master.source) == (None, "")
    assert "gave no answer" in master.reason and "0 of 20 requests" in master.reason


def test_target_without_balancers_has_no_master() -> None:
    assert ask(Target(Endpoint("http://127.0.0.1:1/"))).name is None
