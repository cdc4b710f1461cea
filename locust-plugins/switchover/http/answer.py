"""Read one HTTP/1.x response as its bytes arrive. The reader counts the bytes, and never raises an exception."""

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, Protocol, Self, TypeVar

from switchover.http.head import CHUNKED, HEAD_LIMIT, UNTIL_CLOSE, ParsedHead

SIZE_LINE_LIMIT = 4096
"""The maximum length, in bytes, of the size line of a chunk, including chunk extensions."""

_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?")


class _At(Enum):
    SIZE = auto()
    DATA = auto()
    DATA_END = auto()
    TRAILER = auto()


class Content(Protocol):
    def __iadd__(self, data: bytes) -> Self: ...


class ChunkedBody:
    """Reads the chunks of a body. `done`: the body is complete. `violation`: the reason why a chunk is invalid."""

    def __init__(self, content: Content | None = None) -> None:
        self._content = content
        self._at = _At.SIZE
        self._left = 0
        self._line = b""
        self.done = False
        self.surplus = False
        self.violation = ""

    def feed(self, data: bytes) -> None:
        position = 0
        while position < len(data) and not self.done and not self.violation:
            if self._at is _At.DATA:
                size = min(self._left, len(data) - position)
                if self._content is not None:
                    self._content += data[position : position + size]
                self._left -= size
                position += size
                if not self._left:
                    self._at = _At.DATA_END
            else:
                position = self._read_line(data, position)
        self.surplus = self.done and position < len(data)

    def _read_line(self, data: bytes, position: int) -> int:
        end = data.find(b"\n", position)
        line = self._line + data[position : end if end >= 0 else len(data)]
        if len(line) > SIZE_LINE_LIMIT:
            self.violation = "a chunk's line without end"
        elif end < 0:
            self._line = line
        else:
            self._line = b""
            self._take_line(line[:-1] if line.endswith(b"\r") else line)
        return len(data) if end < 0 else end + 1

    def _take_line(self, line: bytes) -> None:
        if self._at is _At.SIZE:
            size = _SIZE.fullmatch(line)
            if size is None:
                self.violation = "a chunk without a size"
                return
            self._left = int(size[1], 16)
            self._at = _At.DATA if self._left else _At.TRAILER
        elif self._at is _At.DATA_END:
            if line:
                self.violation = "a chunk with more bytes than its size line states"
            self._at = _At.SIZE
        elif not line:
            self.done = True


BODY_LIMIT = 16 * 1024 * 1024
"""The maximum size of a response body in bytes. Probes request a small page, so a larger body suggests a wrong
URL."""

_HEAD_END = re.compile(rb"\n\r?\n")
_BEGINNING = b"HTTP/1."


class AnswerProgress(Enum):
    MORE = auto()
    DONE = auto()
    BROKEN = auto()
    """The bytes are not a valid HTTP response. `violation` has the reason."""


H = TypeVar("H", bound=ParsedHead)


class CountedAnswer(Generic[H]):
    """One response. `feed` takes the received bytes; `head` is set when the headers are complete."""

    def __init__(
        self,
        read_head: Callable[[bytes], H],
        content: Content | None = None,
        limit: int = BODY_LIMIT,
        *,
        has_body: bool = True,
    ) -> None:
        """`content`: receives the body of at most `limit` bytes. `has_body`: False for the response to HEAD."""
        self._read_head = read_head
        self._limit = limit
        self._has_body = has_body
        self.content = content
        self._pending = b""
        self._head_bytes = 0
        self.body_bytes = 0
        """The number of bytes after the head, including the size lines of chunks."""
        self._chunks: ChunkedBody | None = None
        self.head: H | None = None
        self.nbytes = 0
        self.surplus = False
        """True if further bytes arrived after the end of the response, so that the connection cannot be reused."""
        self.violation = ""

    def feed(self, data: bytes) -> AnswerProgress:
        self.nbytes += len(data)
        return self._feed_head(data) if self.head is None else self._feed_body(self.head, data)

    def end(self) -> AnswerProgress:
        """Record that the peer closed the connection, and return the progress. If the result is MORE, the response is
        truncated."""
        if self.head is not None and self.head.length == UNTIL_CLOSE:
            return AnswerProgress.DONE
        return AnswerProgress.MORE

    def _feed_head(self, data: bytes) -> AnswerProgress:
        searched = len(self._pending)
        pending = self._pending + data if searched else data
        while True:
            if not pending.startswith(_BEGINNING) and not _BEGINNING.startswith(pending):
                return self._broken("the answer has no HTTP/1.x status line")
            end = _HEAD_END.search(pending, max(0, searched - 2))
            size = end.end() if end else len(pending)
            if self._head_bytes + size > HEAD_LIMIT:
                return self._broken(f"headers longer than {HEAD_LIMIT // 1024} KiB")
            if end is None:
                self._pending = pending
                return AnswerProgress.MORE
            self._head_bytes += size
            head = self._read_head(pending[:size])
            if head.violation:
                return self._broken(head.violation)
            pending = pending[size:]
            # A final response follows (RFC 9110 section 15.2). After 101, no HTTP response follows.
            if not 100 <= head.status < 200 or head.status == 101:
                break
            searched = 0
            if not pending:
                self._pending = b""
                return AnswerProgress.MORE
        self._pending = b""
        self.head = head
        if not self._has_body:
            self.surplus = bool(pending)
            return AnswerProgress.DONE
        if head.length > self._limit:
            return self._broken(f"a body longer than {self._limit >> 20} MiB")
        if head.length == CHUNKED:
            self._chunks = ChunkedBody(self.content)
        return self._feed_body(head, pending)

    def _feed_body(self, head: H, data: bytes) -> AnswerProgress:
        length = head.length
        if self.content is not None and length != CHUNKED:
            self.content += data if length < 0 else data[: length - self.body_bytes]
        self.body_bytes += len(data)
        if length >= 0:
            if self.body_bytes < length:
                return AnswerProgress.MORE
            self.surplus = self.body_bytes > length
            return AnswerProgress.DONE
        if self.body_bytes > self._limit:
            return self._broken(f"a body longer than {self._limit >> 20} MiB")
        if self._chunks is None:
            return AnswerProgress.MORE
        self._chunks.feed(data)
        if self._chunks.violation:
            return self._broken(self._chunks.violation)
        self.surplus = self._chunks.surplus
        return AnswerProgress.DONE if self._chunks.done else AnswerProgress.MORE

    def _broken(self, violation: str) -> AnswerProgress:
        self.violation = violation
        self._pending = b""
        return AnswerProgress.BROKEN
