"""A server that is no lab: it answers everything, and remembers what it was asked; and visitors who come to it."""

import csv
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from switchover.load.load_process import Load
from switchover.model.clock import Clock
from switchover.target.model import Target
from switchover.target.reader import load_target


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


def rows_of_visitors(load_for: Callable[[Target], Load], directory: Path, key: str = "k") -> list[dict[str, str]]:
    """What a load without a plan writes down of its visits, of which the shop knows the same: they ask for the
    target's own URL only, with its headers, each on a connection of its own or on one that stays."""
    with shop() as port:
        target = directory / "site.toml"
        target.write_text(
            f'[target]\nurl = "http://127.0.0.1:{port}/shop?x=1"\nhost_header = "shop.test"\n'
            f"headers = {{ X-Key = {json.dumps(key)} }}\n",
            encoding="utf-8",
        )
        load = load_for(load_target(target))
        load.start(directory, Clock.of_process())
        try:
            assert Shop.enough.wait(30.0), "they ask and ask"
        finally:
            assert load.stop() is None
        asked = list(Shop.asked)
    assert {seen[:3] for seen in asked} == {("/shop?x=1", "shop.test", key)}
    assert {connection == "close" for *_, connection in asked} == {True, False}
    with (directory / "samples.jtl").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len([row for row in rows if row["success"] == "true"]) <= len(asked) <= len(rows)
    assert {row["label"] for row in rows} >= {"home", "item", "search"}
    return rows
