"""Configurations of HAProxy and Nginx whose promise is tried on the real program."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.reload_clients import Fates
from support.reloaded import Balancer, describe, disagreement, haproxy, nginx, try_reload
from switchover.lab.capability import STREAM_MODULE, ask_version
from switchover.predict import haproxy_promise, nginx_promise
from switchover.predict.promise import Promise, ReloadPromise

HAPROXY = """
global
    stats socket {directory}/s mode 600 level admin <EXPOSE>
    <GLOBAL>
defaults base
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 30s
    <DEFAULTS>
frontend web <FROM>
    bind 127.0.0.1:{front}
    bind 127.0.0.1:{h2_front} <H2>
    <FRONTEND>
    default_backend app
backend app
    <BACKEND>
    server a 127.0.0.1:{back}
listen plain
    mode tcp
    bind 127.0.0.1:{tcp_front}
    server a 127.0.0.1:{tcp_back}
"""
NGINX = """
pid {directory}/nginx.pid;
error_log {directory}/error.log;
<STREAM>
<MAIN>
events { }
http {
    access_log off;
    client_body_temp_path {directory}/b;
    proxy_temp_path {directory}/p;
    fastcgi_temp_path {directory}/f;
    uwsgi_temp_path {directory}/u;
    scgi_temp_path {directory}/s;
    <HTTP>
    server {
        listen 127.0.0.1:{front} <LISTEN>;
        listen 127.0.0.1:{h2_front} http2;
        server_name web;
        <SERVER>
        location / {
            proxy_pass http://127.0.0.1:{back};
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
            proxy_request_buffering off;
            proxy_buffering off;
            <LOCATION>
        }
    }
}
stream {
    server {
        listen 127.0.0.1:{tcp_front};
        proxy_pass 127.0.0.1:{tcp_back};
    }
}
"""


@dataclass(frozen=True)
class Case:
    """What is filled into the template, how the program is started, and which kinds are left to chance."""

    fills: dict[str, str] = field(default_factory=dict)
    start: str = "-W"
    not_tried: frozenset[str] = frozenset()
    """Kinds that this case cannot show: the promise is of chance, or the application behind does not speak them."""


TCP = {"FRONTEND": "mode tcp", "BACKEND": "mode tcp", "H2": ""}
TELL = "option idle-close-on-response"

HAPROXY_CASES: dict[str, Case] = {
    "defaults": Case(),
    "idle-close-on-response in the defaults": Case({"DEFAULTS": TELL}),
    "idle-close-on-response in the frontend": Case({"FRONTEND": TELL}),
    "idle-close-on-response switched off again": Case({"DEFAULTS": TELL, "FRONTEND": f"no {TELL}"}),
    "named defaults": Case({"DEFAULTS": f"{TELL}\ndefaults other\n    mode http", "FROM": "from base"}),
    "hard-stop-after": Case({"GLOBAL": "hard-stop-after 1s"}),
    "hard-stop-after without a unit": Case({"GLOBAL": "hard-stop-after '1000'   # milliseconds"}),
    "hard-stop-after twice": Case({"GLOBAL": "hard-stop-after 30s\n    hard-stop-after 1s"}),
    "hard-stop-after of a variable": Case({"GLOBAL": 'setenv STOP 1s\n    hard-stop-after "${STOP}"'}),
    "hard-stop-after that does not count": Case({"GLOBAL": ".if 0\n    hard-stop-after 1s\n.endif"}),
    "hard-stop-after and idle-close-on-response": Case({"GLOBAL": "hard-stop-after 1s", "DEFAULTS": TELL}),
    "a long hard-stop-after and idle-close-on-response": Case({"GLOBAL": "hard-stop-after 1m", "DEFAULTS": TELL}),
    "httpclose": Case({"DEFAULTS": "option httpclose"}),
    "httpclose in the frontend, hard-stop-after": Case(
        {"FRONTEND": "option httpclose", "GLOBAL": "hard-stop-after 1s"}
    ),
    "mode tcp": Case(TCP, not_tried=frozenset({"h2"})),
    "mode tcp and hard-stop-after": Case(TCP | {"GLOBAL": "hard-stop-after 1s"}, not_tried=frozenset({"h2"})),
    "master-worker in the file": Case({"GLOBAL": "master-worker"}, start=""),
    "a second program with -sf and -x": Case({"EXPOSE": "expose-fd listeners"}, start="-db -x"),
    "a second program with -sf": Case(start="-db", not_tried=frozenset({"fresh"})),
    "a second program with -sf, noreuseport": Case({"GLOBAL": "noreuseport"}, start="-db"),
}

NGINX_CASES: dict[str, Case] = {
    "defaults": Case(),
    "worker_shutdown_timeout": Case({"MAIN": "worker_shutdown_timeout 1s;"}),
    "worker_shutdown_timeout without a unit": Case({"MAIN": 'worker_shutdown_timeout "1";  # seconds'}),
    "worker_shutdown_timeout in milliseconds": Case({"MAIN": "worker_shutdown_timeout 900ms;"}),
    "worker_shutdown_timeout 0": Case({"MAIN": "worker_shutdown_timeout 0;"}),
    "worker_shutdown_timeout of a minute": Case({"MAIN": "worker_shutdown_timeout 1m30s;"}),
    "worker_shutdown_timeout in an included file": Case({"MAIN": "include main.d/*.conf;"}),
    "keepalive_timeout 0": Case({"HTTP": "keepalive_timeout 0;"}),
    "keepalive_timeout 0 in the server": Case({"SERVER": "keepalive_timeout 0;"}),
    "keepalive_timeout 0 in the location": Case({"LOCATION": "keepalive_timeout 0;"}),
    "keepalive_timeout 0 outside, kept in the location": Case(
        {"HTTP": "keepalive_timeout 0;", "LOCATION": "keepalive_timeout 1m;"}
    ),
    "keepalive_timeout with a header": Case({"HTTP": "keepalive_timeout 65 60;"}),
    "keepalive_timeout 0 and worker_shutdown_timeout": Case(
        {"HTTP": "keepalive_timeout 0;", "MAIN": "worker_shutdown_timeout 1s;"}
    ),
    "keepalive_requests 1": Case({"HTTP": "keepalive_requests 1;"}),
    "keepalive_requests 0": Case({"SERVER": "keepalive_requests 0;"}),
    "many keepalive_requests": Case({"HTTP": "keepalive_requests 100000;"}),
    "reuseport": Case({"LISTEN": "reuseport", "MAIN": "worker_processes 2;"}),
    "one worker": Case({"MAIN": "worker_processes 1;"}),
    "lingering_close off": Case({"HTTP": "lingering_close off;"}),
    "a block of comments, quotes and variables": Case(
        {"HTTP": "map $http_upgrade $c { default \"up;}{'\"; '' close; } # keepalive_timeout 0; }"}
    ),
    "reset_timedout_connection": Case(
        {"HTTP": "reset_timedout_connection on;", "MAIN": "worker_shutdown_timeout 1s;"}
    ),
}

MIN_TIMEOUT = "keepalive_min_timeout 10s;"
NGINX_1_27_CASES: dict[str, Case] = {
    "keepalive_min_timeout": Case({"HTTP": MIN_TIMEOUT}),
    "keepalive_min_timeout in the server": Case({"SERVER": MIN_TIMEOUT}),
    "keepalive_min_timeout that is shorter than a pause": Case({"HTTP": "keepalive_min_timeout 500ms;"}),
    "keepalive_min_timeout and worker_shutdown_timeout": Case(
        {"HTTP": MIN_TIMEOUT, "MAIN": "worker_shutdown_timeout 1s;"}
    ),
}
"""Cases that need Nginx 1.27.4."""

CASES: dict[str, dict[str, Case]] = {"haproxy": HAPROXY_CASES, "nginx": NGINX_CASES}


@dataclass(frozen=True, slots=True)
class TriedLoad:
    """One kind of load of a case: what was promised, and what became of its connections."""

    kind: str
    promise: Promise
    fates: Fates
    is_judged: bool
    """It is none of those that the case leaves to chance."""

    @property
    def disagreement(self) -> str:
        return disagreement(self.kind, self.promise, self.fates) if self.is_judged else ""


def try_case(balancer: str, case: Case) -> list[TriedLoad]:
    """Reload the real program once while connections of all kinds are open."""
    with run_case(balancer, case) as (running, promises):
        fates = try_reload(running)
    return [TriedLoad(kind, promise, fates[kind], kind not in case.not_tried) for kind, promise in promises.items()]


def disagreements(balancer: str, case: Case) -> list[str]:
    """What the real program did otherwise than its configuration promises; nothing where all is as promised."""
    return [
        f"{one.kind}: {one.promise.text} ({one.promise.because}), but {one.disagreement}: "
        f"{describe(one.kind, one.fates)}"
        for one in try_case(balancer, case)
        if one.disagreement
    ]


@contextmanager
def run_case(balancer: str, case: Case) -> Iterator[tuple[Balancer, dict[str, Promise]]]:
    """The program with the case's configuration, and the promise for each kind of load."""
    with _folder() as folder:
        (folder / "main.d").mkdir()
        (folder / "main.d" / "stop.conf").write_text("worker_shutdown_timeout 1s;\n")
        template = _fill(HAPROXY if balancer == "haproxy" else NGINX, case)
        started = haproxy(folder, template, case.start) if balancer == "haproxy" else nginx(folder, template)
        with started as running:
            yield running, _promises(_promise(balancer, folder, case))


def _fill(template: str, case: Case) -> str:
    if "<STREAM>" in template:
        is_built_in = "--with-stream " in ask_version(["nginx", "-V"])
        template = template.replace("<STREAM>", "" if is_built_in else f"load_module {STREAM_MODULE};")
    for name in ("EXPOSE", "GLOBAL", "DEFAULTS", "FROM", "H2", "FRONTEND", "BACKEND"):
        template = template.replace(f"<{name}>", case.fills.get(name, "proto h2" if name == "H2" else ""))
    for name in ("MAIN", "HTTP", "LISTEN", "SERVER", "LOCATION"):
        template = template.replace(f"<{name}>", case.fills.get(name, ""))
    return template


@contextmanager
def _folder() -> Iterator[Path]:
    """One that Nginx's workers may read, too, and with a path short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="sw-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _promise(balancer: str, folder: Path, case: Case) -> ReloadPromise:
    if balancer == "nginx":
        return nginx_promise.promise_of(folder / "nginx.conf")
    conf = folder / "haproxy.cfg"
    started = {"": None, "-W": True}.get(case.start, False)
    return haproxy_promise.promise_of([(str(conf), conf.read_text())], master_worker=started)


def _promises(promised: ReloadPromise) -> dict[str, Promise]:
    """Requests go to the frontend or server `web`, TCP to the other."""
    by_name = {name: service.promises for service in promised.services for name in service.names}
    plain = next(promises for name, promises in by_name.items() if name != "web")
    return {**by_name["web"], "tcp": plain["tcp"]}
