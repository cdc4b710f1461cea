"""What each target begins with: the vectors that both languages read, the lab's own files, and those in
src/test/resources/fuzz, where also stays what a reader once failed at."""

import gzip
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from switchover.lab.addresses import balancers
from switchover.lab.configs import balancer_config, render
from switchover.lab.spec import LabSpec

RESOURCES = Path(__file__).parents[2] / "resources"
COMMITTED = RESOURCES / "fuzz"
RUNS = RESOURCES / "runs"
STUDIES = Path(__file__).parents[4] / "testplans" / "studies"
WHOLE = b"\0"
"""The first byte of a stream: it comes in one piece. Another one is the size of its pieces."""


def seeds_of(target: str) -> Iterator[bytes]:
    for path in sorted((COMMITTED / target).glob("*")):
        yield path.read_bytes()
    yield from _MADE[target]() if target in _MADE else ()


def _vectors(file: str, of: str) -> list[Any]:
    return list(json.loads((RESOURCES / "contract" / f"{file}.json").read_text(encoding="utf-8"))[of])


def _texts(file: str, of: str, key: str, begin: bytes = b"", end: bytes = b"") -> Iterator[bytes]:
    for case in _vectors(file, of):
        yield begin + case[key].encode("utf-8", "surrogatepass") + end


def _haproxy_answers() -> Iterator[bytes]:
    for case in _vectors("telemetry", "haproxy"):
        yield (b"p" if case.get("page") else b"s") + case["answer"].encode()


def _points() -> Iterator[bytes]:
    yield from _texts("points", "format", "line")
    yield from _texts("points", "parse", "line")
    for line in _vectors("points", "garbage"):
        yield line.encode("utf-8", "surrogatepass")


def _configurations(kind: str) -> Iterator[bytes]:
    lb1, lb2 = balancers()
    folder = Path("/run/lb1")
    if kind == "keepalived":
        settings = LabSpec().keepalived.lb1
        text = render("keepalived.conf", LabSpec(), lb1, folder, peer=lb2, settings=settings, fifo="/run/f")
    else:
        text = balancer_config(LabSpec(balancer=kind), lb1, folder, 20_000, socket="/run/s", certificate="")
    yield text.encode()


def _compressed() -> Iterator[bytes]:
    text = (RESOURCES / "jtl" / "simple-data-writer.jtl").read_bytes()[:1000]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("requests.jtl", text)
    yield from (
        gzip.compress(text),
        gzip.compress(text) * 2,
        packed.getvalue(),
    )
    yield from (text.decode().encode("utf-16"), b"\xef\xbb\xbf" + text)


def _logs() -> Iterator[bytes]:
    for path in sorted((RESOURCES / "jtl").iterdir()):
        yield path.read_bytes()[:4096]


def _changes(documents: int) -> Iterator[bytes]:
    """Each document as it is, and with one and three of its values changed."""
    for number in range(documents):
        yield bytes([number])
        yield bytes([number, 0, 7, 1])
        yield bytes([number, 0, 1, 13, 1, 1, 0, 2, 2, 21])


def _streams(*texts: bytes) -> Iterator[bytes]:
    for text in texts:
        yield WHOLE + text
        yield b"\3" + text


def _advert() -> Iterator[bytes]:
    for version in (2, 3):
        body = bytes([version << 4 | 1, 51, 100, 1, 0, 1, 0, 0, 198, 18, 0, 50])
        yield bytes([0x45, 0xC0, 0, 20 + len(body), 0, 1, 0, 0, 255, 112, 0, 0, 198, 18, 0, 11, 224, 0, 0, 18]) + body


_MADE: Mapping[str, Any] = {
    "haproxy-answer": _haproxy_answers,
    "nginx-status": lambda: _texts("telemetry", "nginx", "page"),
    "fifo": lambda: _texts("telemetry", "notifications", "line", WHOLE, b"\n"),
    "fifo-line": lambda: _texts("telemetry", "notifications", "line"),
    "ip-line": lambda: _texts("telemetry", "addresses", "line"),
    "ip-monitor": lambda: _texts("telemetry", "addresses", "line", WHOLE, b"\n"),
    "vrrp-advert": _advert,
    "keepalived-conf": lambda: _configurations("keepalived"),
    "haproxy-cfg": lambda: _configurations("haproxy"),
    "nginx-conf": lambda: _configurations("nginx"),
    "request-log": _logs,
    "compressed-log": _compressed,
    "access-log-line": lambda: _texts("telemetry", "log_lines", "line"),
    "line-protocol": _points,
    "journal": lambda: _texts("points", "format", "line", end=b"\n"),
    "target-file": lambda: _texts("target", "cases", "text"),
    "study-file": lambda: _changes(documents=len(list(STUDIES.glob("*.toml")))),
    "run-json": lambda: _changes(documents=len(list(RUNS.glob("*/run.json")))),
    "history": lambda: _changes(documents=len(list(RUNS.glob("*/run.json")))),
    "probed-answer": lambda: _texts("http", "answers", "response", WHOLE),
    "user-answer": lambda: _texts("http", "answers", "response", b"\3"),
    "cookies": lambda: iter([b"SRV=web1; path=/; HttpOnly", b"a=b; Max-Age=5; Domain=shop.example\nc=d; expires=0"]),
    "web-form": lambda: iter([b"user_count=5&spawn_rate=1&switchover_fault_at=5s&switchover_name=x"]),
    "websocket": lambda: _streams(b"\x81\x05hello\x89\x00\x88\x02\x03\xe8", b"\x01\x02ab\x80\x02cd\x82\x7e\x00\x00"),
    "sse": lambda: _streams(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: 1\n\n: beat\n\nevent: end\n\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n",
    ),
}
