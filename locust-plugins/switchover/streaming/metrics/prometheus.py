"""The metrics in Prometheus' text format (version 0.0.4), and the server that Prometheus scrapes."""

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate

from switchover.model.errors import SwitchoverError, UsageError
from switchover.streaming.metrics.registry import BOUNDS_S, Histogram, Labels, Registry

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PATH = "/metrics"
REQUEST_S = 10.0
"""The time limit, in seconds, within which a client must send its request and read the answer."""
LAST_SCRAPE_S = 65.0
"""The longest wait, in seconds, for a last scrape. Prometheus scrapes every minute by default."""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def parse_address(text: str) -> tuple[str, int]:
    """Parse `HOST:PORT`, `:PORT` (every address of this machine) or `PORT` (the loopback address)."""
    host, colon, port = text.strip().rpartition(":")
    if not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise UsageError(f"{text!r} is not an address to listen on, such as :9464 or 127.0.0.1:9464")
    return host.strip("[]") or ("" if colon else "127.0.0.1"), int(port)


def render(registry: Registry) -> str:
    lines: list[str] = []
    for family, series in registry.collect():
        lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind.value}"]
        for labels, value in series:
            if isinstance(value, Histogram):
                lines += _histogram_lines(family.name, labels, value)
            else:
                lines.append(f"{family.name}{_braced(labels)} {_number(value)}")
    return "".join(f"{line}\n" for line in lines)


def _histogram_lines(name: str, labels: Labels, value: Histogram) -> Iterator[str]:
    bounds = [*(_number(bound) for bound in BOUNDS_S), "+Inf"]
    for bound, count in zip(bounds, accumulate(value.counts), strict=True):
        yield f"{name}_bucket{_braced((*labels, ('le', bound)))} {count}"
    yield f"{name}_sum{_braced(labels)} {_number(value.total_s)}"
    yield f"{name}_count{_braced(labels)} {sum(value.counts)}"


def _braced(labels: Labels) -> str:
    written = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels)
    return f"{{{written}}}" if written else ""


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(round(value, 9))


class PrometheusServer:
    def __init__(self, address: str, registry: Registry) -> None:
        self.is_scraped = self.is_final = False
        """`is_scraped`: a scrape was answered. `is_final`: all points of the run are in the registry."""
        self.fetched = threading.Event()
        host, port = parse_address(address)
        try:
            self._server = _Server(host, port, _handler(registry, self))
        except OSError as error:
            raise SwitchoverError(f"cannot serve metrics on {address}: {error.strerror or error}") from error
        threading.Thread(target=self._server.serve_forever, name="prometheus", daemon=True).start()

    def await_last_scrape(self, warn: Callable[[str], None]) -> None:
        """Wait for one more scrape. Return at once if there was no scrape before."""
        self.is_final = True
        if self.is_scraped:
            warn(f"waiting for Prometheus to fetch the last figures, at most {LAST_SCRAPE_S:g} s")
            self.fetched.wait(LAST_SCRAPE_S)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # The next drill may listen on the same port immediately.
    allow_reuse_address = True

    def __init__(self, host: str, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Do nothing: a client may disconnect."""


def _handler(registry: Registry, server: PrometheusServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = REQUEST_S

        def do_GET(self) -> None:
            is_final = server.is_final
            is_metrics = self.path.partition("?")[0] == PATH
            body = (render(registry) if is_metrics else f"Metrics are at {PATH}\n").encode("utf-8", "replace")
            self.send_response(200 if is_metrics else 404)
            self.send_header("Content-Type", CONTENT_TYPE if is_metrics else "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            if is_metrics:
                server.is_scraped = True
                if is_final:
                    server.fetched.set()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Do nothing, because standard error is only for errors."""

    return Handler
