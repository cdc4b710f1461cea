"""Ownership, the master and the collector against a real pair: Keepalived's FIFO, `ip monitor`, neighbour entries."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.journals import read_journal
from support.waiting import wait_for
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.points import Point
from switchover.target.reader import load_target
from switchover.telemetry.collector import Collector

FOREVER_S = 60.0
SETTLE_S = 1.0

MASTERS = """
import json, sys
from pathlib import Path
from switchover.target.reader import load_target
from switchover.telemetry import master
target = load_target(Path(sys.argv[1]))
print(json.dumps({
    "found": master.find_master(target).name,
    "header": master._by_header(target, 2.0)[0],
    "neighbour": master._by_neighbour(target, 2.0)[0],
    "source": master._holding(target, 2.0),
    "counters": master._by_counters(target, 2.0)[0],
}))
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(LabSpec()) as lab:
        yield lab


@contextmanager
def collecting(lab: Lab, path: Path) -> Iterator[tuple[Collector, Callable[[], list[Point]]]]:
    journal = Journal(path, {"run": "r"})
    collector = Collector(load_target(lab.target_file), journal, Clock.of_process())
    collector.start()
    try:
        collector.scrape_now()
        yield collector, lambda: list(read_journal([path]))
    finally:
        collector.stop()
        journal.close()


def vrrp_of(points: list[Point], node: str) -> list[Point]:
    return [point for point in points if point.measurement == "switchover_vrrp" and point.tags["node"] == node]


def test_all_ways_to_find_the_master_agree(lab: Lab) -> None:
    script = [sys.executable, "-c", MASTERS, str(lab.target_file)]
    said = subprocess.run(lab.exec_argv("client", script), capture_output=True, check=True, timeout=FOREVER_S)
    assert json.loads(said.stdout) == {
        "found": "lb1",
        "header": "lb1",
        "neighbour": "lb1",
        "source": {"lb1": True, "lb2": False},
        "counters": "lb1",
    }


def owned(points: list[Point], node: str) -> bool:
    """Whether the last word on the address is that the node has it; a state alone is no word on that."""
    said = [point.fields["holds_vip"] for point in vrrp_of(points, node) if "holds_vip" in point.fields]
    return said[-1:] == [True]


def test_split_brain_is_seen_on_both_nodes_and_ends_with_the_heal(lab: Lab, tmp_path: Path) -> None:
    with collecting(lab, tmp_path / "journal.lp") as (collector, points):
        assert collector.ownership.holders() == {"lb1"}
        assert {point.fields.get("holds_vip") for point in vrrp_of(points(), "lb2")} <= {None, False}
        lab.service("lb1", "keepalived", "kill")
        wait_for(lambda: collector.ownership.holders() == {"lb1", "lb2"})
        lab.service("lb1", "keepalived", "start")
        wait_for(lambda: collector.ownership.holders() == {"lb1"} and owned(points(), "lb1"))
        wait_for(lambda: any(point.fields["state"] == "MASTER" for point in vrrp_of(points(), "lb1")[1:]))
        texts = [str(point.fields["text"]) for point in points() if point.tags.get("kind") == "vrrp"]
    assert any("lb1: Keepalived ended without a report" in text for text in texts)
    came = next(point for point in vrrp_of(points(), "lb2") if point.fields.get("holds_vip") is True)
    said = next(point for point in vrrp_of(points(), "lb2") if point.fields["state"] == "MASTER")
    # Two sources of one transition: apart by milliseconds here, by much less than an advert in any case.
    assert abs(came.time_ns - said.time_ns) < SETTLE_S * 1e9


def test_orderly_stop_moves_the_address_without_two_holders(lab: Lab, tmp_path: Path) -> None:
    with collecting(lab, tmp_path / "journal.lp") as (collector, points):
        lab.service("lb1", "keepalived", "stop")
        wait_for(lambda: collector.ownership.holders() == {"lb2"})
        lab.service("lb1", "keepalived", "start")
        wait_for(lambda: collector.ownership.holders() == {"lb1"})
        states = [point.fields["state"] for point in vrrp_of(points(), "lb1") if point.fields["state"]]
        went = next(p for p in vrrp_of(points(), "lb1")[1:] if p.fields.get("holds_vip") is False)
        came = next(p for p in vrrp_of(points(), "lb2")[1:] if p.fields.get("holds_vip") is True)
    assert "STOP" in states
    assert went.time_ns < came.time_ns


def test_every_source_of_the_lab_gives_figures(lab: Lab, tmp_path: Path) -> None:
    with collecting(lab, tmp_path / "journal.lp") as (collector, points):
        collector.scrape_now()
        found = points()
    scrapes = [point for point in found if point.measurement == "switchover_scrape"]
    assert all(scrape.fields["ok"] for scrape in scrapes)
    assert {(scrape.tags["node"], scrape.tags["source"]) for scrape in scrapes} >= {
        ("lb1", "haproxy"),
        ("lb2", "haproxy"),
        ("lb1", "processes"),
        ("web1", "processes"),
    }
    processes = {(p.tags["node"], p.tags["process"]) for p in found if p.measurement == "switchover_process"}
    assert processes >= {("lb1", "haproxy"), ("lb1", "keepalived"), ("web1", "nginx")}
