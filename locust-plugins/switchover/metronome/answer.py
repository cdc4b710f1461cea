"""One HTTP/1.x response as its bytes arrive: counted, not kept, bounded, and never raising."""

import re
from enum import Enum, auto

from switchover.metronome.chunks import ChunkedBody
from switchover.metronome.head import CHUNKED, HEAD_LIMIT, UNTIL_CLOSE, Head, HeadReader

BODY_LIMIT = 16 * 1024 * 1024
"""Bytes of a body. A probe asks for a small page; one that is answered by more is pointed at the wrong URL."""

_HEAD_END = re.compile(rb"\n\r?\n")
_BEGINNING = b"HTTP/1."


class Progress(Enum):
    MORE = auto()
    """The response is not complete."""
    DONE = auto()
    BROKEN = auto()
    """It is no HTTP response; `violation` says why."""


class Answer:
    """Feed it what was received; `head` is there from the moment that the headers are complete."""

    __slots__ = ("_body", "_chunks", "_head_bytes", "_heads", "_pending", "head", "nbytes", "surplus", "violation")

    def __init__(self, heads: HeadReader) -> None:
        self._heads = heads
        self._pending = b""
        """The head as far as it came."""
        self._head_bytes = 0
        """Of interim responses and of this one."""
        self._body = 0
        self._chunks: ChunkedBody | None = None
        self.head: Head | None = None
        self.nbytes = 0
        self.surplus = False
        """Bytes came behind the end of the response, so the connection is of no further use."""
        self.violation = ""

    def feed(self, data: bytes) -> Progress:
        """Take what was received, which is not empty."""
        first = not self.nbytes
        self.nbytes += len(data)
        if first and (known := self._heads.whole.get(data)) is not None:
            self.head = known
            return Progress.DONE
        if self.head is not None:
            return self._feed_body(self.head, data)
        progress, head = self._feed_head(data)
        if progress is Progress.DONE and first and head is not None and not self.surplus:
            self._heads.remember(data, head)
        return progress

    def end(self) -> Progress:
        """The peer closed. That completes only a body which is delimited by it; MORE means truncated."""
        if self.head is not None and self.head.length == UNTIL_CLOSE:
            return Progress.DONE
        return Progress.MORE

    def _feed_head(self, data: bytes) -> tuple[Progress, Head | None]:
        searched = len(self._pending)
        pending = self._pending + data if searched else data
        while True:
            if not pending.startswith(_BEGINNING) and not _BEGINNING.startswith(pending):
                return self._broken("the answer has no HTTP/1.x status line"), None
            end = _HEAD_END.search(pending, max(0, searched - 2))
            size = end.end() if end else len(pending)
            if self._head_bytes + size > HEAD_LIMIT:
                return self._broken(f"headers longer than {HEAD_LIMIT // 1024} KiB"), None
            if end is None:
                self._pending = pending
                return Progress.MORE, None
            self._head_bytes += size
            head = self._heads.read(pending[:size])
            if head.violation:
                return self._broken(head.violation), None
            pending = pending[size:]
            if not head.interim:
                break
            searched = 0
            if not pending:
                self._pending = b""
                return Progress.MORE, None
        self._pending = b""
        self.head = head
        if head.length > BODY_LIMIT:
            return self._broken(f"a body longer than {BODY_LIMIT >> 20} MiB"), head
        if head.length == CHUNKED:
            self._chunks = ChunkedBody()
        return self._feed_body(head, pending), head

    def _feed_body(self, head: Head, data: bytes) -> Progress:
        self._body += len(data)
        length = head.length
        if length >= 0:
            if self._body < length:
                return Progress.MORE
            self.surplus = self._body > length
            return Progress.DONE
        if self._body > BODY_LIMIT:
            return self._broken(f"a body longer than {BODY_LIMIT >> 20} MiB")
        if self._chunks is None:
            return Progress.MORE
        self._chunks.feed(data)
        if self._chunks.violation:
            return self._broken(self._chunks.violation)
        return Progress.DONE if self._chunks.done else Progress.MORE

    def _broken(self, violation: str) -> Progress:
        self.violation = violation
        self._pending = b""
        return Progress.BROKEN
