"""Readers of what comes from the network while a load runs: answers, cookies, frames and events."""

import asyncio
import base64
import hashlib
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

from fuzz.target import Target, in_pieces
from switchover.connections.connection import HeldConnection
from switchover.connections.numbered import StreamEndedError
from switchover.connections.slot import Slot
from switchover.connections.sse import _next_event
from switchover.connections.websocket import _WebSocket
from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import HeadReader
from switchover.locust.user.answer import Answer
from switchover.locust.user.cookies import Cookies, store_cookies
from switchover.model.identity import IdentitySettings
from switchover.target.model import Endpoint

URL = "http://shop.example/cart"
LIMIT = 1 << 16
ACCEPTS = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""RFC 6455 section 1.3."""


def _probed_answer(data: bytes) -> None:
    answer, progress = CountedAnswer(HeadReader(IdentitySettings(sticky_cookie="SRV")).read), AnswerProgress.MORE
    for piece in in_pieces(data):
        if piece and progress is AnswerProgress.MORE:
            progress = answer.feed(piece)
    assert (progress is AnswerProgress.BROKEN) == bool(answer.violation)
    answer.end()


def _user_answer(data: bytes) -> None:
    """The same in any pieces."""
    whole, parts = Answer(LIMIT, False), Answer(LIMIT, False)
    progress, by_parts = AnswerProgress.MORE, AnswerProgress.MORE
    if len(data) > 1:
        progress = whole.feed(data[1:])
    for piece in in_pieces(data):
        if piece and by_parts is AnswerProgress.MORE:
            by_parts = parts.feed(piece)
    assert progress is by_parts, f"{progress} whole, {by_parts} in pieces"
    assert whole.body == parts.body or progress is AnswerProgress.BROKEN
    whole.end()


def _cookies(data: bytes) -> None:
    jar = Cookies(URL)
    lines = data.split(b"\n")
    store_cookies(jar, URL, [("Set-Cookie", line.decode("latin-1")) for line in lines])
    line = jar.header_for(URL)
    assert not line or (line.endswith(b"\r\n") and line.count(b"\n") == 1)


class _Connection:
    """What a stream reads from: all has come, and the other end has closed."""

    def __init__(self) -> None:
        self.received = b""
        self.sent = b""
        self.ended_by: object | None = "close"

    def take(self) -> bytes:
        taken, self.received = self.received, b""
        return taken

    def send(self, data: bytes) -> None:
        self.sent += data


def _websocket(data: bytes) -> None:
    """Frames behind a good handshake."""
    connection = _Connection()
    slot = SimpleNamespace(
        endpoint=Endpoint(URL), spec=SimpleNamespace(timeout_read_s=1.0, timeout_of=lambda _: 1.0), kind="websocket"
    )
    stream = _WebSocket(cast(Slot, slot), cast(HeldConnection, connection))
    stream.ask()
    key = re.search(rb"(?i)sec-websocket-key: (\S+)", connection.sent)
    assert key is not None
    accept = base64.b64encode(hashlib.sha1(key[1] + ACCEPTS).digest())
    connection.received = (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    assert stream.has_come()
    for piece in in_pieces(data):
        connection.received = piece
        for _ in range(len(piece) + 1):
            if not stream.has_come():
                break
            if _has_ended(stream):
                return


def _has_ended(stream: _WebSocket) -> bool:
    try:
        return _run(stream.receive()) is None
    except StreamEndedError:
        return True


def _sse(data: bytes) -> None:
    """Events in the body of an answer."""
    content = bytearray()
    answer = CountedAnswer(HeadReader(IdentitySettings()).read, content)
    slot = SimpleNamespace(spec=SimpleNamespace(timeout_of=lambda _: 1.0), kind="sse")
    for piece in in_pieces(data):
        connection = _Connection()
        connection.received = piece
        for _ in range(len(piece) + 1):
            event = _run(_next_event(cast(Slot, slot), cast(HeldConnection, connection), answer, content))
            if event is None:
                break
        if answer.violation or connection.received:
            return


def _run(waits: Any) -> Any:
    """To its end without a loop: nothing in it has to wait."""
    try:
        waits.send(None)
    except StopIteration as ended:
        return ended.value
    raise asyncio.InvalidStateError("it waits")


TARGETS: Mapping[str, Target] = {
    "probed-answer": Target(_probed_answer),
    "user-answer": Target(_user_answer),
    "cookies": Target(_cookies, longest=1024),
    "websocket": Target(_websocket, longest=1024),
    "sse": Target(_sse, longest=1024),
}
