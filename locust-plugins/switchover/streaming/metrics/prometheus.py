"""The metrics in Prometheus' text format (version 0.0.4), and the server that Prometheus scrapes."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate

from switchover.model.errors import SwitchoverError, UsageError
from switchover.streaming.metrics.families import BOUNDS_S
from switchover.streaming.metrics.registry import Histogram, Labels, Registry

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PATH = "/metrics"
REQUEST_S = 10.0
"""The time in seconds for a client to send its request and to read the answer."""
LONGEST_WAIT_S = 90.0
FETCHED_ONCE = (
    "Prometheus fetched the metrics only once, so the run does not wait for another scrape; the journal has the rest"
)
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def parse_address(text: str) -> tuple[str, int]:
    """Parse `HOST:PORT`. `:PORT` means every address of this machine, `PORT` alone only the loopback address."""
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


class Scrapes:
    """The times of Prometheus' scrapes, with a wait for one more scrape at the end of a run."""

    def __init__(self) -> None:
        self._came = threading.Condition()
        self._times_s: list[float] = []

    def note(self, began_s: float) -> None:
        """Record an answered scrape that began at `began_s`."""
        with self._came:
            self._times_s = [*self._times_s[-1:], began_s]
            self._came.notify_all()

    def wait_for_another(self, say: Callable[[str], None]) -> None:
        """Wait until a scrape that begins after now is answered.

        The wait is at most twice the interval of the last two scrapes, and at most `LONGEST_WAIT_S`. `say` is called
        with a line about the wait. With fewer than two scrapes, the interval is unknown, so there is no wait.
        """
        now_s = time.monotonic()
        with self._came:
            if not self._times_s:
                return
            if len(self._times_s) == 1:
                say(FETCHED_ONCE)
                return
            first, last = self._times_s
            wait_s = min(2 * (last - first), LONGEST_WAIT_S)
            say(f"waiting for Prometheus to fetch the last figures, at most {wait_s:.1f} s")
            while self._times_s[-1] < now_s and (left_s := now_s + wait_s - time.monotonic()) > 0:
                self._came.wait(left_s)


class PrometheusServer:
    def __init__(self, address: str, registry: Registry) -> None:
        self.scrapes = Scrapes()
        host, port = parse_address(address)
        try:
            self._server = _Server(host, port, _handler(registry, self.scrapes))
        except OSError as error:
            raise SwitchoverError(f"cannot serve metrics on {address}: {error.strerror or error}") from error
        threading.Thread(target=self._server.serve_forever, name="prometheus", daemon=True).start()

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


def _handler(registry: Registry, scrapes: Scrapes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = REQUEST_S

        def do_GET(self) -> None:
            began_s = time.monotonic()
            is_metrics = self.path.partition("?")[0] == PATH
            body = (render(registry) if is_metrics else f"Metrics are at {PATH}\n").encode("utf-8", "replace")
            self.send_response(200 if is_metrics else 404)
            self.send_header("Content-Type", CONTENT_TYPE if is_metrics else "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            if is_metrics:
                scrapes.note(began_s)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Do nothing: standard error is only for errors."""

    return Handler
