"""One answer as its bytes arrive, in portions of any size: never raises, bounded in memory.

Heads and chunks are read by httptools (llhttp in C). A body of known length needs no parser, nor does a head that
was seen before.
"""

import re

import httptools

from switchover.http.answer import AnswerProgress
from switchover.http.head import BODILESS, CHUNKED, HEAD_LIMIT, UNTIL_CLOSE
from switchover.locust.user.headers import Fields, Headers

KNOWN_LIMIT = 1024
"""Heads that are remembered; a server that puts something new into each answer makes them all useless."""


class FinalHead:
    """One final (not interim) head."""

    __slots__ = (
        "_fields",
        "_headers",
        "encoding",
        "length",
        "location",
        "persistent",
        "reason",
        "sets_cookies",
        "status",
    )

    def __init__(self, status: int, reason: str, version: str, fields: Fields) -> None:
        self._fields = fields
        self._headers: Headers | None = None
        self.status = status
        self.reason = reason
        self.length = UNTIL_CLOSE
        """Of the body of an answer to anything but HEAD: bytes, `CHUNKED` or `UNTIL_CLOSE`."""
        self.encoding = ""
        self.location: str | None = None
        self.sets_cookies = False
        chunked = False
        connection = b""
        for name, value in fields:
            lowered = name.lower()
            if lowered == b"content-length":
                self.length = int(value)
            elif lowered == b"transfer-encoding":
                chunked = value.lower().rpartition(b",")[2].strip() == b"chunked"
            elif lowered == b"connection":
                connection += b"," + value.lower()
            elif lowered == b"content-encoding":
                self.encoding = value.decode("latin-1").strip().lower()
            elif lowered == b"location":
                self.location = value.decode("latin-1")
            elif lowered == b"set-cookie":
                self.sets_cookies = True
        if chunked:
            self.length = CHUNKED
        if status in BODILESS:
            self.length = 0
        tokens = {token.strip() for token in connection.split(b",")}
        self.persistent = b"close" not in tokens and (version >= "1.1" or b"keep-alive" in tokens)
        """The server lets the connection go on (RFC 9112 section 9.3), as far as the framing allows."""

    @property
    def headers(self) -> Headers:
        if self._headers is None:
            self._headers = Headers(self._fields)
        return self._headers


class KnownHeads:
    """Heads by their bytes."""

    __slots__ = ("by_bytes",)

    def __init__(self) -> None:
        self.by_bytes: dict[bytes, FinalHead] = {}

    def remember(self, raw: bytes, head: FinalHead) -> None:
        if len(self.by_bytes) >= KNOWN_LIMIT:
            self.by_bytes.clear()
        self.by_bytes[raw] = head


FRAMING_PER_BYTE = 16
"""Chunks of one byte are lawful; their frames are 5 bytes and sometimes an extension."""

_HEAD_END = re.compile(rb"\n\r?\n")
_TAIL = 3
"""Bytes that may be the beginning of a head's end."""


_MORE, _DONE, _BROKEN = AnswerProgress.MORE, AnswerProgress.DONE, AnswerProgress.BROKEN


class Answer:
    """Feed it what was received; `head` is there from the moment that the headers are complete."""

    # Defaults stand on the class, because most answers change few of them.
    head: FinalHead | None = None
    body = b""
    """All of it when the answer is done, or broken off; nothing if it is larger than what is kept."""
    nbytes = 0
    """Of the body, without the frames of chunks."""
    kept = True
    surplus = False
    """Bytes came behind the end, so the connection is of no further use."""
    violation = ""
    _parser: httptools.HttpResponseParser | None = None
    _fed = 0
    """Bytes given to the parser."""
    _tail = b""

    def __init__(self, heads: KnownHeads, keep_limit: int, is_head: bool = False) -> None:
        """`is_head`: the answer to a HEAD request, whose headers speak of a body that does not follow."""
        self._heads = heads
        self.keep_limit = keep_limit
        self._is_head = is_head

    def feed(self, data: bytes) -> AnswerProgress:
        """Take what was received, which is not empty."""
        if self.head is not None:
            return self._feed_body(self.head, data)
        if self._parser is None:
            end = data.find(b"\r\n\r\n") + 4
            head = self._heads.by_bytes.get(data[:end])
            if head is not None:
                self.head = head
                body = data[end:]
                if len(body) == head.length <= self.keep_limit and not self._is_head:
                    self.body = body
                    self.nbytes = head.length
                    return _DONE
                self._parts: list[bytes] = []
                return self._feed_body(head, body)
        return self._feed_head(data)

    def end(self) -> AnswerProgress:
        """The peer has closed. That completes only a body which is delimited by it; MORE means truncated."""
        if self.nbytes or self._parser is not None:
            self._finish()
        return _MORE if self.delimited else _DONE

    @property
    def delimited(self) -> bool:
        """Its end is known without the connection's end."""
        return self.head is None or self._is_head or self.head.length != UNTIL_CLOSE

    @property
    def persistent(self) -> bool:
        """Another request may follow on the connection, as far as the answer tells."""
        return self.head is not None and self.head.persistent and not self.surplus and self.delimited

    def _feed_head(self, data: bytes) -> AnswerProgress:
        parser = self._parser
        first = parser is None
        if parser is None:
            parser = self._parser = httptools.HttpResponseParser(self)
            # RFC 9112 section 2.2: a lone LF may end a line.
            parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True)
            self._parts = []
            self._begin()
        received = data
        while data:
            known = len(self._tail)
            window = self._tail + data
            found = _HEAD_END.search(window)
            piece = data if found is None else window[known : found.end()]
            if self._fed + len(piece) > HEAD_LIMIT:
                return self._broken(f"headers longer than {HEAD_LIMIT // 1024} KiB")
            if violation := self._parse(parser, piece):
                return self._broken(violation)
            if found is None:
                self._tail = window[-_TAIL:]
                return _MORE
            self._tail = b""
            data = window[found.end() :]
            if self._headed:
                status = parser.get_status_code()
                if status == 101:
                    return self._broken("the server changed to another protocol, unasked")
                if status >= 200:
                    return self._take_head(parser, status, received if first else b"", data)
                self._begin()
            first = False
        return _MORE

    def _take_head(
        self, parser: httptools.HttpResponseParser, status: int, received: bytes, rest: bytes
    ) -> AnswerProgress:
        """The head is complete; `received`: what came at once and begins with it, if it did."""
        head = FinalHead(status, self._reason, parser.get_http_version(), tuple(self._fields))
        self.head = head
        if head.length != CHUNKED:
            # The parser refers to us, and nothing else would part the two.
            self._parser = None
            if received:
                self._heads.remember(received[: len(received) - len(rest)], head)
        self._fed = 0
        return self._feed_body(head, rest)

    def _feed_body(self, head: FinalHead, data: bytes) -> AnswerProgress:
        length = 0 if self._is_head else head.length
        if length == CHUNKED:
            return self._feed_chunks(data) if data else _MORE
        if length != UNTIL_CLOSE:
            missing = length - self.nbytes
            if len(data) > missing:
                self.surplus = True
                data = data[:missing]
        if data:
            self._take(data)
        if self.nbytes != length:
            return _MORE
        self._finish()
        return _DONE

    def _feed_chunks(self, data: bytes) -> AnswerProgress:
        parser = self._parser
        assert parser is not None
        violation = self._parse(parser, data)
        if self._whole:
            self.surplus = self.surplus or bool(violation)
            self._finish()
            return _DONE
        if violation:
            return self._broken(violation)
        if self._fed - self.nbytes > HEAD_LIMIT + FRAMING_PER_BYTE * self.nbytes:
            return self._broken("chunks with more around them than in them")
        return _MORE

    def _take(self, data: bytes) -> None:
        self.nbytes += len(data)
        if self.nbytes <= self.keep_limit:
            self._parts.append(data)
        elif self.kept:
            self.kept = False
            self._parts = []

    def _parse(self, parser: httptools.HttpResponseParser, data: bytes) -> str:
        """What is wrong with it, if anything."""
        self._fed += len(data)
        try:
            parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Only after 101, which is refused by its status.
            return ""
        except httptools.HttpParserError as error:
            return f"no HTTP answer: {error}"
        return ""

    def _begin(self) -> None:
        """A head begins, the first one or the one behind an interim one."""
        self._headed = self._whole = False
        self._reason = ""
        self._fields: list[tuple[bytes, bytes]] = []

    def _finish(self) -> None:
        self._parser = None
        if self.kept and self._parts:
            self.body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self._parts = []

    def _broken(self, violation: str) -> AnswerProgress:
        self.violation = violation
        self._finish()
        return _BROKEN

    # What the parser calls.

    def on_message_begin(self) -> None:
        self.surplus = self._whole and self.head is not None

    def on_status(self, phrase: bytes) -> None:
        self._reason += phrase.decode("latin-1")

    def on_header(self, name: bytes, value: bytes) -> None:
        # Those behind the last chunk are trailers, which we do not use.
        if not self._headed:
            self._fields.append((name, value))

    def on_headers_complete(self) -> None:
        self._headed = True

    def on_body(self, data: bytes) -> None:
        # What follows the whole answer is no part of it.
        if not self._whole:
            self._take(data)

    def on_message_complete(self) -> None:
        self._whole = True
