"""An InfluxDB that misbehaves when it is told to. It stands in for what a real one cannot be made to do on demand:
that it takes, keeps and returns points is tested with real ones."""

import contextlib
import gzip
import http.server
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from switchover.rundir.points import Point, parse_point
from switchover.streaming.influx.destination import Credentials, Database, parse_destination

Key = tuple[str, tuple[tuple[str, str], ...], int]


@dataclass
class Reply:
    """An answer that is no 204."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


Behaviour = Callable[["FakeInflux", bytes], Reply | None]
"""Given the batch's lines: what to answer. None: take it."""


class FakeInflux:
    """`behaviour` may be changed at any time. `port` 0: any that is free."""

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0) -> None:
        self.behaviour = behaviour
        self.points: dict[Key, dict[str, Any]] = {}
        self.batches: list[int] = []
        """Lines of each request that was answered."""
        self.requests: list[tuple[str, dict[str, str]]] = []
        """Path and headers of each."""
        self.goes_on = threading.Event()
        """What a hanging answer waits for."""
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"influx": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def url(self, query: str = "db=drills") -> str:
        return f"http://127.0.0.1:{self.port}?{query}"

    def database(self, query: str = "db=drills", **credentials: str) -> Database:
        return Database(parse_destination(self.url(query)), Credentials(**credentials))

    def take(self, lines: bytes) -> None:
        with self._lock:
            for line in lines.decode("utf-8").split("\n")[:-1]:
                point = parse_point(line)
                self.points[key_of(point)] = dict(point.fields)

    def close(self) -> None:
        self.goes_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    influx: FakeInflux
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        lines = gzip.decompress(body)
        self.influx.requests.append((self.path, dict(self.headers)))
        reply = self.influx.behaviour(self.influx, lines) if self.influx.behaviour else None
        if reply is None:
            self.influx.take(lines)
            reply = Reply(204)
        self.influx.batches.append(lines.count(b"\n"))
        with contextlib.suppress(OSError):
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.status != 204:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Tests read what the shipper says."""


def key_of(point: Point) -> Key:
    return (point.measurement, tuple(sorted(point.tags.items())), point.time_ns)


def answers(status: int, body: bytes = b"", **headers: str) -> Behaviour:
    """Always the same; `Retry_After` for `Retry-After`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _influx, _lines: Reply(status, body, named)


def hangs(influx: FakeInflux, _lines: bytes) -> Reply | None:
    influx.goes_on.wait(30.0)
    return Reply(503)


@contextlib.contextmanager
def fake_influx(behaviour: Behaviour | None = None) -> Iterator[FakeInflux]:
    influx = FakeInflux(behaviour)
    try:
        yield influx
    finally:
        influx.close()
