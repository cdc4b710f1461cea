"""A server that is no lab: it answers everything, and remembers what it was asked."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Shop(http.server.BaseHTTPRequestHandler):
    """Answers everything, and remembers what it was asked."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str | None, str | None, str | None]]
    enough: threading.Event

    def do_GET(self) -> None:
        named = self.headers
        self.asked.append((self.path, named.get("Host"), named.get("X-Key"), named.get("Connection")))
        if len(self.asked) >= 40:
            self.enough.set()
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.send_header("X-Till", "till1")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None: ...


@contextmanager
def shop() -> Iterator[int]:
    Shop.asked, Shop.enough = [], threading.Event()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield server.server_port
        server.shutdown()
        serving.join()
