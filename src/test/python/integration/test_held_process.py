"""The held connections's own process against the lab's application on loopback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.connections import read_rows
from support.ports import free_ports, is_open
from support.waiting import wait_for
from switchover.connections.spec import HeldLoad, HeldSpec, KeptOpen
from switchover.model.errors import SwitchoverError
from switchover.model.held_kind import HeldKind
from switchover.process.json_child import package_environment
from switchover.target.model import Endpoint


@pytest.fixture
def ports() -> Iterator[list[int]]:
    """Of the application: HTTP and lines."""
    found = free_ports(2)
    command = [sys.executable, "-P", "-m", "switchover.lab.on_host.held_app", *map(str, found)]
    with subprocess.Popen(command, env=os.environ | package_environment()) as process:
        wait_for(lambda: all(map(is_open, found)))
        yield found
        process.terminate()


def spec(ports: list[int], log: Path) -> HeldSpec:
    url = f"http://127.0.0.1:{ports[0]}/connections/"
    loads = (
        KeptOpen(HeldKind.POOLED, 2, f"{url}post"),
        KeptOpen(HeldKind.DOWNLOAD, 1, f"{url}download?s=0.5"),
        KeptOpen(HeldKind.UPLOAD, 1, f"{url}upload"),
        KeptOpen(HeldKind.SSE, 1, f"{url}sse"),
        KeptOpen(HeldKind.WEBSOCKET, 1, f"{url}websocket"),
        KeptOpen(HeldKind.TCP, 1, f"tcp://127.0.0.1:{ports[1]}"),
    )
    return HeldSpec(Endpoint(f"http://127.0.0.1:{ports[0]}/"), log, loads, body_s=0.5)


def test_all_kinds_are_kept_open_until_the_load_is_stopped(ports: list[int], tmp_path: Path) -> None:
    log = tmp_path / "connections.jtl"
    with HeldLoad(spec(ports, log)) as load:
        load.begin_change(1)
        wait_for(lambda: {row["stream"] for row in read_rows(log) if row["change"] == "1"} >= {"upload", "download"})
        load.settle_change(1)
        written = len(read_rows(log))
        wait_for(lambda: any(not row["change"] for row in read_rows(log)[written:]))
        account = load.stop()
    rows = read_rows(log)
    assert {row["stream"] for row in rows} == {"pooled", "download", "upload", "sse", "websocket", "tcp"}
    assert {row["error"] for row in rows} <= {"", "generator"}
    assert account["requests"] == len(rows) and account["failed"] == {} and account["lost"] == 0


def test_an_application_that_stops_in_order_costs_its_streams_nothing(ports: list[int], tmp_path: Path) -> None:
    log = tmp_path / "connections.jtl"
    chosen = spec(ports, log)
    streams = tuple(load for load in chosen.loads if load.kind in (HeldKind.SSE, HeldKind.WEBSOCKET))
    with HeldLoad(HeldSpec(chosen.endpoint, log, streams)) as load:
        wait_for(lambda: len({row["stream"] for row in read_rows(log) if row["position"] == "2"}) == 2)
        (application,) = [pid for pid in _children() if "held_app" in _command(pid)]
        os.kill(application, 15)
        wait_for(
            lambda: {row["stream"] for row in read_rows(log) if row["ended_by"] == "close"} == {"sse", "websocket"}
        )
        load.stop()


def test_a_name_that_leads_nowhere_is_one_line(tmp_path: Path) -> None:
    loads = (KeptOpen(HeldKind.POOLED, 1, "http://no-such-host.invalid/"),)
    with pytest.raises(SwitchoverError, match="cannot resolve"):
        HeldLoad(HeldSpec(Endpoint("http://127.0.0.1/"), tmp_path / "connections.jtl", loads))


def _children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()
