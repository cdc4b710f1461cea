"""Who is the master: by header, neighbour entry, ownership source, counters; and nobody where they contradict."""

import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.servers import Behaviour, answers, stays_silent, tcp_server
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import TcpSocket
from switchover.telemetry import master as neighbour
from switchover.telemetry.master import REQUESTS, Master, find_master, node_of_neighbour, parse_arp, parse_neighbours

PATIENCE_S = 30.0
ARP = """\
IP address       HW type     Flags       HW address            Mask     Device
127.0.0.50       0x1         0x2         AA:bb:cc:00:00:01     *        eth0
127.0.0.11       0x1         0x2         aa:bb:cc:00:00:01     *        eth0
127.0.0.12       0x1         0x2         aa:bb:cc:00:00:02     *        eth0
127.0.0.13       0x1         0x0         00:00:00:00:00:00     *        eth0
"""
SHOWN = """\
fe80::1 dev eth0 lladdr AA:bb:cc:00:00:01 router REACHABLE
2001:db8::2 dev eth0 lladdr aa:bb:cc:00:00:02 STALE
2001:db8::3 dev eth0 FAILED
2001:db8::4 dev eth0 lladdr
"""


def test_complete_entries_of_the_table() -> None:
    assert parse_arp(ARP) == {
        "127.0.0.50": "aa:bb:cc:00:00:01",
        "127.0.0.11": "aa:bb:cc:00:00:01",
        "127.0.0.12": "aa:bb:cc:00:00:02",
    }
    assert parse_neighbours(SHOWN) == {"fe80::1": "aa:bb:cc:00:00:01", "2001:db8::2": "aa:bb:cc:00:00:02"}


@given(st.text(max_size=200))
def test_no_garbage_raises(text: str) -> None:
    parse_arp(text)
    parse_neighbours(text)


@pytest.fixture
def arp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    table = tmp_path / "arp"
    table.write_text(ARP)
    monkeypatch.setattr(neighbour, "ARP_TABLE", table)
    return table


def test_node_with_the_same_hardware_address_has_the_address(arp: Path) -> None:
    found = node_of_neighbour("127.0.0.50", {"lb1": "127.0.0.11", "lb2": "127.0.0.12"}, 9, PATIENCE_S)
    assert found == ("lb1", "127.0.0.50 is at aa:bb:cc:00:00:01, as lb1 is")


def test_hardware_address_of_no_node_is_nobody(arp: Path) -> None:
    name, reason = node_of_neighbour("127.0.0.50", {"lb2": "127.0.0.12"}, 9, PATIENCE_S)
    assert name is None and "no node's own" in reason


def test_hardware_address_of_two_nodes_is_nobody(arp: Path) -> None:
    name, reason = node_of_neighbour("127.0.0.50", {"lb1": "127.0.0.11", "lb2": "127.0.0.50"}, 9, PATIENCE_S)
    assert name is None and "share" in reason


def test_address_without_an_entry_is_not_on_this_network(arp: Path) -> None:
    name, reason = node_of_neighbour("127.0.0.13", {"lb1": "127.0.0.11"}, 9, 0.05)
    assert name is None and "not on this network" in reason


def ask(target: Target, **options: Any) -> Master:
    return find_master(target, **({"timeout_s": PATIENCE_S} | options))


def page(*headers: str) -> Behaviour:
    lines = "".join(f"{header}\r\n" for header in headers)
    return answers(f"HTTP/1.1 200 OK\r\n{lines}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())


def target(port: int, *nodes: Node) -> Target:
    balancers = nodes or (Node("lb1", "balancer"), Node("lb2", "balancer"))
    return Target(Endpoint(f"http://127.0.0.1:{port}/"), nodes=balancers)


def test_header_names_the_master() -> None:
    with tcp_server(page("x-balancer: lb2", "X-Backend: web1")) as port:
        master = ask(target(port))
    assert (master.name, master.source, master.reason) == ("lb2", "header", "X-Balancer: lb2")


def test_two_holders_are_no_master_whatever_the_header_says() -> None:
    with tcp_server(page("X-Balancer: lb1")) as port:
        master = ask(target(port), owners={"lb1": True, "lb2": True})
    assert (master.name, master.source) == (None, "source")
    assert "lb1 and lb2 hold 127.0.0.1 at the same time" in master.reason


def test_header_that_the_source_contradicts_is_no_master() -> None:
    with tcp_server(page("X-Balancer: lb1")) as port:
        master = ask(target(port), owners={"lb1": False, "lb2": True})
    assert master.name is None
    assert master.reason == "the header says lb1, but the ownership source says lb2"


def test_source_that_does_not_know_contradicts_nobody() -> None:
    with tcp_server(page("X-Balancer: lb1")) as port:
        assert ask(target(port), owners={"lb1": None, "lb2": False}).name == "lb1"


def test_neighbour_entry_is_asked_where_there_is_no_header(arp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arp.write_text(ARP.replace("127.0.0.50 ", "127.0.0.1  "))
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


def test_counters_that_advance_with_the_requests_name_the_master() -> None:
    # The last request may be counted by the server here a moment after it was answered.
    name, reason = find_by_counters(2, 0)
    assert name == "lb1" and f"when {REQUESTS} were sent" in reason


def test_counters_that_advance_on_both_name_nobody() -> None:
    name, reason = find_by_counters(2, 2)
    assert name is None and "lb1 and lb2" in reason


def test_counters_that_stand_still_name_nobody() -> None:
    name, reason = find_by_counters(0, 0)
    assert name is None and "no node's counters advance" in reason


def test_silent_site_names_nobody_and_says_everything_that_was_tried() -> None:
    with tcp_server(stays_silent) as port:
        master = ask(target(port), timeout_s=0.1)
    assert (master.name, master.source) == (None, "")
    assert "gave no answer" in master.reason and "0 of 20 requests" in master.reason


def test_target_without_balancers_has_no_master() -> None:
    assert ask(Target(Endpoint("http://127.0.0.1:1/"))).name is None
