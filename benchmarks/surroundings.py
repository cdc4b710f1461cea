"""What a load generator needs around it: a server that answers, and somebody who takes points."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CACHE = Path(__file__).parents[1] / "build" / "benchmark"

START_TIMEOUT_S = 10.0

NGINX = """
daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log {directory}/error.log;
events {{ worker_connections 8192; }}
http {{
    access_log off; keepalive_requests 1000000000; keepalive_timeout 3600; client_max_body_size 0;
    client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=8192;
        add_header X-Backend web1 always;
        add_header X-Balancer lb1 always;
        location / {{ return 200 "hello\\n"; }}
        location /status {{ stub_status; }}
        location /write {{ return 204; }}
    }}
}}
"""


@contextlib.contextmanager
def nginx(directory: Path) -> Iterator[int]:
    """An Nginx on a free port."""
    binary = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if binary is None:
        sys.exit("nginx is not installed: apt-get install nginx-light")
    port = free_port()
    config = directory / "nginx.conf"
    config.write_text(NGINX.format(directory=directory, port=port))
    with subprocess.Popen(
        [binary, "-p", str(directory), "-e", str(directory / "error.log"), "-c", str(config)]
    ) as server:
        try:
            wait_for(port, server, directory / "error.log")
            yield port
        finally:
            server.terminate()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    give_up = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < give_up and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    sys.exit(f"{server.args!r} did not start: {log.read_text() if log.exists() else 'it said nothing'}")


@contextlib.contextmanager
def server(directory: Path, core: int) -> Iterator[int]:
    """An Nginx of one process, on a core of its own; the port."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        with nginx(directory) as port:
            yield port
    finally:
        os.sched_setaffinity(0, before)


class _TakesPoints(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.startswith("/write"):
            self._answer(204, b"")
        else:
            self._answer(200, b'{"results":[{"statement_id":0}]}')

    do_GET = do_POST  # noqa: N815

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextlib.contextmanager
def sink() -> Iterator[int]:
    """Stands for an InfluxDB: takes every write with 204 and forgets it; the port."""
    taker = ThreadingHTTPServer(("127.0.0.1", 0), _TakesPoints)
    taker.daemon_threads = True
    thread = threading.Thread(target=taker.serve_forever, daemon=True)
    thread.start()
    try:
        yield taker.server_address[1]
    finally:
        taker.shutdown()
        thread.join()


def run(*command: str) -> str:
    """Its output; exits with its words if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout
