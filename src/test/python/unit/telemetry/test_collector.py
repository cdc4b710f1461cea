"""The collector: every source on schedule, a bad one hurts nobody else, and nothing is left when it stops."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.journals import read_journal
from support.remains import open_descriptors
from support.servers import answers, answers_page, tcp_server, unix_server
from support.waiting import wait_for
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.points import Point
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, TcpSocket, UnixSocket
from switchover.telemetry.collector import Collector, next_due_s
from switchover.telemetry.haproxy import HaproxyReader

FOREVER_S = 30.0
STATS = b"Pid: 7\nStart_time_sec: 9\n\n# pxname,svname,stot,type,status,\nweb,s1,5,2,UP,\nweb,BACKEND,5,1,UP,\n\n"
STATUS = b"Active connections: 1 \nserver accepts handled requests\n 2 3 4 \nReading: 5 Writing: 6 Waiting: 7 \n"
STATUS_FIELDS = {
    "active": 1,
    "accepts": 2,
    "handled": 3,
    "requests": 4,
    "reading": 5,
    "writing": 6,
    "waiting": 7,
}
PROCESSES = Command(("sh", "-c", "cat /proc/loadavg; cat /proc/self/stat"))


@contextmanager
def collecting(tmp_path: Path, *nodes: Node, interval_s: float = 0.05) -> Iterator[tuple[Collector, Journal]]:
    journal = Journal(tmp_path / "journal.lp", {"run": "r"})
    collector = Collector(
        Target(Endpoint("http://198.18.0.50/"), nodes=nodes), journal, Clock.of_process(), interval_s
    )
    collector.start()
    try:
        yield collector, journal
    finally:
        collector.stop()
        journal.close()


def points(journal: Journal, measurement: str, **tags: str) -> list[Point]:
    found = [point for point in read_journal([journal.path]) if point.measurement == measurement]
    return [point for point in found if tags.items() <= point.tags.items()]


def has_all(collector: Collector, journal: Journal, *measurements: str) -> bool:
    """After another scrape; one that takes too long on a busy machine fails, and is made again."""
    collector.scrape_now()
    return all(points(journal, f"switchover_{name}") for name in measurements)


def children() -> set[str]:
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread of another test may just end
            found.update((task / "children").read_text().split())
    return found


def test_points_of_a_scrape_carry_the_time_it_was_sent(tmp_path: Path) -> None:
    with (
        tcp_server(answers(STATS)) as haproxy,
        tcp_server(answers_page(STATUS)) as nginx,
        collecting(
            tmp_path,
            Node("lb1", "balancer", haproxy=TcpSocket("127.0.0.1", haproxy), processes=PROCESSES),
            Node("web1", "backend", nginx=HttpPage(f"http://127.0.0.1:{nginx}/status")),
            interval_s=FOREVER_S,
        ) as (collector, journal),
    ):
        wait_for(lambda: has_all(collector, journal, "haproxy", "haproxy_info", "nginx", "process"))
        server, backend = points(journal, "switchover_haproxy")[:2]
        assert server.time_ns == backend.time_ns
        scrapes = points(journal, "switchover_scrape", node="lb1", source="haproxy")
        (scrape,) = (one for one in scrapes if one.time_ns == server.time_ns)
        assert scrape.fields["ok"] is True and scrape.fields["rows"] == 3
        assert float(scrape.fields["duration_ms"]) > 0
        assert server.tags == {"run": "r", "node": "lb1", "proxy": "web", "server": "s1", "type": "server"}
        assert server.fields == {"stot": 5, "status": "UP", "generation": "7-9"}
        assert points(journal, "switchover_haproxy_info")[0].fields == {"Pid": 7, "Start_time_sec": 9}
        assert points(journal, "switchover_nginx")[0].fields == STATUS_FIELDS
        process = points(journal, "switchover_process", node="lb1")[-1]
        assert process.tags["process"] == "cat" and "load1" in process.fields


def test_sources_that_fail_are_said_once_and_once_when_they_are_back(tmp_path: Path) -> None:
    node = Node("lb1", "balancer", haproxy=UnixSocket(str(tmp_path / "s")))

    def warnings(journal: Journal) -> list[str]:
        return [str(event.fields["text"]) for event in points(journal, "switchover_event", kind="warning")]

    def failed(journal: Journal) -> int:
        scrapes = points(journal, "switchover_scrape", source="haproxy")
        return sum(scrape.fields["ok"] is False for scrape in scrapes)

    with collecting(tmp_path, node) as (_, journal):
        wait_for(lambda: failed(journal) >= 3)
        with unix_server(tmp_path / "s", answers(STATS)):
            wait_for(lambda: len(warnings(journal)) == 2)
        wait_for(lambda: len(warnings(journal)) == 3)
    first, second, third = warnings(journal)
    assert "lb1: cannot read haproxy" in first and "No such file" in first
    assert second == "lb1: haproxy can be read again"
    assert "cannot read" in third


def test_silent_source_holds_up_no_other_and_never_overlaps_itself(tmp_path: Path) -> None:
    scraped: list[socket.socket] = []
    overlaps: list[bool] = []
    is_other_scraped = threading.Event()

    def silent(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        overlaps.append(any(map(is_open, scraped)))
        scraped.append(connection)
        is_other_scraped.wait(FOREVER_S)
        over.wait(0.3)

    def is_open(connection: socket.socket) -> bool:
        """To the collector, which has closed the one before when it begins the next."""
        try:
            return connection.recv(1, socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    with (
        tcp_server(silent) as bad,
        tcp_server(answers(STATS)) as good,
        collecting(
            tmp_path,
            Node("lb1", "balancer", haproxy=TcpSocket("127.0.0.1", bad)),
            Node("lb2", "balancer", haproxy=TcpSocket("127.0.0.1", good)),
        ) as (_, journal),
    ):
        wait_for(lambda: bool(scraped))
        before = len(points(journal, "switchover_scrape", node="lb2"))
        wait_for(lambda: len(points(journal, "switchover_scrape", node="lb2")) > before + 3)
        is_other_scraped.set()
        wait_for(lambda: len(points(journal, "switchover_scrape", node="lb1")) >= 3)
    assert len(overlaps) >= 3 and not any(overlaps)


def test_scrape_now_returns_after_a_scrape_that_began_later(tmp_path: Path) -> None:
    clock = Clock.of_process()
    with (
        tcp_server(answers(STATS)) as port,
        collecting(tmp_path, Node("lb1", "balancer", haproxy=TcpSocket("127.0.0.1", port)), interval_s=FOREVER_S) as (
            collector,
            journal,
        ),
    ):
        for _ in range(3):
            asked_ns = clock.now_ns()
            collector.scrape_now()
            assert points(journal, "switchover_scrape")[-1].time_ns >= asked_ns


def test_the_machine_is_a_source_of_its_own(tmp_path: Path) -> None:
    with collecting(tmp_path) as (collector, journal):
        collector.watch("prober", os.getpid())
        wait_for(lambda: any("waited_ms" in point.fields for point in points(journal, "switchover_machine")))
        whole = points(journal, "switchover_machine", processor="all")[-1]
    assert whole.tags["node"] == "client"
    assert {"stolen_ms", "softirq_ms", "running", "waited_ms"} == whole.fields.keys()
    assert points(journal, "switchover_machine", processor="0")


def test_nothing_is_left_when_it_stops(tmp_path: Path) -> None:
    threads, processes, descriptors = set(threading.enumerate()), children(), open_descriptors()
    os.mkfifo(tmp_path / "fifo")
    node = Node(
        "lb1",
        "balancer",
        haproxy=Command(("sleep", "1000")),
        processes=Command(("sh", "-c", "sleep 1000 & wait")),
        vip_owner=(Fifo(str(tmp_path / "fifo")), Command(("tail", "-f", "/dev/null"))),
        shared_clock=True,
    )
    with collecting(tmp_path, node) as (collector, _):
        wait_for(lambda: len(children() - processes) >= 4)
        collector.stop()
        wait_for(lambda: set(threading.enumerate()) <= threads)
        wait_for(lambda: children() <= processes)
    assert open_descriptors() <= descriptors


def test_holders_are_those_of_the_sources(tmp_path: Path) -> None:
    (tmp_path / "ip").write_text(
        "#!/bin/sh\necho '2: eth0    inet 198.18.0.50/24 scope global eth0'\nexec sleep 1000\n"
    )
    (tmp_path / "ip").chmod(0o755)
    node = Node("lb1", "balancer", vip_owner=(Command((str(tmp_path / "ip"), "-ts", "monitor", "all")),))
    with collecting(tmp_path, node) as (collector, _):
        wait_for(lambda: collector.ownership.holders() == {"lb1"})


@given(st.floats(min_value=0.01, max_value=100), st.floats(min_value=0, max_value=1e6))
def test_next_time_is_always_ahead_and_never_more_than_a_period(period: float, elapsed: float) -> None:
    due = next_due_s(0.0, period, elapsed)
    assert elapsed - 1e-6 <= due <= elapsed + period + 1e-6


def test_finished_scrapes_leave_no_thread(tmp_path: Path) -> None:
    node = Node("lb1", "balancer", haproxy=UnixSocket("/nowhere"))
    with collecting(tmp_path, node, interval_s=FOREVER_S) as (collector, _):
        before = len(collector._threads)
        for _ in range(5):
            collector.scrape_now()
        assert len(collector._threads) == before


def test_a_defect_of_a_reader_is_said_and_does_not_end_its_scrapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(HaproxyReader, "read", broken)
    node = Node("lb1", "balancer", haproxy=UnixSocket("/nowhere"))
    with collecting(tmp_path, node) as (_, journal):
        wait_for(lambda: len(points(journal, "switchover_scrape", node="lb1")) >= 3)
        (warning,) = points(journal, "switchover_event", kind="warning")
        assert "defect: IndexError: list index out of range" in str(warning.fields["text"])


@pytest.mark.parametrize("kind", ["fifo", "monitor"])
def test_a_defect_of_a_source_makes_ownership_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def broken(*_: object) -> None:
        raise IndexError("list index out of range")

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    source = Fifo(str(fifo)) if kind == "fifo" else Command(("sh", "-c", "sleep 0.2; echo x; exec sleep 1000"))
    node = Node("lb1", "balancer", vip_owner=(source,))
    monkeypatch.setattr("switchover.telemetry.ownership.parse_notification", broken)
    monkeypatch.setattr("switchover.telemetry.ownership.parse_address_line", broken)
    with collecting(tmp_path, node) as (collector, journal):
        if kind == "fifo":
            wait_for(lambda: len(points(journal, "switchover_vrrp")) >= 1)
            with fifo.open("w") as writer:
                writer.write('INSTANCE "VI_1" MASTER 101\n')
        wait_for(lambda: len(points(journal, "switchover_event", kind="warning")) >= 1)
        wait_for(lambda: points(journal, "switchover_vrrp")[-1].fields == {"state": ""})
        assert collector.ownership.known() == {"lb1": None}
    texts = [str(event.fields["text"]) for event in points(journal, "switchover_event", kind="warning")]
    assert any("defect: IndexError" in text for text in texts)
