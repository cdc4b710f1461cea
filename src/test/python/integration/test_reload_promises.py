"""What a configuration promises of a reload, held against the real HAProxy and Nginx under every kind of load.

Some of the cases; `python -m proof.reload_promises` tries all of them.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.connections import read_rows
from support.ports import is_open
from support.reload_cases import HAPROXY_CASES, NGINX_1_27_CASES, NGINX_CASES, disagreements, run_case
from support.reloaded import Balancer
from support.waiting import wait_for
from switchover.connections.spec import HeldLoad, HeldSpec, KeptOpen
from switchover.lab.capability import program_versions
from switchover.model.held_kind import HeldKind
from switchover.predict.promise import Fate
from switchover.process.json_child import package_environment
from switchover.target.model import Endpoint

pytestmark = pytest.mark.beside

OF_HAPROXY = (
    "defaults",
    "idle-close-on-response in the defaults",
    "hard-stop-after",
    "a second program with -sf, noreuseport",
)
OF_NGINX = (
    "defaults",
    "worker_shutdown_timeout in an included file",
    "keepalive_timeout 0 outside, kept in the location",
    "keepalive_requests 1",
)


@pytest.mark.parametrize("name", OF_HAPROXY)
def test_haproxy_does_what_its_configuration_promises(name: str) -> None:
    assert disagreements("haproxy", HAPROXY_CASES[name]) == []


@pytest.mark.parametrize("name", OF_NGINX)
def test_nginx_does_what_its_configuration_promises(name: str) -> None:
    assert disagreements("nginx", NGINX_CASES[name]) == []


@pytest.mark.parametrize("name", NGINX_1_27_CASES)
def test_nginx_closes_idle_connections_later_as_its_configuration_promises(name: str) -> None:
    version = program_versions({"nginx": "nginx"})["nginx"]
    if tuple(map(int, version.split("."))) < (1, 27, 4):
        pytest.skip(f"this is Nginx {version}, without keepalive_min_timeout")
    assert disagreements("nginx", NGINX_1_27_CASES[name]) == []


@contextmanager
def application(running: Balancer) -> Iterator[None]:
    """What answers held connections, behind the balancer."""
    ports = (running.ports["back"], running.ports["tcp_back"])
    command = [sys.executable, "-P", "-m", "switchover.lab.on_host.held_app", *map(str, ports)]
    with subprocess.Popen(command, env=os.environ | package_environment()) as process:
        try:
            wait_for(lambda: all(map(is_open, (*ports, running.ports["front"]))))
            yield
        finally:
            process.terminate()


def held_spec(running: Balancer, log: Path) -> HeldSpec:
    ports = running.ports
    site = f"http://127.0.0.1:{ports['front']}/connections"
    paths = {
        HeldKind.POOLED: f"{site}/post",
        HeldKind.IDLE: f"{site}/post",
        HeldKind.DOWNLOAD: f"{site}/download?s=5",
        HeldKind.UPLOAD: f"{site}/upload",
        HeldKind.SSE: f"{site}/sse",
        HeldKind.WEBSOCKET: f"{site}/websocket",
        HeldKind.TCP: f"tcp://127.0.0.1:{ports['tcp_front']}",
        HeldKind.H2: f"http://127.0.0.1:{ports['h2_front']}/connections/post",
    }
    loads = tuple(KeptOpen(kind, 4, url) for kind, url in paths.items())
    return HeldSpec(Endpoint(f"{site}/post"), log, loads, body_s=5.0)


@pytest.mark.parametrize(
    ("balancer", "name"),
    [
        ("haproxy", "defaults"),
        ("haproxy", "idle-close-on-response in the defaults"),
        ("haproxy", "hard-stop-after"),
        ("nginx", "defaults"),
        ("nginx", "worker_shutdown_timeout"),
    ],
)
def test_the_held_load_fares_as_promised(balancer: str, name: str, tmp_path: Path) -> None:
    """Nothing that is promised to be kept is lost, and what is to be cut is cut."""
    log = tmp_path / "connections.jtl"
    case = (HAPROXY_CASES if balancer == "haproxy" else NGINX_CASES)[name]
    with (
        run_case(balancer, case) as (running, promises),
        application(running),
        HeldLoad(held_spec(running, log)) as load,
    ):
        cut = {kind for kind, promise in promises.items() if promise.fate is Fate.CUT}
        wait_for(lambda: of_streams(log, lambda row: True) >= {"pooled", "sse", "websocket", "tcp", "h2"})
        load.begin_change(1)
        running.reload()
        wait_for(lambda: of_streams(log, lambda row: row["change"] == "1") == set(HeldKind))
        wait_for(lambda: of_streams(log, is_lost) >= cut)
        load.stop()
    lost = of_streams(log, is_lost)
    assert lost <= {kind for kind, promise in promises.items() if promise.fate is not Fate.KEPT}


def of_streams(log: Path, chosen: Callable[[dict[str, str]], bool]) -> set[str]:
    return {row["stream"] for row in read_rows(log) if chosen(row)}


def is_lost(row: dict[str, str]) -> bool:
    return row["error"] not in ("", "generator")
