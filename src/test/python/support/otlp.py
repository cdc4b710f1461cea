"""A small OTLP receiver on loopback: it takes what is pushed in OTLP's JSON form, and keeps it.

It is no OpenTelemetry Collector: it checks nothing, and answers any path.
"""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


class OtlpServer(HTTPServer):
    """`taken`: path, headers and body of each push. It answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 200
        self.taken: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def metrics(self) -> dict[str, Any]:
        """Those of the last push, by name."""
        return metrics_of(self.taken[-1][2])


def metrics_of(pushed: dict[str, Any]) -> dict[str, Any]:
    """The metrics of one export request, by name."""
    (resource,) = pushed["resourceMetrics"]
    (scope,) = resource["scopeMetrics"]
    return {metric["name"]: metric for metric in scope["metrics"]}


class _Handler(BaseHTTPRequestHandler):
    server: OtlpServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.taken.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


@contextlib.contextmanager
def otlp_server() -> Iterator[OtlpServer]:
    """One that runs, until the end of the block."""
    with OtlpServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
